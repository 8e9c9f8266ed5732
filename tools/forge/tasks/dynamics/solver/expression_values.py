"""Numbers with units, and everything else that an expression can be worth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from scipy import constants


class CardError(ValueError):
    """A card cannot be used.

    Attributes:
        path: field, such as ``("cases", "initial", "plus")``.
        message: what is wrong, with the value.
        fix: what to write instead.
    """

    def __init__(self, message: str, fix: str, path: tuple[str | int, ...] = ()) -> None:
        self.message, self.fix, self.path = message, fix, path
        super().__init__(f"{'.'.join(map(str, path))}: {message} {fix}" if path else f"{message} {fix}")

    def within(self, *path: str | int) -> CardError:
        """The same at a place further out."""
        return type(self)(self.message, self.fix, (*path, *self.path))


@contextmanager
def within(*path: str | int) -> Iterator[None]:
    """A mistake inside is said to stand in the field `path`."""
    try:
        yield
    except CardError as error:
        raise error.within(*path) from None


class NotThere(CardError):
    """A result does not exist, such as a crossing that never happens; it is recorded as null."""


_BASE = ("s", "m", "kg", "K", "A", "cycle")
_NONE = (Fraction(0),) * 6


@dataclass(frozen=True, slots=True)
class Unit:
    """Powers of s, m, kg, K, A and cycle; `turns` counts the factors pi, which turn cycles into radian."""

    powers: tuple[Fraction, ...] = _NONE
    turns: Fraction = Fraction(0)

    def times(self, other: Unit, sign: int = 1) -> Unit:
        """The unit of a product, or of a quotient with sign -1."""
        powers = tuple(a + sign * b for a, b in zip(self.powers, other.powers, strict=True))
        return Unit(powers, self.turns + sign * other.turns)

    def power(self, exponent: Fraction) -> Unit:
        """The unit of a power; one over an angular frequency is a time, without cycles."""
        base = self.resolved if exponent < 0 else self
        return Unit(tuple(p * exponent for p in base.powers), base.turns * exponent)

    @property
    def plain(self) -> bool:
        """Whether it is a pure number, or an angle."""
        return not any(self.powers)

    @property
    def resolved(self) -> Unit:
        """The same with cycles taken as 2 pi rad where a factor pi stands for them."""
        cycles = self.powers[5]
        period = cycles < 0 and self.powers == (*TIME.powers[:5], cycles)  # 1/(100 MHz) is 10 ns
        return Unit((*self.powers[:5], Fraction(0))) if 0 < cycles <= self.turns or period else self

    @property
    def angular(self) -> Unit:
        """`resolved`, with nothing in Hz left.

        Raises:
            CardError: a frequency in Hz is used where radian are needed.
        """
        found = self.resolved
        if found.powers[5] > 0:
            raise CardError(
                "A frequency in Hz stands where an angular frequency or a rate is needed.",
                "Write 2*pi*5 MHz for a frequency, or 5/us (5 rad/us) for a rate or an angular frequency.",
            )
        return found

    def __str__(self) -> str:
        parts = [(name, power) for name, power in zip(_BASE, self.powers, strict=True) if power]
        return "*".join(name if power == 1 else f"{name}**{power}" for name, power in parts) or "1"


PLAIN = Unit()


def _unit(s: int = 0, m: int = 0, kg: int = 0, K: int = 0, A: int = 0, cycle: int = 0) -> Unit:  # noqa: N803
    return Unit(tuple(map(Fraction, (s, m, kg, K, A, cycle))))


TIME, RATE, ENERGY, WAVENUMBER = _unit(s=1), _unit(s=-1), _unit(s=-2, m=2, kg=1), _unit(m=-1)
# what turns an energy, a rate or a wavenumber into radian per second, by its powers
TO_RATE = {ENERGY.powers: 1 / constants.hbar, RATE.powers: 1.0, WAVENUMBER.powers: 2 * math.pi * constants.c}
KELVIN, FREQUENCY = _unit(K=1), _unit(s=-1, cycle=1)
# symbol -> (size in SI, unit)
UNITS: dict[str, tuple[float, Unit]] = {
    **{f"{p}s": (x, TIME) for p, x in {"": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}.items()},
    **{f"{p}Hz": (x, FREQUENCY) for p, x in {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.items()},
    **{f"{p}eV": (x * constants.e, ENERGY) for p, x in {"": 1.0, "m": 1e-3, "u": 1e-6}.items()},
    **{f"{p}K": (x, KELVIN) for p, x in {"": 1.0, "m": 1e-3, "u": 1e-6}.items()},
    **{f"{p}T": (x, _unit(s=-2, kg=1, A=-1)) for p, x in {"": 1.0, "m": 1e-3, "u": 1e-6}.items()},
    **{f"{p}m": (x, _unit(m=1)) for p, x in {"c": 1e-2, "u": 1e-6, "n": 1e-9}.items()},
    "J": (1.0, ENERGY),
    "kg": (1.0, _unit(kg=1)),
    "rad": (1.0, PLAIN),
    "deg": (math.pi / 180, PLAIN),
    "percent": (0.01, PLAIN),
}
CONSTANTS: dict[str, tuple[float, Unit]] = {
    "hbar": (constants.hbar, _unit(s=-1, m=2, kg=1)),
    "kB": (constants.k, _unit(s=-2, m=2, kg=1, K=-1)),
    "muB": (constants.physical_constants["Bohr magneton"][0], _unit(m=2, A=1)),
    "c0": (constants.c, _unit(s=-1, m=1)),
}


@dataclass(frozen=True, slots=True)
class Axis:
    """What an array runs along: `values` in `unit` as it is shown, each worth `size` of `of`."""

    name: str
    values: tuple[float, ...]
    unit: str = ""
    size: float = 1.0
    of: Unit = PLAIN


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression is worth.

    Attributes:
        data: a number, array, `Signal`, truth value, text, ``Qobj`` or ``QobjEvo``; in SI where it has a unit.
        unit: of `data`.
        shown: the unit that a person wrote, as (symbol, size in SI).
        on: parts that a state is of; empty for anything else.
        axis: what an array runs along.
    """

    data: Any
    unit: Unit = PLAIN
    shown: tuple[str, float] | None = None
    on: tuple[str, ...] = ()
    axis: Axis | None = None

    def like(self, data: Any) -> Value:
        """The same with other data."""
        return replace(self, data=data)


def symbol_of(unit: Unit, time: tuple[str, float] | None) -> tuple[str, float]:
    """How a unit without a name of its own is shown: in the card's unit of time, else in SI."""
    if unit.plain:
        return "", 1.0
    power = unit.powers[0]
    if any(unit.powers[1:5]):
        return str(Unit(unit.powers)), 1.0
    name, size = time or ("s", 1.0)
    if unit.powers[5] and unit.powers[5] == -power and unit.turns < unit.powers[5]:
        hertz = {"s": "Hz", "ms": "kHz", "us": "MHz", "ns": "GHz", "ps": "THz"}
        return hertz.get(name, f"cycle/{name}"), size ** float(power)
    if unit.turns > 0 and power == -1:
        return f"rad/{name}", 1 / size
    shown = name if power == 1 else f"1/{name}" if power == -1 else f"{name}**{power}"
    return shown, size ** float(power)
