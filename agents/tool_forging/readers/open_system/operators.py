"""From expressions of a text to operators of a system with known subsystems, levels and conventions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from labwright.agents.tool_forging.readers.language.operators import Expression, Factor, Term, adjoint
from labwright.tools.forge.families.open_system import spec as made

_SPIN = {"Sx": "X", "Sy": "Y", "Sz": "Z"}


class NoSuchOperator(Exception):
    """An operator of the text does not fit the system; the message says why."""


@dataclass
class System:
    """What operators act on.

    Attributes:
        dims: levels of each subsystem.
        levels: names of the basis states of the whole.
        sites: subscript -> subsystem.
        flipped: whether sigma minus lowers level 1 to level 0 (|1> is the excited level), unlike QuTiP's ``sigmam()``.
        qubits: subsystems that are qubits, in order.
        oscillators: subsystems that are oscillators, in order.
    """

    dims: list[int]
    levels: list[str]
    sites: dict[str, int] = field(default_factory=dict)
    flipped: bool = False

    @property
    def qubits(self) -> list[int]:
        return [k for k, size in enumerate(self.dims) if size == 2 and k not in self.oscillators]

    oscillators: list[int] = field(default_factory=list)


def operator(terms: Iterable[Term], system: System) -> made.Operator:
    """An operator; drives must have been split off."""
    return made.Operator(terms=[_term(one, system) for one in expanded(terms, system)])


def split_drives(expression: Expression, system: System) -> tuple[made.Operator, list[made.Drive]]:
    """The constant part and the parts that oscillate, those of one frequency and phase together."""
    constant = [one for one in expression.terms if one.drive is None]
    groups: dict[tuple[float, float], list[Term]] = {}
    for one in expression.terms:
        if one.drive is not None:
            groups.setdefault(one.drive, []).append(one)
    drives = [
        made.Drive(operator=operator(terms, system), frequency=frequency, phase=phase)
        for (frequency, phase), terms in groups.items()
    ]
    return operator(constant, system), drives


def expanded(terms: Iterable[Term], system: System) -> list[Term]:
    """Sums over sites written out."""
    result: list[Term] = []
    for term in terms:
        if term.summed is None:
            result.append(term)
            continue
        below = re.match(r"<?\s*([a-z])", term.summed)
        letter = below[1] if below else "i"
        qubits = system.qubits
        for start in range(len(qubits)):
            factors = [_shifted(one, letter, start) for one in term.factors]
            if all(isinstance(one.site, int) and one.site < len(qubits) for one in factors):
                placed = tuple(replace(one, site=qubits[one.site]) for one in factors if isinstance(one.site, int))
                result.append(replace(term, factors=placed, summed=None, width=len(system.dims)))
    return result


def _shifted(factor: Factor, letter: str, start: int) -> Factor:
    if factor.site is None:
        return replace(factor, site=start)
    found = re.fullmatch(rf"{letter}(?:([+-])(\d))?", str(factor.site))
    if not found:
        return factor
    return replace(factor, site=start + (int(f"{found[1]}{found[2]}") if found[1] else 0))


def _term(term: Term, system: System) -> made.Term:
    coefficient = complex(term.coefficient)
    factors = []
    for one in term.factors:
        if one.op == "I":
            continue
        op, scale = _op(one, system)
        coefficient *= scale
        factors.append(made.Factor(op=op, site=_site(one, system)))
    return made.Term(coefficient=[coefficient.real, coefficient.imag], factors=factors)


def _op(factor: Factor, system: System) -> tuple[str, float]:
    if factor.op in _SPIN:
        return _SPIN[factor.op], 0.5
    name = {"Sp": "P", "Sm": "M"}.get(factor.op, factor.op)
    if name in ("P", "M") and system.flipped:
        name = "M" if name == "P" else "P"
    if name.startswith("|"):
        ket, bra = name[1:].rstrip("|").split("><")
        return f"|{level(ket, factor, system)}><{level(bra, factor, system)}|", 1.0
    return name, 1.0


def level(name: str, factor: Factor, system: System) -> int:
    """The index of a level on the factor's subsystem."""
    site = _site(factor, system)
    if len(system.dims) == 1 and name in system.levels:
        return system.levels.index(name)
    if system.dims[site] == 2 and name in ("e", "g"):
        return int((name == "g") != system.flipped)
    if name.isdigit() and int(name) < system.dims[site]:
        return int(name)
    raise NoSuchOperator(f"level {name} is none of {', '.join(system.levels)}")


def _site(factor: Factor, system: System) -> int:
    ladder = factor.op in ("a", "adag", "n")
    own = system.oscillators if ladder else [k for k in range(len(system.dims)) if k not in system.oscillators]
    if isinstance(factor.site, int):
        if factor.site >= len(system.dims):
            raise NoSuchOperator(f"{factor.op} acts on subsystem {factor.site + 1} of {len(system.dims)}")
        return factor.site
    if factor.site is None:
        if len(own) != 1:
            raise NoSuchOperator(f"it is not said on which of the {len(own)} subsystems {factor.op} acts")
        return own[0]
    if factor.site in system.sites:
        return system.sites[factor.site]
    if len(own) == 1:
        return own[0]
    raise NoSuchOperator(f"the subscript {factor.site} names no subsystem")


def site_names(terms: Sequence[Term], n_qubits: int) -> dict[str, int]:
    """Subscripts -> qubits: numbers from 0 or from 1, letters in the order in which they come."""
    names = list(dict.fromkeys(str(f.site) for one in terms for f in one.factors if isinstance(f.site, str)))
    digits = sorted({int(name) for name in names if name.isdigit()})
    base = 0 if 0 in digits or not digits else 1
    found = {str(value): value - base for value in digits}
    letters = [
        name for name in names if not name.isdigit() and re.fullmatch(r"[A-Z]|[a-z]", name) and name not in "ijk"
    ]
    found |= {name: index for index, name in enumerate(sorted(letters))}
    return {name: index for name, index in found.items() if index < n_qubits}


def hermitian(terms: Sequence[Term], system: System) -> bool:
    """Whether a sum is its own adjoint, as far as its terms tell."""

    def table(some: Iterable[Term]) -> dict[str, complex]:
        total: dict[str, complex] = {}
        for one in expanded(some, system):
            name = str(sorted((str(f.site), f.op) for f in one.factors))
            total[name] = total.get(name, 0j) + one.coefficient
        return {name: value for name, value in total.items() if abs(value) > 1e-12}

    mine, other = table(terms), table([adjoint(one) for one in terms])
    return mine.keys() == other.keys() and all(abs(mine[name] - other[name]) < 1e-9 for name in mine)
