"""Functions of time, and of the state at that time, put together from expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = Callable[[float, Any], Any]


@dataclass(frozen=True, slots=True)
class Signal:
    """A function of time t and of the state.

    Attributes:
        at: (t, state) -> number; t in the model's own unit.
        stateful: whether it looks at the state, as an expectation value does.
        breaks: (time, period or 0) where it jumps or bends: an integration stops there.
        phase: (slope, offset, period or 0) if it is slope * t + offset, in a sawtooth where there is a period.
    """

    at: Function
    stateful: bool = False
    breaks: tuple[tuple[float, float], ...] = ()
    phase: tuple[float, float, float] | None = None

    def edges(self, values: Sequence[float]) -> tuple[tuple[float, float], ...]:
        """When the signal reaches these values, if it is straight in t."""
        if self.phase is None or self.phase[0] == 0:
            return ()
        slope, offset, period = self.phase
        return tuple(((value - offset) / slope, period) for value in values)


def applied(function: Callable[..., Any], *args: Any, edges: Sequence[float] = ()) -> Signal:
    """`function` of signals and numbers; `edges` of the first argument become breaks."""
    signals = [one for one in args if isinstance(one, Signal)]
    stateful = any(one.stateful for one in signals)
    breaks = {pair for one in signals for pair in one.breaks}
    if isinstance(args[0], Signal):
        breaks |= set(args[0].edges(edges))
    made: Function
    if len(args) == 1:
        inner = args[0].at
        made = lambda t, state: function(inner(t, state))  # noqa: E731
    else:
        parts = [one.at if isinstance(one, Signal) else (lambda t, state, kept=one: kept) for one in args]
        made = lambda t, state: function(*(one(t, state) for one in parts))  # noqa: E731
    return Signal(made, stateful, tuple(sorted(breaks)))


def straight(signal: Signal, slope: float = 1.0, offset: float = 0.0) -> Signal:
    """slope * signal + offset, which stays straight in t if it was."""
    inner = signal.at
    phase = None
    if signal.phase and isinstance(slope, float | int) and isinstance(offset, float | int):
        phase = (signal.phase[0] * slope, signal.phase[1] * slope + offset, signal.phase[2])
    return Signal(lambda t, state: slope * inner(t, state) + offset, signal.stateful, signal.breaks, phase)


def sawtooth(signal: Signal, period: float) -> Signal:
    """The signal modulo `period`."""
    inner = signal.at
    if signal.phase is None or signal.phase[2] or not signal.phase[0]:
        return Signal(lambda t, state: inner(t, state) % period, signal.stateful, signal.breaks)
    slope, offset, _ = signal.phase
    length = period / abs(slope)
    breaks = (*signal.breaks, (-offset / slope, length))
    return Signal(lambda t, state: inner(t, state) % period, signal.stateful, breaks, (slope, offset, length))


def breaks_between(signal_breaks: Sequence[tuple[float, float]], start: float, stop: float, most: int) -> list[float]:
    """The breaks inside (start, stop), sorted.

    Raises:
        ValueError: there are more than `most`.
    """
    found: set[float] = set()
    for first, period in signal_breaks:
        if not period:
            found |= {first} if start < first < stop else set()
            continue
        low, high = math.ceil((start - first) / period), math.floor((stop - first) / period)
        if high - low > most:
            raise ValueError(f"{high - low} jumps of a drive lie in the times; at most {most} can be followed.")
        found |= {first + k * period for k in range(low, high + 1) if start < first + k * period < stop}
    kept: list[float] = []
    for one in sorted(found):  # rounding makes one instant of two
        if not kept or one - kept[-1] > 1e-12 * max(abs(one), stop - start):
            kept.append(one)
    return kept


def shortest_change(function: Callable[[float], complex], start: float, stop: float, breaks: Sequence[float]) -> float:
    """Shortest time in which a function changes by its whole range, seen on 4001 points; a jump at a break is none."""
    times = np.linspace(start, stop, 4001)
    values = np.array([function(t) for t in times], dtype=complex)
    steps = np.abs(np.diff(values))
    jumps = np.searchsorted(times, np.asarray(breaks, dtype=float)) - 1 if len(breaks) else np.array([], dtype=int)
    steps[np.clip(np.concatenate([jumps, jumps + 1]).astype(int), 0, len(steps) - 1)] = 0.0
    span, steepest = float(np.ptp(values.real) + np.ptp(values.imag)), float(steps.max())
    return stop - start if steepest == 0 or span == 0 else float((times[1] - times[0]) * span / steepest)


@dataclass(frozen=True, slots=True)
class Driven:
    """An operator that depends on t: a sum of (``Qobj``, `Signal` or None for 1)."""

    terms: tuple[tuple[Any, Signal | None], ...]

    def __call__(self, t: float) -> Any:
        """The operator at one time."""
        first, *rest = (op if signal is None else op * complex(signal.at(t, None)) for op, signal in self.terms)
        return sum(rest, first)

    def plus(self, other: Driven, sign: int = 1) -> Driven:
        """self + sign * other; terms without a signal are added up."""
        terms = [*self.terms, *((sign * op, signal) for op, signal in other.terms)]
        fixed = [op for op, signal in terms if signal is None]
        moving = tuple((op, signal) for op, signal in terms if signal is not None)
        return Driven(((sum(fixed[1:], fixed[0]), None), *moving) if fixed else moving)

    def after(self, other: Driven) -> Driven:
        """self @ other."""
        return Driven(tuple((a @ b, _product(x, y)) for a, x in self.terms for b, y in other.terms))

    def scaled(self, factor: complex | Signal) -> Driven:
        """factor * self."""
        if isinstance(factor, Signal):
            return Driven(tuple((op, _product(factor, signal)) for op, signal in self.terms))
        return Driven(tuple((factor * op, signal) for op, signal in self.terms))

    def dag(self) -> Driven:
        """The adjoint."""
        terms = ((op.dag(), None if signal is None else applied(np.conj, signal)) for op, signal in self.terms)
        return Driven(tuple(terms))

    @property
    def shape(self) -> tuple[int, int]:
        """Of the matrix."""
        found: tuple[int, int] = self.terms[0][0].shape
        return found

    @property
    def breaks(self) -> set[tuple[float, float]]:
        """Of all its signals."""
        return {pair for _, signal in self.terms if signal is not None for pair in signal.breaks}


def _product(x: Signal | None, y: Signal | None) -> Signal | None:
    if x is None or y is None:
        return x or y
    return applied(lambda a, b: a * b, x, y)
