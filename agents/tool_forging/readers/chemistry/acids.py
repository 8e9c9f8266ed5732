"""Acids with their conjugate bases, and what calibrates or gives the free energy of the proton."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.chemistry.electrons import Found, species_of
from labwright.agents.tool_forging.readers.chemistry.hydrides import HYDRIDE
from labwright.agents.tool_forging.readers.chemistry.names import named_matches
from labwright.agents.tool_forging.readers.chemistry.page import Page, ask
from labwright.tools.forge.families.chemistry.smiles import acidic_sites, deprotonated, parse_smiles
from labwright.tools.forge.families.chemistry.spec import Acid


def acids(page: Page, found: Found) -> tuple[list[Acid], float | None]:
    """Acids with their conjugate bases, and the proton's free energy if the text gives or needs one."""
    if not page.says(r"\bpK_?\{?a\b"):
        return [], None
    for ion in ("proton", "H+", HYDRIDE):
        found.species.pop(ion, None)
    known = _known(page, found)
    names = [name for name, one in found.species.items() if one.charge >= 0 and not name.endswith(" anion")]
    targets = [name for name in names if name not in known]
    if not targets:
        raise ask("The pKa of which acid is wanted? Give its name or SMILES.", *list(known)[:3])
    made = [_acid(page, found, name, known.get(name)) for name in [*targets, *known]]
    if known:
        return made, None
    given = _proton(page)
    if given is not None:
        return made, given
    page.assume(
        "The free energy of the solvated proton is not given: -265.9 kcal/mol is taken, the measured "
        "solvation free energy "
        "(Tissandier et al. 1998). With the free energy of the gaseous proton (-6.28 kcal/mol) and the "
        "change of standard "
        "state (+1.89) it is -270.3 kcal/mol, which would lower every pKa by 3.2 units."
    )
    return made, -265.9


def _proton(page: Page) -> float | None:
    """The free energy of the solvated proton (kcal/mol) that a sentence about it gives.

    Raises:
        Stuck: there are several, or it is in a unit that is not known.
    """
    values: dict[float, str] = {}
    for sentence in re.finditer(r"(?:[^.\n;]|\.(?=\d))+", page.body):
        if not re.search(r"proton\b|H\^?\{?\+", sentence[0]):
            continue
        for match in re.finditer(r"(-?\s*\d+(?:\.\d+)?)\s*(kcal|kJ|eV|hartree|Eh)\b", sentence[0]):
            unit = {"kcal": 1.0, "kj": 1 / 4.184, "ev": 23.0605478, "hartree": 627.5094741, "eh": 627.5094741}[
                match[2].lower()
            ]
            values[float(match[1].replace(" ", "")) * unit] = match[0]
            page.spans.append(sentence.span())
    if len(values) > 1:
        raise ask("Which free energy of the solvated proton is meant?", *values.values())
    return next(iter(values), None)


def _known(page: Page, found: Found) -> dict[str, float]:
    values: dict[str, float] = {}
    for match in named_matches(page.body):
        behind = page.body[match.end() : match.end() + 60].split("\n")[0]
        value = re.match(
            r"\s*[;,:(]*\s*(?:has (?:a |an )?|with (?:a |an )?)?(?:known |experimental |measured "
            r")?pK_?\{?a\}?\s*(?:=|of|is|:|value of)?\s*(-?\d+(?:\.\d+)?)",
            behind,
            re.I,
        )
        value = value or re.match(r"\s*(?:\([^)]*\)\s*)?(?:is|=|:)\s*(-?\d+\.\d+)\b", behind)
        if value:
            name = match[0].lower()
            values[name] = float(value[1])
            page.spans.append((match.start(), match.end() + value.end()))
    return {name: value for name, value in values.items() if name in found.species}


def _acid(page: Page, found: Found, name: str, pka: float | None) -> Acid:
    one = found.species[name]
    base = f"{name} anion" if one.charge == 0 else f"{name} deprotonated"
    if base not in found.species:
        parsed = parse_smiles(one.smiles) if one.smiles else None
        sites = acidic_sites(parsed) if parsed else []
        if parsed is None or not sites or (len(sites[0][1]) > 1 and not _equivalent(parsed, sites[0][1])):
            raise ask(f"Which proton does {name} lose? Give the SMILES of its conjugate base as `{base}: SMILES`.")
        kind, places = sites[0]
        smiles = deprotonated(parsed, places[0])
        found.add(species_of(base, smiles))
        if len(sites) > 1:
            page.assume(
                f"{name} has several acidic groups: the {kind} loses its proton ({smiles}), as the most acidic kind."
            )
    return Acid(acid=name, base=base, pka=pka)


def _equivalent(parsed: object, places: list[int]) -> bool:
    atoms = parsed.atoms  # type: ignore[attr-defined]
    kinds = {
        tuple(sorted((atoms[k].symbol, atoms[k].hydrogens, len(atoms[k].bonds)) for k in atoms[place].bonds))
        for place in places
    }
    return len(kinds) == 1
