"""Hamiltonians in words: their elements, a drive, an exchange, an atom in a cavity, or none at all."""

from __future__ import annotations

import re
from collections.abc import Mapping

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.operators import Factor, Term
from labwright.agents.tool_forging.readers.language.units import angular, unit_at
from labwright.agents.tool_forging.readers.open_system.excited import excited_is_one
from labwright.agents.tool_forging.readers.open_system.operators import NoSuchOperator, System, operator
from labwright.agents.tool_forging.readers.open_system.subsystems import (
    Generator,
    fock_states,
    has_oscillator,
    level_names,
    listed_levels,
    system_of,
    told_sites,
)
from labwright.agents.tool_forging.readers.open_system.told_levels import level_names as level_names_told
from labwright.agents.tool_forging.readers.open_system.told_levels import told_generator
from labwright.tools.forge.families.open_system.spec import Operator

_BETWEEN = re.compile(
    r"(?P<number>[-+]?\d*\.?\d+)\s*(?P<unit>[A-Za-z/^0-9-]*(?:\s+per\s+\w+)?)\s+(?:that\s+)?(?:stands?\s+|"
    r"couples?\s+)?(?:between|connecting|linking)\s+(?:the\s+)?(?:levels?\s+|"
    r"states?\s+)?\|?(?P<a>[a-z0-9])>?\s+and\s+\|?(?P<b>[a-z0-9])>?(?!\w)"
)
_ENERGY_OF = re.compile(
    r"(?:energy|energies|shift|offset) of (?:level\s+|state\s+)?\|?(?P<a>[a-z0-9])>?\s+(?:is|=|"
    r"of)\s+(?P<number>[-+]?\d*\.?\d+)"
)


def _elements(body: Body, time_unit: str) -> Generator | None:
    """A Hamiltonian by its elements in words: ``a coupling of 2 MHz between r and s``; zeros elsewhere."""
    if not re.search(r"\b(?:element|coupling|couples?|Hamiltonian)\b", body.text):
        return None
    found = [
        match
        for match in _BETWEEN.finditer(body.text)
        if not re.search(r"\b(?:rate|decay\w*|emission|time)\W+(?:\w+\W+){0,2}$", body.text[: match.start()])
    ]
    if not found:
        return None
    named = list(dict.fromkeys(name for match in found for name in (match["a"], match["b"])))
    said = count(body.plain, r"levels?")
    levels = listed_levels(body, max(len(named), said[0] if said else 0))
    if not set(named) <= set(levels):
        return None
    rows = [[0.0] * len(levels) for _ in levels]
    for match in found:
        unit, _ = unit_at(body.text, match.end("number"))
        value = angular(float(match["number"]), unit, time_unit) if unit and time_unit else float(match["number"])
        a, b = levels.index(match["a"]), levels.index(match["b"])
        rows[a][b] = rows[b][a] = value
    for match in _ENERGY_OF.finditer(body.text):
        if match["a"] in levels:
            unit, _ = unit_at(body.text, match.end("number"))
            value = float(match["number"])
            rows[levels.index(match["a"])][levels.index(match["a"])] = (
                angular(value, unit, time_unit) if unit and time_unit else value
            )
    entries = [[[cell, 0.0] for cell in row] for row in rows]
    return Generator(
        System([len(levels)], levels),
        Operator(matrix=entries),
        (),
        ("The Hamiltonian has the elements that are named, and zeros elsewhere.",),
    )


_NO_HAMILTONIAN = re.compile(
    r"\b[Nn]o (?:own |internal |coherent |free )?(?:Hamiltonian|coherent (?:drive|driving|evolution|dynamics|part)|"
    r"unitary part)\b|\bH\s*(?:\(t\))?\s*[:=]\s*(?:0(?!\.?\d)|zero\b|none\b)|"
    r"[Hh]amiltonian\s*(?:itself|part)?\s*(?:is|being|equals|=|:|may be|can be|may|can)?\s*"
    r"(?:set to|put to|taken (?:as|to be)|identically)?\s*(?:zero\b|0(?!\.?\d)|none\b|nil\b|absent\b|vanishing\b)|"
    r"[Hh]amiltonian vanishes|[Ww]ithout (?:any |a )?Hamiltonian\b|\bnot have (?:any|a) Hamiltonian\b|"
    r"\bhave no (?:energy|Hamiltonian)\b|\bhas no (?:energy|Hamiltonian)\b|"
    r"\bdo(?:es)? not interact\b|\b(?:not|un)[- ]?coupled\b"
)


