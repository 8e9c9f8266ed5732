"""The Hamiltonian of a task and the system that it acts on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.matrices import Matrix, matrices
from labwright.agents.tool_forging.readers.language.operators import (
    Expression,
    Factor,
    Term,
    UnknownSymbol,
    expression_at,
)
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.units import angular, unit_at
from labwright.agents.tool_forging.readers.open_system.operators import (
    NoSuchOperator,
    System,
    hermitian,
    operator,
    site_names,
    split_drives,
)
from labwright.tools.forge.families.open_system.spec import Drive, Operator

_DEFINED = re.compile(
    r"(?<![A-Za-z|])(?P<name>H(?:_\{?\w+\}?|\d)?|H_?(?:drift|drive|int|JC|sys|rot|"
    r"eff))\s*(?:\(t\))?\s*(?:/\s*hbar\s*)?=\s*(?:hbar\s*\*?\s*)?"
)
_SPOKEN = re.compile(
    r"\bHamiltonian\s*(?:is|of|:|given by)?\s*(?:the\s+)?:?\s*(?=[-+(]?\s*[\dA-Za-z(]*\s*[-+*/(]?\s*(?:[A-Za-"
    r"z0-9_/() .*]*?)\b(?:[XYZ]\b|sigma))"
)
_DEFAULT_FOCK = 12


@dataclass(frozen=True, slots=True)
class Generator:
    """Hamiltonian and system."""

    system: System
    hamiltonian: Operator
    drives: tuple[Drive, ...] = ()
    assumed: tuple[str, ...] = ()


def generator(body: Body, names: Mapping[str, float], time_unit: str) -> Generator | Question | Unread | None:
    """What the task evolves under; None where it gives no Hamiltonian and describes none."""
    text = body.text
    found = [one for one in matrices(body.plain) if len(one.rows) == len(one.rows[0])]
    matrix = next((one for one in found if one.name.startswith("H")), None)
    if matrix is None and len(found) == 1 and not re.search(r"rho|density matrix", text[: found[0].start][-40:]):
        matrix = found[0] if not re.match(r"(?:C|L|rho)", found[0].name) else None
    if matrix is not None:
        return _from_matrix(body, matrix, time_unit)
    expressions = _expressions(body, names, time_unit)
    if expressions:
        return _from_terms(body, names, expressions)
    return _described(body, names, time_unit)


def _from_matrix(body: Body, matrix: Matrix, time_unit: str) -> Generator | Question:
    size = len(matrix.rows)
    rows = matrix.rows
    if any(abs(rows[i][j] - rows[j][i].conjugate()) > 1e-9 for i in range(size) for j in range(size)):
        return Question(
            text=f"The matrix {matrix.name or 'of the Hamiltonian'} is not Hermitian. Which entry is meant otherwise?"
        )
    unit, _ = unit_at(body.text, matrix.end)
    scale = angular(1.0, unit, time_unit) if unit and time_unit else 1.0
    entries = [[[cell.real * scale, cell.imag * scale] for cell in row] for row in rows]
    system = System([size], _level_names(body, size))
    return Generator(system, Operator(matrix=entries))


def _expressions(body: Body, names: Mapping[str, float], time_unit: str) -> list[Expression]:
    """The definitions of the Hamiltonian; where one is the sum of others, those."""
    text, oscillator = body.text, has_oscillator(body.text)
    found: dict[str, Expression] = {}
    for match in _DEFINED.finditer(text):
        if re.match(r"\s*H(?:_\w+|\d)?\s*(?:\(t\))?\s*\+", text[match.end() :]):
            continue  # H = H_0 + H_1, both defined elsewhere
        made = expression_at(text, match.end(), names, oscillator, time_unit)
        if made and any(one.factors for one in made.terms):
            found.setdefault(key(match["name"]), made)
    if "H" in found:
        return [found["H"]]
    if found:
        return list(found.values())
    for match in re.finditer(r"\bHamiltonian\b[^.;\n]{0,40}?(?:is|:|of|by|Hamiltonian)\s+", text):
        made = expression_at(text, match.end(), names, oscillator, time_unit)
        if made and any(one.factors for one in made.terms):
            return [made]
    for match in re.finditer(
        r"\b(?:interaction|coupling|exchange|term|drive)\s*(?:Hamiltonian)?\s*(?:,|:|of the form|term|given by|is)\s*(?=[-+\d(A-Za-z])",
        text,
    ):
        try:
            made = expression_at(text, match.end(), names, oscillator, time_unit)
        except UnknownSymbol:
            continue
        if made and any(len(one.factors) > 1 for one in made.terms):
            return [made]
    return []


def has_oscillator(text: str) -> bool:
    """Whether ``a`` is a ladder operator in this text."""
    return bool(
        re.search(
            (
                r"\ba\s*\^\s*\{?dag|a\.dag\(\)|\badag\b|\bannihilat\w+|\bcavity\b|\bresonator\b|\boscillator\b|"
                r"\bdestroy\(|\bJaynes\b"
            ),
            text,
        )
    )


def _from_terms(body: Body, names: Mapping[str, float], expressions: list[Expression]) -> Generator | Question | Unread:
    terms = [term for one in expressions for term in one.terms]
    whole = Expression(tuple(terms), expressions[0].start, expressions[-1].end)
    system, assumed = system_of(body, terms)
    if isinstance(system, Unread):
        return system
    if not hermitian([term for term in terms if not any(f.op.startswith("|") for f in term.factors)], system):
        return Question(text="The Hamiltonian of the task is not Hermitian. Is a conjugate missing?")
    constant, drives = split_drives(whole, system)
    return Generator(system, constant, tuple(drives), tuple(assumed))


def system_of(body: Body, terms: list[Term]) -> tuple[System, list[str]] | tuple[Unread, list[str]]:
    """Subsystems by the operators that occur: qubits, an oscillator, or levels."""
    text, assumed = body.text, list[str]()
    factors = [factor for term in terms for factor in term.factors]
    kets = [factor for factor in factors if factor.op.startswith("|")]
    ladder = any(factor.op in ("a", "adag", "n") for factor in factors)
    spins = [factor for factor in factors if not factor.op.startswith("|") and factor.op not in ("a", "adag", "n", "I")]
    if kets and not spins and not ladder:
        levels = _ket_levels(body, kets)
        return System([len(levels)], levels, flipped=False), assumed
    width = max([term.width for term in terms], default=0)
    said = count(body.plain, r"qubits?|spins?|two-level (?:systems?|atoms?)|atoms?|sites?")
    subscripts = {
        str(factor.site) for factor in spins if isinstance(factor.site, str) and not re.match(r"[ijk]", factor.site)
    }
    n = width or len(subscripts) or 0
    # a subscript that counts one qubit, and "single qubit", say the same
    n = max(
        n,
        said[0]
        if said and (said[0] > 1 or not n) and said[0] < 9 and any(isinstance(f.site, str) for f in spins)
        else 0,
    )
    n = n or (1 if spins else 0)
    if n > 8:
        return Unread(f"{n} qubits", "The family of open systems keeps whole matrices; at most 8 qubits fit."), assumed
    dims = [2] * n
    oscillators = []
    if ladder:
        cut = _fock(body)
        if cut is None:
            cut = _DEFAULT_FOCK
            assumed.append(
                f"The task does not truncate the oscillator; {cut} Fock states are kept, enough while it "
                f"holds few quanta."
            )
        first = bool(
            re.search(r"tensor\(\s*(?:destroy|a\b)|cavity (?:first|\(x\)|@)|\|n,\s*[eg]>|\|0,\s*[eg]>", text)
        ) and bool(n)
        oscillators = [0 if first else n]
        dims.insert(oscillators[0], cut)
    flipped = excited_is_one(body)
    if flipped:
        assumed.append(
            "|1> is the excited level and sigma minus takes it to |0>; QuTiP's own sigmam() would do the opposite."
        )
    system = System(dims, [], flipped=flipped, oscillators=oscillators)
    system.sites = {name: system.qubits[k] for name, k in site_names(terms, n).items()}
    system.levels = level_names(system)
    return system, assumed


def level_names(system: System) -> list[str]:
    """Names of the basis states: indices of the subsystems, joined."""
    names = [""]
    for size in system.dims:
        names = [
            name + (str(k) if max(system.dims) < 10 else f"{',' if name else ''}{k}")
            for name in names
            for k in range(size)
        ]
    return names


def excited_is_one(body: Body) -> bool:
    """Whether the text takes |1> for the excited level (its Z is -1 then), against QuTiP's convention."""
    text = body.text
    if re.search(
        (
            r"excited(?: state)?\s*\(?\s*\|\s*1\s*>|\|1>\s*(?:is|,|\(|=)?\s*(?:the\s+)?excited|ground(?: "
            r"state)?\s*\(?\s*\|\s*0\s*>|\|0>\s*(?:is|,|\(|=)?\s*(?:the\s+)?ground|"
            r"sigma_?-?m?(?:inus)?\s*=\s*\|0><1\||\|0><1\|"
        ),
        text,
    ):
        return True
    if re.search(
        r"sigmam\(\)|sigmap\(\)|spin[- ](?:up|down)\b|\|(?:up|down)>|excited(?: state)?\s*\(?\s*\|\s*0\s*>|\|1><0\|",
        text,
    ):
        return False
    # T1 in words with kets of bits: in the language of quantum information |1> relaxes to |0>
    starts_in_one = re.search(r"\|[01]*1[01]*>", text)
    return bool(re.search(r"\bT_?1\b|relax", text) and starts_in_one and not re.search(r"sigma_?\{?-|sigma\^-", text))


