"""Active orbitals of a VQE task: by numbers of electrons and orbitals, by frontier orbitals, or above a frozen core."""

from __future__ import annotations

import re

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.framed import Framed
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.vqe.molecules import PROTONS, Molecule

_COUNT = r"(\d+|one|two|three|four|five|six|seven|eight)"
_ELECTRONS = (
    rf"(?:active space|\bactive\b|\bCAS\b)[^.;\n]{{0,40}}?{_COUNT}\s*(?:active\s+)?(?:electrons?|"
    rf"e)\b[^.;\n]{{0,16}}?{_COUNT}\s*"
    r"(?:active |spatial |molecular )*(?:orbitals?|o)\b",
    rf"{_COUNT}\s*(?:active\s+)?electrons?\s+(?:in|and|,)\s+(?:the\s+)?{_COUNT}\s*(?:active |spatial |"
    rf"molecular )*orbitals?\b",
    rf"{_COUNT}\s*(?:active\s+)?electrons?\s+(?:are\s+|is\s+)?(?:correlated|active|treated)\s*,?\s*(?:in|and)\s+"
    rf"(?:the\s+)?{_COUNT}\s*(?:active |spatial |molecular )*orbitals?\b",
    r"\((\d+)\s*e?\s*,\s*(\d+)\s*o?\)(?=[^.;]{0,12}active| space)",
    r"(?:active space|\bactive\b)[^.;]{0,12}\((\d+)\s*e?\s*,\s*(\d+)\s*o?\)",
    r"\bCAS\s*\(\s*(\d+)\s*e?\s*,\s*(\d+)\s*o?\s*\)",
    r"\b(?:active[ _]space|active)\s*[:=]\s*(\d+)\s*e?\s*[,/]\s*(\d+)\s*o?\b",
)
_FRONTIER = re.compile(
    r"\b(?P<kind>HOMO|LUMO)(?:\s*(?P<step>[+-]\s*\d))?(?P<to>\s*(?:to|through|\.\.\.?|-)\s*(?=(?:HOMO|LUMO)))?", re.I
)
_HIGHEST = re.compile(
    rf"{_COUNT}\s+highest\s+(?:doubly\s+)?(?:occupied|filled)[^.;\n]{{0,30}}?{_COUNT}\s+lowest\s+(?:empty|"
    rf"unoccupied|virtual)|{_COUNT}\s+(?:occupied|filled)[^.;\n]{{0,40}}?\b(?:of|with) (?:the )?highest"
    rf"[^.;\n]{{0,40}}?{_COUNT}\s+(?:empty|unoccupied|virtual)[^.;\n]{{0,30}}?\b(?:of|with) (?:the )?lowest",
    re.I,
)
_FROZEN = (
    r"\bfrozen(?:[- ](?:the|1s|inner|atomic|chemical|orbital|orbitals|electrons)){0,3}[- ](?:cores?|1s)\b|"
    r"\bfreez(?:e|es|ing)\s+(?:[\w']+\s+){0,4}(?:cores?|1s)\b(?:[- ](?:core|orbitals?|electrons?))*|"
    r"\b(?:1s|cores?)\b(?:[- ](?:core|orbitals?|electrons?|shells?))*\s*(?:(?:is|are|of \w+|kept|"
    r"being)\s+){0,3}(?:frozen|doubly occupied)"
)
_ALL = (
    r"\b(?:no|without(?: an?)?|not an?)\s+frozen[- ]core|"
    r"\b(?:cores? (?:is|are) )?not frozen\b|\bnothing is frozen\b|\ball[- ]electrons?\b"
)
_MINIMAL = {"H": 1, "He": 1, "Li": 5, "Be": 5, "B": 5, "C": 5, "N": 5, "O": 5, "F": 5, "Ne": 5}


def active_orbitals(task: Framed, molecule: Molecule, basis: str) -> list[int] | Question | Unread:
    """Hartree-Fock orbitals from 0; empty for all."""
    occupied = molecule.electrons // 2
    frontier = _frontier(task, occupied)
    space = next((found for words in _ELECTRONS if (found := task.account.find(words))), None)
    task.account.every(r"\baround the (?:HOMO-LUMO |Fermi )?gap\b|\b(?:nearest|next|closest) to the gap\b")
    if space:
        inside, orbitals = (integer(one) or 0 for one in space.groups() if one)
        if inside > molecule.electrons or (molecule.electrons - inside) % 2:
            return Unread(
                task.body.original(*space.span()), f"{molecule.electrons} electrons do not fit that active space."
            )
        core = (molecule.electrons - inside) // 2
        made = list(range(core, core + orbitals))
        if frontier is not None and sorted(frontier) != made:
            if len(frontier) == orbitals and sum(one < occupied for one in frontier) == inside // 2:
                return sorted(frontier)
            return Question(
                text=f"{inside} electrons in {orbitals} orbitals and the orbitals that are named do not fit. "
                "Which orbitals are active?"
            )
        if frontier is None:
            task.assumed.append(
                "The active orbitals are those around the gap, in the order of their Hartree-Fock energies."
            )
        return made
    if frontier is not None:
        return sorted(frontier)
    if task.account.every(_ALL):
        return []
    frozen = task.account.find(_FROZEN)
    if not frozen:
        if re.search(r"\b(?:frozen|freez\w+|active (?:space|orbitals?|electrons?))\b", task.text, re.I):
            return Question(text=f"Which orbitals of {molecule.name} are active, or which are frozen?")
        return []
    if not basis.startswith("sto"):
        return Unread(task.body.original(*frozen.span()), "The orbitals above a frozen core are known for STO-nG only.")
    core = sum(PROTONS[one] > 2 for one in molecule.symbols)
    return list(range(core, sum(_MINIMAL[one] for one in molecule.symbols)))


def _frontier(task: Framed, occupied: int) -> list[int] | None:
    """Orbitals that are named from the gap, such as HOMO-1 to LUMO+1; None where there are fewer than two."""
    if match := _HIGHEST.search(task.text):
        task.account.use(*match.span())
        below, above = (integer(one) or 0 for one in match.groups() if one)
        return list(range(occupied - below, occupied + above))
    found: list[int] = []
    opened = False
    for match in _FRONTIER.finditer(task.text):
        task.account.use(*match.span())
        step = int((match["step"] or "0").replace(" ", ""))
        place = (occupied - 1 if match["kind"].upper() == "HOMO" else occupied) + step
        found += range(found[-1] + 1, place + 1) if opened else [place]
        opened = match["to"] is not None
    kept = sorted(set(found))
    return kept if len(kept) > 1 and kept[0] >= 0 else None
