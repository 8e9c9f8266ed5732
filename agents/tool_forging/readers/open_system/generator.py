"""The Hamiltonian of a task and the system that it acts on."""

from __future__ import annotations

import re
from collections.abc import Mapping

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.matrices import Matrix, matrices
from labwright.agents.tool_forging.readers.language.operators import (
    Expression,
    UnknownSymbol,
    expression_at,
)
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.units import angular, unit_at
from labwright.agents.tool_forging.readers.open_system.described import described
from labwright.agents.tool_forging.readers.open_system.operators import (
    System,
    hermitian,
    split_drives,
)
from labwright.agents.tool_forging.readers.open_system.subsystems import (
    Generator,
    has_oscillator,
    listed_levels,
    system_of,
)
from labwright.agents.tool_forging.readers.open_system.told_levels import told_generator
from labwright.tools.forge.families.open_system.spec import Operator

_DEFINED = re.compile(
    r"(?<![A-Za-z|])(?P<name>H(?:_\{?\w+\}?|\d)?|H_?(?:drift|drive|int|JC|sys|rot|"
    r"eff))\s*(?:\(t\))?\s*(?:/\s*hbar\s*)?=\s*(?:hbar\s*\*?\s*)?"
)
_SPOKEN = re.compile(
    r"\bHamiltonian\s*(?:is|of|:|given by)?\s*(?:the\s+)?:?\s*(?=[-+(]?\s*[\dA-Za-z(]*\s*[-+*/(]?\s*(?:[A-Za-"
    r"z0-9_/() .*]*?)\b(?:[XYZ]\b|sigma))"
)


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
        told = told_generator(body, names, time_unit)
        pairs = {f.op for one in expressions for t in one.terms for f in t.factors if f.op.startswith("|")}
        if told is not None and pairs and _couplings(told) > len(pairs):
            return told  # the formula stands for the form of each coupling only
        return _from_terms(body, names, expressions)
    return described(body, names, time_unit)


def _couplings(made: Generator) -> int:
    """How many elements off the diagonal a Hamiltonian has."""
    rows = made.hamiltonian.matrix
    return sum(any(cell) for i, row in enumerate(rows) for j, cell in enumerate(row) if i != j)


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
    system = System([size], listed_levels(body, size))
    return Generator(system, Operator(matrix=entries))


def _expressions(body: Body, names: Mapping[str, float], time_unit: str) -> list[Expression]:
    """The definitions of the Hamiltonian; where one is the sum of others, those."""
    text, oscillator = body.text, has_oscillator(body.text)
    found: dict[str, Expression] = {}
    for match in _DEFINED.finditer(text):
        if re.match(r"\s*H(?:_\w+|\d)?\s*(?:\(t\))?\s*\+", text[match.end() :]):
            continue  # H = H_0 + H_1, both defined elsewhere
        if re.match(r"0(?!\.?\d)\s*(?:[.,;)\n]|$)", text[match.end() :]):
            continue  # there is none
        made = expression_at(text, match.end(), names, oscillator, time_unit)
        if made and any(one.factors for one in made.terms):
            found.setdefault(key(match["name"]), made)
    if "H" in found:
        return [found["H"]]
    if found:
        return list(found.values())
    for match in sorted([*_AT_ONCE.finditer(text), *_TOLD.finditer(text)], key=lambda one: one.start()):
        made = expression_at(text, match.end(), names, oscillator, time_unit)
        if made and any(one.factors for one in made.terms):
            return [made, *_modulated(text, names, oscillator, time_unit)]
    for match in re.finditer(
        (
            r"\b(?:interaction|coupling|exchange|term|drive)\s*(?:Hamiltonian)?\s*(?:,|:|of the form|term|given by|"
            r"is)\s*(?=[-+\d(A-Za-z])"
        ),
        text,
    ):
        try:
            made = expression_at(text, match.end(), names, oscillator, time_unit)
        except UnknownSymbol:
            continue
        if made and any(len(one.factors) > 1 for one in made.terms):
            return [made]
    return _parts(text, names, oscillator, time_unit)


_TOLD = re.compile(r"(?<![Nn]o )\bHamiltonian\b[^.;\n]{0,40}?(?:is|:|of|by|Hamiltonian)[ \t]*\n?[ \t]*(?!\n)")
_AT_ONCE = re.compile(
    r"\bHamiltonian\s+(?=[-+(]?\s*(?:[\d./]+\s*\*?\s*)?\(?(?:sigma|[XYZ]\b|[A-Za-z]\w*\s*\*?\s*(?:sigma_|[XYZ]\b)))"
)
_TIMES_OF = re.compile(
    r"\b(?:operator|term)\s+(?P<operator>[^.;\n]{2,40}?)\s+(?:is\s+|be\s+)?"
    r"(?:multiplied (?:by|with)|times|modulated (?:by|with|as))\s+(?P<factor>[^;\n]{3,50}?\([^()]*\))"
)


def _modulated(text: str, names: Mapping[str, float], oscillator: bool, time_unit: str) -> list[Expression]:
    """Parts told as an operator times a function: ``the operator sigma_x multiplied by 2 cos(3 t)``."""
    found = []
    for match in _TIMES_OF.finditer(text):
        told = f"({match['factor']}) * ({match['operator']})"
        made = expression_at(told, 0, names, oscillator, time_unit)
        if made and any(one.factors for one in made.terms):
            found.append(made)
    return found


_PART = re.compile(r"(?:^|\n)[ \t]*(?:[-*+][ \t]+)?(?P<label>[A-Za-z][\w ,()/-]{2,50}?)[ \t]*:[ \t]*(?=[-+(\dA-Za-z])")
_NO_PART = re.compile(
    r"collapse|jump|lindblad|decay|relax|dephas|damp|loss|noise|dissip|observ|record|wanted|want|outputs?|results?|"
    r"initial|start|prepar|measur|expectation|need|plot|figure|convention|basis|units?|target|time",
    re.I,
)


def _parts(text: str, names: Mapping[str, float], oscillator: bool, time_unit: str) -> list[Expression]:
    """A Hamiltonian whose parts stand behind labels of their own, line by line: ``tunnelling: 0.4 sigma_x``."""
    found = []
    for match in _PART.finditer(text):
        if _NO_PART.search(match["label"]) or re.match(r"H\b", text[match.end() :]):
            continue
        item = text[: match.end()] + re.split(r"\n\s*(?:[-*+]\s|\n)", text[match.end() :])[0]
        try:
            made = expression_at(item, match.end(), names, oscillator, time_unit)
        except UnknownSymbol:
            if re.search(r"sigma_|\b[XYZ]\b|\ba\^dag", item[match.end() :].split("\n")[0]):
                raise
            continue
        if made and any(one.factors for one in made.terms):
            found.append(made)
    return found


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