def _fock(body: Body) -> int | None:
    for pattern in (
        r"(?:truncat\w+|cut ?off|keep\w*|dimension)\D{0,40}?(\d+)",
        r"(\d+)\s*(?:Fock|photon|number)[- ](?:states|levels)",
        r"\bdestroy\((\d+)\)",
        r"\bN\s*=\s*(\d+)",
    ):
        found = re.search(pattern, body.text, re.I if "runcat" in pattern else 0)
        if found and 2 <= int(found[1]) <= 60:
            return int(found[1])
    said = count(body.plain, r"Fock states|Fock levels|levels")
    return said[0] if said and said[0] > 2 else None


def _ket_levels(body: Body, kets: list[Factor]) -> list[str]:
    names = list(dict.fromkeys(name for one in kets for name in one.op[1:].rstrip("|").split("><")))
    size = count(body.plain, r"levels?(?! atom)|level")
    listed = _level_names(body, max(len(names), size[0] if size else 0))
    if set(names) <= set(listed):
        return listed
    return sorted(names) if all(name.isdigit() for name in names) else names


def _level_names(body: Body, size: int) -> list[str]:
    """Names that the text lists for its levels, else the indices from 0."""
    listed = re.search(
        (
            r"(?:levels?|states?|basis)\s*(?:the\s+)?(?:(?:are\s+)?(?:labelled|labeled|named|denoted|called|numbered)(?:\s+(?:by|as))?|are|:|=|order|in the "
            r"order)?\s*[({]?\s*((?:\|?\b[a-z0-9]\b>?(?:\s*\([^)]*\))?(?:\s*,\s*(?:and\s+)?|"
            r"\s+and\s+))+\|?[a-z0-9]\b>?)"
        ),
        body.text,
    )
    if listed:
        names = re.findall(r"(?<![a-z])\|?([a-z0-9])\b>?", re.sub(r"\band\b|\([^)]*\)", ",", listed[1]))
        if len(names) == size and len(set(names)) == size:
            return names
    return [str(k) for k in range(size)]


