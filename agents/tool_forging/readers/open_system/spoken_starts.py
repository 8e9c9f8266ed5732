"""Initial states in words: ``in its excited state``, ``in f``, ``all spins up``, ``maximally mixed``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from labwright.agents.tool_forging.readers.open_system.operators import System
from labwright.agents.tool_forging.readers.open_system.states import QUBIT, SpokenState, aliases_of
from labwright.agents.tool_forging.readers.open_system.told_starts import photons

_Spans = list[tuple[int, int]]
_PLACES = {"first": 0, "left": 0, "donor": 0, "second": 1, "right": 1, "acceptor": 1}
_LEVEL = (
    r"\b(?:in|from|with)?\s*(?:(?:the|its|their|an?|all|both)\s+)*(?:qubits?\s+|atoms?\s+|"
    r"spins?\s+)?(?:in\s+)?(?:the\s+|its\s+)?{0}(?:[- ](?:states?|levels?))?\b"
    r"(?!\s+(?:to|until)\b)(?!['s]*\s*(?:populations?|probabilit|occupation|fraction))"
    r"(?![- ](?:states?|levels?)['s]*\s*(?:populations?|probabilit|occupation|fraction))"
)
_NAMED = re.compile(
    r"\b(?:in|from|at|on|localised on|localized on)\s+(?:the\s+)?(?:levels?|states?|"
    r"sites?)?\s*\|?([a-z0-9])>?(?=[\s.,;)]|$)"
)
_SINGLE = re.compile(
    r"\b(?:the|an|one|a single) (?:excitation|photon|quantum|exciton)\s+(?:is |starts |sits |begins "
    r")?(?:put |placed |injected |located )?(?:in|into|on|at)\s+(?:qubit |atom |site |spin "
    r")?(?P<name>[A-D]|\d|first|second|left|right|donor|acceptor)\b"
)


def spoken_states(text: str, system: System, used: _Spans) -> list[SpokenState]:
    """States told in words outside of the stretches in `used`, which grows by what is read."""
    made = [*_by_role(text, system, used), *_by_name(text, system, used)]
    single = _one_excitation(text, system)
    if single is not None:
        return [single]
    size = math.prod(system.dims)
    mixed = re.search(r"\b(?:maximally|completely|fully) mixed\b", text)
    if mixed:
        rows = tuple(tuple(complex(i == j) / size for j in range(size)) for i in range(size))
        made.append(SpokenState("mixed", ("mixed", "maximally mixed"), matrix=rows, start=mixed.start()))
    if system.oscillators and not made:
        made += with_photons(text, system)
    signed = re.search(r"(?<![\w<])(?:Z|sigma_?\{?z\}?)\s*=\s*(?P<sign>[+-]?)\s*1\b", text)
    if signed and not made and not used and system.dims == [2]:
        made.append(eigenstate("z", signed["sign"] or "+", signed.start()))
    return made


def _free(match: re.Match[str], used: _Spans) -> bool:
    return not any(a < match.end() and match.start() < b for a, b in used)


def _by_role(text: str, system: System, used: _Spans) -> Iterable[SpokenState]:
    """All qubits excited, in the ground state, up or down; or one of them excited and the others not."""
    if any(size != 2 for size in system.dims):
        return
    excited, ground = (1, 0) if system.flipped else (0, 1)
    roles = (("excited", excited), ("ground", ground), ("up", 0), ("down", 1), ("upper", excited), ("lower", ground))
    for word, bit in roles:
        for match in re.finditer(_LEVEL.format(word), text):
            inside = any(a <= match.start() < b for a, b in used)
            if inside or re.search(r"population", text[max(0, match.start() - 20) : match.start() + 4]):
                continue
            bits = [bit] * len(system.dims)
            only = re.search(r"(?:qubit|atom|spin|site)\s*(\w)\s+(?:is\s+)?(?:in\s+)?(?:its\s+|the\s+)?excited", text)
            if word == "excited" and len(bits) > 1 and only:
                bits = [ground] * len(bits)
                bits[system.sites.get(only[1], 0)] = excited
            yield _basis(word, bits, match.start())
            used.append(match.span())
            break


def _basis(name: str, bits: list[int], start: int) -> SpokenState:
    """A basis state of qubits."""
    psi = [0j] * 2 ** len(bits)
    psi[int("".join(map(str, bits)), 2)] = 1
    known = aliases_of(psi) if len(bits) == 1 else ()
    return SpokenState(name, (name, "".join(map(str, bits)), *known), tuple(psi), start=start)


def _by_name(text: str, system: System, used: _Spans) -> Iterable[SpokenState]:
    """A level of one body by its name."""
    for match in _NAMED.finditer(text):
        article = match[1] == "a" and not re.search(r"level|state|\|", match[0])
        if len(system.dims) != 1 or match[1] not in system.levels or article or not _free(match, used):
            continue
        psi = [0j] * system.dims[0]
        psi[system.levels.index(match[1])] = 1
        yield SpokenState(match[1], (match[1],), tuple(psi), start=match.start())
        used.append(match.span())


def _one_excitation(text: str, system: System) -> SpokenState | None:
    """One excitation that is put on a named qubit."""
    single = _SINGLE.search(text)
    if single is None or any(size != 2 for size in system.dims) or len(system.dims) < 2:
        return None
    place = _PLACES.get(single["name"], system.sites.get(single["name"]))
    if place is None:
        return None
    bits = [int((k == place) == system.flipped) for k in range(len(system.dims))]
    return _basis("excited", bits, single.start())


def eigenstate(axis: str, sign: str, start: int) -> SpokenState:
    """An eigenstate of X, Y or Z of one qubit."""
    wanted = f"{sign}{axis}"
    aliases, psi = next((names, amplitudes) for names, amplitudes in QUBIT if wanted in names)
    return SpokenState(aliases[0], aliases, tuple(map(complex, psi)), start=start)


def with_photons(text: str, system: System) -> list[SpokenState]:
    """An atom in a level and a cavity with a number of photons."""
    number = photons(text)
    atom = re.search(r"\b(?:(excited|upper)|ground|lower)\b|\|\s*(?:(e)|g)\s*>|\bin\s+(?:(?P<e>e)|g)\b", text)
    if number is None or (system.qubits and atom is None):
        return []
    up = bool(atom and (atom[1] or atom[2] or atom["e"]))
    cut = system.dims[system.oscillators[0]]
    if number >= cut:
        return []
    excited = 1 if system.flipped else 0
    bit = (excited if up else 1 - excited) if system.qubits else 0
    index = (
        number * 2 + bit
        if system.qubits and system.oscillators[0] == 0
        else (bit * cut + number if system.qubits else number)
    )
    psi = [0j] * math.prod(system.dims)
    psi[index] = 1
    name = f"{'e' if up else 'g'}{number}" if system.qubits else str(number)
    known = ("excited" if up else "ground",) if system.qubits else ()
    return [SpokenState(name, (name, *known), tuple(psi))]