def _oscillator_alone(body: Body) -> Generator | None:
    """A cavity without a Hamiltonian in its frame, and nothing else; None for others."""
    if not has_oscillator(body.text) or re.search(r"\b(?:atoms?|qubits?|spins?|emitters?)\b", body.text):
        return None
    if not re.search(
        rf"{_NO_HAMILTONIAN.pattern}|\brotating frame\b|interaction picture|\b[Ff]rame rotating with", body.text
    ):
        return None
    said = fock_states(body)
    size = said or 12
    system = System([size], [str(k) for k in range(size)], oscillators=[0])
    told = ["The oscillator is followed in the frame that rotates with it, H = 0."]
    told += [] if said else [f"The task does not truncate the oscillator; {size} Fock states are kept."]
    return Generator(system, Operator(), (), tuple(told))


def _bare_levels(body: Body) -> Generator | None:
    """A system of more than two levels without a Hamiltonian; None for others."""
    if not _NO_HAMILTONIAN.search(body.text):
        return None
    named = level_names_told(body.text).names
    if len(named) > 2:
        many = len(named)
        zeros = [[[0.0, 0.0]] * many] * many
        return Generator(System([many], list(named)), Operator(matrix=zeros), (), ("There is no Hamiltonian.",))
    said = count(body.plain, r"levels?")
    size = 3 if re.search(r"\bqutrit\b|\bthree-level\b", body.text) else said[0] if said else 0
    if size < 3:
        return None
    told = "There is no Hamiltonian: only jumps change the state."
    zeros = [[[0.0, 0.0]] * size] * size
    return Generator(System([size], listed_levels(body, size)), Operator(matrix=zeros), (), (told,))


_ASKED = Question(
    text=(
        "What is the Hamiltonian? Please write it as an expression such as H = 0.5 Z + 0.2 X, with the values of its "
        "symbols."
    )
)


def described(body: Body, names: Mapping[str, float], time_unit: str) -> Generator | Question | Unread | None:
    """A Hamiltonian in words: a resonant or detuned drive, an exchange, or none at all (free decay)."""
    told = (
        told_generator(body, names, time_unit)
        or _elements(body, time_unit)
        or _oscillator_alone(body)
        or _bare_levels(body)
    )
    if told is not None:
        return told
    if re.search(r"Jaynes", body.text):
        return _jaynes_cummings(body, names)
    if len(level_names_told(body.text).names) > 2:
        return _ASKED  # levels of one body, and none of the cases below
    system, said = _qubits(body)
    for case in (_driven, _exchange, _splitting, _detuned, _free):
        made = case(body.text, names, system)
        if made is not None:
            return Generator(system, made[0], (), (*said, made[1]))
    return _ASKED if re.search(r"\bH\b|Hamiltonian|Rabi|exchange|coupl", body.text) else None


_Made = tuple[Operator, str] | None  # the Hamiltonian, and what was settled about it


def _qubits(body: Body) -> tuple[System, tuple[str, ...]]:
    """The qubits that the text speaks of, at least one."""
    text = re.sub(r"\b([Tt]wo|[Tt]hree|[Ff]our|2|3|4)-level\b", "simple", body.text)  # "a two-level atom" is one
    said = count(text, r"qubits?|spins?|(?:simple|quantum) systems?|atoms?|ions?|emitters?|transmons?|dots?")
    flipped = excited_is_one(body.text)
    size = said[0] if said else 2 if re.search(r"\bpair of\b", text) else 1
    system = System([2] * size, [], flipped=flipped, sites=told_sites(body.text, size))
    system.levels = level_names(system)
    told = "|1> is the excited level and sigma minus takes it to |0>; QuTiP's own sigmam() would do the opposite."
    return system, (told,) if flipped else ()


def _first(names: Mapping[str, float], *keys: str) -> float | None:
    return next((names[name] for name in keys if name in names), None)


def _driven(text: str, names: Mapping[str, float], system: System) -> _Made:
    """A qubit under a drive, by Rabi frequency and detuning."""
    rabi = _first(names, "Omega", "OmegaR", "OmegaRabi", "rabi")
    if rabi is None or len(system.dims) != 1 or not re.search(r"\bRabi\b|\bdriv\w+", text):
        return None
    detuning = _first(names, "Delta", "delta", "detuning") or 0.0
    terms = [Term(rabi / 2, (Factor("X"),)), Term(detuning / 2, (Factor("Z"),))]
    told = (
        "In the rotating frame H = (Delta/2) Z + (Omega/2) X with Rabi frequency Omega and detuning "
        "Delta; the sign of Delta does not matter for populations."
    )
    return operator([one for one in terms if one.coefficient], system), told