_BETWEEN = re.compile(
    r"(?P<number>[-+]?\d*\.?\d+)\s*(?P<unit>[A-Za-z/^0-9-]*(?:\s+per\s+\w+)?)\s+(?:that\s+)?(?:stands?\s+|couples?\s+)?(?:between|connecting|linking)\s+(?:the\s+)?(?:levels?\s+|states?\s+)?\|?(?P<a>[a-z0-9])>?\s+and\s+\|?(?P<b>[a-z0-9])>?(?!\w)"
)
_ENERGY_OF = re.compile(
    r"(?:energy|energies|shift|offset) of (?:level\s+|state\s+)?\|?(?P<a>[a-z0-9])>?\s+(?:is|=|of)\s+(?P<number>[-+]?\d*\.?\d+)"
)


def _elements(body: Body, time_unit: str) -> Generator | None:
    """A Hamiltonian by its elements in words: ``has the element 0.6 rad/us between a and e and vanishes otherwise``."""
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
    levels = _level_names(body, max(len(named), said[0] if said else 0))
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


def _described(body: Body, names: Mapping[str, float], time_unit: str) -> Generator | Question | Unread | None:
    """A Hamiltonian in words: a resonant or detuned drive, an exchange, or none at all (free decay)."""
    elements = _elements(body, time_unit)
    if elements is not None:
        return elements
    text = body.text
    value = names.get
    qubits = count(body.plain, r"qubits?|spins?|two-level (?:systems?|atoms?)|atoms?")
    n = qubits[0] if qubits else 1
    flipped = excited_is_one(body)
    system = System([2] * n, [], flipped=flipped, sites={})
    system.levels = level_names(system)
    said = (
        ["|1> is the excited level and sigma minus takes it to |0>; QuTiP's own sigmam() would do the opposite."]
        if flipped
        else []
    )
    if re.search(r"Jaynes", text):
        return _jaynes_cummings(body, names)
    rabi = next((names[name] for name in ("Omega", "OmegaR", "OmegaRabi", "rabi") if name in names), None)
    if re.search(r"\bRabi\b|\bdriv\w+", text) and rabi is not None and n == 1:
        detuning = next((names[name] for name in ("Delta", "delta", "detuning") if name in names), 0.0)
        terms = [Term(rabi / 2, (Factor("X"),)), Term(detuning / 2, (Factor("Z"),))]
        said.append(
            "In the rotating frame H = (Delta/2) Z + (Omega/2) X with Rabi frequency Omega and detuning "
            "Delta; the sign of Delta does not matter for populations."
        )
        return Generator(system, operator([one for one in terms if one.coefficient], system), (), tuple(said))
    if (
        n == 2
        and re.search(r"exchange|flip-flop|\bXY\b|excitation (?:exchange|hopping)", text)
        and (value("J") or value("g"))
    ):
        strength = value("g") or value("J") or 0.0
        pair = [
            Term(strength, (Factor("P", 0), Factor("M", 1)), 2),
            Term(strength, (Factor("M", 0), Factor("P", 1)), 2),
        ]
        said.append(
            "Exchange with strength g is g (sigma+ sigma- + sigma- sigma+), so an excitation crosses over in "
            "pi / (2 g)."
        )
        return Generator(system, operator(pair, system), (), tuple(said))
    omega = next((names[name] for name in ("omega", "omega0", "omegaq") if name in names), None)
    if (
        n == 1
        and omega is not None
        and re.search(r"precess|Larmor|free evolution|transition frequency|splitting|Ramsey", text)
    ):
        said.append("The qubit's own Hamiltonian is (omega/2) Z.")
        return Generator(system, operator([Term(omega / 2, (Factor("Z"),))], system), (), tuple(said))
    offset = next((names[name] for name in ("Delta", "delta", "detuning") if name in names), None)
    if n == 1 and offset is not None and re.search(r"Ramsey|free evolution|detun", text):
        said.append("In the rotating frame the qubit precesses with its detuning, H = (Delta/2) Z.")
        return Generator(system, operator([Term(offset / 2, (Factor("Z"),))], system), (), tuple(said))
    if (
        re.search(
            (
                r"no Hamiltonian|H\s*=\s*0|Hamiltonian (?:itself )?(?:is|being|equals|=) (?:zero|0)\b|Hamiltonian vanishes|without (?:a )?(?:drive|Hamiltonian)|free(?:ly)? decay|in the "
                r"rotating frame|no (?:coherent )?driv"
            ),
            text,
        )
        and n <= 4
    ):
        said.append("Without a Hamiltonian of its own the system is followed in the frame that rotates with it, H = 0.")
        return Generator(system, Operator(), (), tuple(said))
    if re.search(r"\bH\b|Hamiltonian|Rabi|exchange|coupl", text):
        return Question(
            text=(
                "What is the Hamiltonian? Please write it as an expression such as H = 0.5 Z + 0.2 X, with the "
                "values of its symbols."
            )
        )
    return None


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
        atom = detuning if detuning is not None else 0.0
        said.append(
            "No frequencies are given; the frame rotates with the cavity"
            + (", Delta = omega_q - omega_c." if detuning is not None else ", on resonance.")
        )
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
