"""Spin Hamiltonians of a text as patterns of Pauli matrices whose coefficients follow a swept parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.operators import Expression, Factor, UnknownSymbol, expression_at

_PAULI = {"X": ("X", 1.0), "Y": ("Y", 1.0), "Z": ("Z", 1.0), "Sx": ("X", 0.5), "Sy": ("Y", 0.5), "Sz": ("Z", 0.5)}
_LADDER = {"P": 1.0, "M": -1.0, "Sp": 1.0, "Sm": -1.0}
_PRODUCT = {("X", "Y"): ("Z", 1j), ("Y", "Z"): ("X", 1j), ("Z", "X"): ("Y", 1j)}
Key = tuple[str, tuple[int, ...]]  # letters with their offsets, sorted by offset


class NotASpinChain(Exception):
    """The expression holds something that is no Pauli string on sites i, i+1, ...

    Attributes:
        words: what it is.
    """

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True)
class Formula:
    """A translation-invariant sum.

    Attributes:
        terms: (letters, offsets) -> coefficient.
        spins: whether it was written with S = sigma/2.
        end: offset behind it in the text it was read from.
    """

    terms: Mapping[Key, float]
    spins: bool
    end: int


def formula_at(text: str, position: int, names: Mapping[str, float]) -> Formula | None:
    """The Hamiltonian that begins at `position`.

    Raises:
        UnknownSymbol: a symbol has no value.
        NotASpinChain: it is none of the sums that this reads.
    """
    found = expression_at(text, position, names)
    if found is None or not any(term.factors for term in found.terms):
        return None
    return Formula(_terms(found), any(f.op.startswith("S") for t in found.terms for f in t.factors), found.end)


def _terms(found: Expression) -> dict[Key, float]:
    total: dict[Key, complex] = {}
    for term in found.terms:
        if not term.factors:
            continue  # a constant moves all energies alike; it is refused where energies are wanted
        if term.drive is not None:
            raise NotASpinChain("a time-dependent coefficient")
        for key, value in _strings(term.factors):
            total[key] = total.get(key, 0.0) + value * term.coefficient
    if any(abs(value.imag) > 1e-9 for value in total.values()):
        raise NotASpinChain("an imaginary coefficient")
    return {key: value.real for key, value in total.items()}


def _strings(factors: Sequence[Factor]) -> list[tuple[Key, complex]]:
    """A product of operators as Pauli strings; ladder operators become sums."""
    made: list[tuple[dict[int, str], complex]] = [({}, 1.0)]
    for factor in factors:
        offset = _offset(factor)
        if factor.op == "I":
            continue
        if factor.op in _LADDER:
            options = [("X", 0.5 + 0j), ("Y", 0.5j * _LADDER[factor.op])]
        elif factor.op in _PAULI:
            letter, weight = _PAULI[factor.op]
            options = [(letter, complex(weight))]
        else:
            raise NotASpinChain(factor.op)
        made = [_times(string, value * weight, offset, letter) for string, value in made for letter, weight in options]
    return [(_key(string), value) for string, value in made if string]


def _times(string: dict[int, str], value: complex, offset: int, letter: str) -> tuple[dict[int, str], complex]:
    before = string.get(offset)
    if before is None:
        return {**string, offset: letter}, value
    rest = {place: one for place, one in string.items() if place != offset}
    if before == letter:
        return rest, value
    if (before, letter) in _PRODUCT:
        third, phase = _PRODUCT[before, letter]
        return {**rest, offset: third}, value * phase
    third, phase = _PRODUCT[letter, before]
    return {**rest, offset: third}, value * -phase


def _key(string: dict[int, str]) -> Key:
    places = sorted(string)
    return "".join(string[place] for place in places), tuple(places)


def _offset(factor: Factor) -> int:
    written = str(factor.site if factor.site is not None else "")
    step = re.fullmatch(r"[ijkn](?:([+-])(\d))?", written)
    if step is None:
        raise NotASpinChain(f"an operator {factor.op} on {written or 'no site'}")
    return (int(step[2]) if step[1] == "+" else -int(step[2])) if step[1] else 0


__all__ = ["Formula", "NotASpinChain", "UnknownSymbol", "formula_at"]