def _exchange(text: str, names: Mapping[str, float], system: System) -> _Made:
    """Two qubits that exchange an excitation."""
    strength = _first(names, "g") or _first(names, "J")
    spoken = re.search(r"exchange|flip-flop|\bXY\b|excitation (?:exchange|hopping)", text)
    if len(system.dims) != 2 or not strength or not spoken:
        return None
    pair = [Term(strength, (Factor("P", 0), Factor("M", 1)), 2), Term(strength, (Factor("M", 0), Factor("P", 1)), 2)]
    told = "Exchange with strength g is g (sigma+ sigma- + sigma- sigma+), so an excitation crosses over in pi / (2 g)."
    return operator(pair, system), told


def _splitting(text: str, names: Mapping[str, float], system: System) -> _Made:
    """A qubit that precesses with its own frequency."""
    omega = _first(names, "omega", "omega0", "omegaq")
    spoken = re.search(r"precess|Larmor|free evolution|transition frequency|splitting|Ramsey", text)
    if len(system.dims) != 1 or omega is None or not spoken:
        return None
    return operator([Term(omega / 2, (Factor("Z"),))], system), "The qubit's own Hamiltonian is (omega/2) Z."


def _detuned(text: str, names: Mapping[str, float], system: System) -> _Made:
    """A qubit that precesses with its detuning in the rotating frame."""
    offset = _first(names, "Delta", "delta", "detuning")
    if len(system.dims) != 1 or offset is None or not re.search(r"Ramsey|free evolution|detun", text):
        return None
    told = "In the rotating frame the qubit precesses with its detuning, H = (Delta/2) Z."
    return operator([Term(offset / 2, (Factor("Z"),))], system), told


_FREE = re.compile(
    rf"{_NO_HAMILTONIAN.pattern}|without (?:a )?(?:drive|Hamiltonian)|free(?:ly)? decay|in the rotating frame|"
    r"\b[Nn]o (?:coherent )?(?:driv|laser|external field)"
)


def _free(text: str, names: Mapping[str, float], system: System) -> _Made:
    """Qubits that nothing but their surroundings acts on."""
    if len(system.dims) > 4 or not _FREE.search(text):
        return None
    told = "Without a Hamiltonian of its own the system is followed in the frame that rotates with it, H = 0."
    return Operator(), told


_BODIES = r"(?:the\s+)?(?:{0})(?:'s)?(?:\s+frequency)?\s*(?:minus|-)\s*(?:the\s+)?(?:{1})\b"
_REVERSED = re.compile(
    _BODIES.format("cavity|resonator|mode|field|oscillator", "qubit|atom|transmon|emitter|spin")
    + r"|\bDelta\s*=\s*omega_\{?(?:c|r|cav)\}?\s*-\s*omega_\{?(?:q|a|0|eg)\}?"
)


def _jaynes_cummings(body: Body, names: Mapping[str, float]) -> Generator | Question | Unread:
    coupling = names.get("g")
    if coupling is None:
        return Question(text="What is the coupling g of the Jaynes-Cummings Hamiltonian?")
    cavity = next((names[name] for name in ("omegac", "omegar", "omega", "nu") if name in names), None)
    atom = next((names[name] for name in ("omegaq", "omegaa", "omega0", "omegaeg", "omega") if name in names), None)
    said = ["Jaynes-Cummings: H = omega_c a^dag a + (omega_q/2) Z + g (a^dag sigma- + a sigma+), Z = +1 excited."]
    if cavity is None and atom is None:
        cavity = atom = 0.0
        detuning = names.get("Delta")
        if detuning is not None and _REVERSED.search(body.text):
            detuning = -detuning
        atom = detuning if detuning is not None else 0.0
        said.append(
            "No frequencies are given; the frame rotates with the cavity"
            + (", Delta = omega_q - omega_c." if detuning is not None else ", on resonance.")
        )
    if cavity is not None and atom is not None and re.search(r"\brotat\w+", body.text):
        cavity, atom = 0.0, atom - cavity
        said.append("The frame rotates with the cavity, so that only the difference of the frequencies is left.")
    cavity, atom = (cavity if cavity is not None else atom), (atom if atom is not None else cavity)
    terms = [
        Term(complex(cavity or 0.0), (Factor("n"),)),
        Term(complex(atom or 0.0) / 2, (Factor("Z"),)),
        Term(coupling, (Factor("adag"), Factor("M"))),
        Term(coupling, (Factor("a"), Factor("P"))),
    ]
    system, assumed = system_of(body, terms)
    if isinstance(system, Unread):
        return system
    if system.flipped:
        terms[1] = Term(-terms[1].coefficient, terms[1].factors)
    try:
        made = operator([one for one in terms if one.coefficient], system)
    except NoSuchOperator as wrong:
        return Question(text=f"The Jaynes-Cummings system is not clear: {wrong}.")
    return Generator(system, made, (), (*said, *assumed))
