"""Sums of products of elementary operators, as operator expressions of a text are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

_DAGGER = {"P": "M", "M": "P", "a": "adag", "adag": "a"}


@dataclass(frozen=True, slots=True)
class Factor:
    """One elementary operator.

    Attributes:
        op: ``X``, ``Y``, ``Z``, ``I``, ``M`` (sigma minus), ``P`` (sigma plus), ``Sx``, ``Sy``, ``Sz``, ``Sp``, ``Sm``
            (spin one half), ``a``, ``adag``, ``n``, or ``|i><j|`` with the levels as written.
        site: slot of a tensor product (int), subscript as written (str), or None.
    """

    op: str
    site: int | str | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A product with a coefficient.

    Attributes:
        coefficient: with all symbols put in.
        factors: left to right.
        width: slots of the tensor product it was written as; 0 if it was not.
        summed: what is below the sum sign, such as ``i`` or ``i=1``; None outside of sums, empty for a bare sum.
        upper: what is above the sum sign.
        drive: ``(frequency, phase)`` of a factor ``cos(frequency t + phase)``.
    """

    coefficient: complex
    factors: tuple[Factor, ...] = ()
    width: int = 0
    summed: str | None = None
    upper: str = ""
    drive: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Expression:
    """An operator expression and where it ends in the text."""

    terms: tuple[Term, ...]
    start: int
    end: int


class UnknownSymbol(Exception):
    """A symbol in an expression is neither an operator nor has a value.

    Attributes:
        name: as written.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"Symbol {name!r} has no value.")
        self.name = name


def adjoint(term: Term) -> Term:
    """The Hermitian conjugate."""
    return replace(
        term, coefficient=term.coefficient.conjugate(), factors=tuple(map(_conjugate, reversed(term.factors)))
    )


def _conjugate(factor: Factor) -> Factor:
    if factor.op.startswith("|"):
        ket, bra = factor.op[1:].rstrip("|").split("><")
        return replace(factor, op=f"|{bra}><{ket}|")
    if factor.op in {"Sp", "Sm"}:
        return replace(factor, op="Sm" if factor.op == "Sp" else "Sp")
    return replace(factor, op=_DAGGER.get(factor.op, factor.op))


class AtTime(Mapping[str, float]):
    """Names at one time; what is looked up is looked up in the names themselves."""

    def __init__(self, names: Mapping[str, float], time: float) -> None:
        self.names, self.time = names, time

    def __getitem__(self, name: str) -> float:
        return self.time if name == "t" else self.names[name]

    def __iter__(self) -> Iterator[str]:
        return iter({*self.names, "t"})

    def __len__(self) -> int:
        return len(self.names) + ("t" not in self.names)


def scalar_of(terms: list[Term] | None) -> complex | None:
    if not terms or any(term.factors or term.drive or term.summed is not None for term in terms):
        return None
    return sum((term.coefficient for term in terms), 0j)


def multiplied(left: Iterable[Term], right: Iterable[Term]) -> list[Term]:
    right = list(right)
    return [
        Term(
            one.coefficient * other.coefficient,
            one.factors + other.factors,
            max(one.width, other.width),
            one.summed if one.summed is not None else other.summed,
            one.upper or other.upper,
            one.drive or other.drive,
        )
        for one in left
        for other in right
    ]


def tensored(left: list[Term], right: list[Term]) -> list[Term]:
    """Slots of the right side stand behind those of the left; a bare number is an identity of one slot."""
    made = []
    for one in left:
        width = max(one.width, 1)
        for other in right:
            factors = tuple(replace(f, site=0) if f.site is None else f for f in one.factors)
            shifted = tuple(replace(f, site=width + (f.site if isinstance(f.site, int) else 0)) for f in other.factors)
            made.append(
                Term(
                    one.coefficient * other.coefficient,
                    factors + shifted,
                    width + max(other.width, 1),
                    one.summed or other.summed,
                    drive=one.drive or other.drive,
                )
            )
    return made
