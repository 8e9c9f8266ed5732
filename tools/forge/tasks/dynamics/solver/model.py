"""A card's system in one of its cases: Hamiltonian, damping, initial state, times, in the card's unit of time."""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from qutip import Qobj, QobjEvo

from .cases import Case, names_used, unit_of_time
from .expression_functions import plain_functions
from .expression_values import CONSTANTS, PLAIN, RATE, TIME, TO_RATE, UNITS, CardError, Unit, Value, within
from .expressions import Walker
from .space import Space
from .subsystems import MOST_LEVELS_OPEN, parts_of
from .time_functions import Driven, Signal, breaks_between, shortest_change
from .value_arithmetic import add, is_number, kind, multiply

MOST_TIMES, MOST_BREAKS, MOST_NUMBERS = 20_001, 4000, 40_000_000


class Clock:
    """Holds the time inside a piece of the evolution, so that a drive that jumps at its end is seen from within."""

    low, high = -math.inf, math.inf

    def clip(self, t: float) -> float:
        """`t` inside the piece."""
        return min(max(t, self.low), self.high)


class Model:
    """The system of one case.

    Attributes:
        space: the parts and their operators.
        walker: evaluates expressions of this case.
        time: symbol and size in s of the unit of time; None where the card has no units.
        times: shape (n_times,), in that unit; None where the card has none.
        start: when the system is in its initial state.
        hamiltonian: Qobj, or QobjEvo if it depends on t; in radian per unit of time.
        collapse: operators L of the dissipators, in 1/sqrt(unit of time).
        initial: ket or density matrix; None where the card has none.

    Raises:
        CardError: something of the card cannot be used; says what, where, and what to write instead.
    """

    def __init__(self, card: Mapping[str, Any], case: Case, more_levels: bool = False) -> None:
        self.card, self.case = card, case
        self.space = Space(parts_of(card["parts"], more_levels))
        self.clock = Clock()
        self._drives: list[Driven] = []
        self.walker = Walker({}, {**plain_functions(), **self.space.functions()}, self.space.all)
        self.names = self._parameters()
        self.walker.names = self.names
        self.time: tuple[str, float] | None = None
        self.times, self.start = self._times()
        self._set_time()
        for name, part in self.space.names().items():
            with within("parts", name):
                _allowed(name, self.names)
            self.names[name] = part
        late = self._define()
        self.hamiltonian = self._hamiltonian(late)
        for name, text in late.items():
            with within("define", name):
                self.names[name] = self.walker.value(text)
        self.collapse = self._collapse()
        self.initial = self._initial()
        if self.initial is not None:
            self.names.setdefault("initial", Value(self.initial))
        self._bounds()

    @property
    def driven(self) -> bool:
        """Whether Hamiltonian or damping depend on t."""
        return any(isinstance(one, QobjEvo) for one in (self.hamiltonian, *self.collapse))

    @property
    def size(self) -> float:
        """Of the unit of time, in s; 1 where the card has none."""
        return self.time[1] if self.time else 1.0

    @property
    def symbol(self) -> str:
        """Of the unit of time; empty where the card has none."""
        return self.time[0] if self.time else ""

    @property
    def rate(self) -> Unit:
        """Unit of rates and energies."""
        return RATE if self.time else PLAIN

    def damped(self) -> None:
        """Do nothing if there is a steady state.

        Raises:
            CardError: there is none.
        """
        if self.driven:
            raise CardError("There is no steady state where H depends on t.", "Use another frame, or long times.")
        if not self.collapse:
            raise CardError("There is no damping, so no steady state.", "Add collapse, or a where: evolution == ...")

    @property
    def stop(self) -> float:
        """The last of the times."""
        return float(self.times[-1]) if self.times is not None else self.start

    def _parameters(self) -> dict[str, Value]:
        names: dict[str, Value] = {}
        walker = Walker(names, self.walker.functions)
        fixed = self.card.get("parameters") or {}
        own = {name: value for name, value in self.case.parameters.items() if name not in fixed}
        names.update(own)
        for name, text in fixed.items():
            with within("parameters", name):
                _allowed(name)
                names[name] = self.case.parameters.get(name) or walker.value(text)
                if kind(names[name]) not in ("number", "list"):
                    raise CardError(
                        f"A parameter is a {kind(names[name])}.", "Operators and functions of t go to `define`."
                    )
        for name in own:
            with within("cases", name):
                _allowed(name)
        return names

    def _define(self) -> dict[str, Any]:
        """Evaluate definitions, but for those made of H, which are given back."""
        late: dict[str, Any] = {}
        for name, text in (self.card.get("define") or {}).items():
            with within("define", name):
                _allowed(name, {**self.names, **late})
                if names_used(text).keys() & {"H", *late}:
                    late[name] = text
                else:
                    self.names[name] = self.walker.value(text)
        return late

    def _times(self) -> tuple[Any, float]:
        text = self.card.get("times")
        if text is None:
            symbol = unit_of_time(self.card)
            self.time = (symbol, UNITS[symbol][0]) if symbol else None
            return None, 0.0
        with within("times"):
            value = self.walker.value(text)
            if kind(value) == "number":
                value = Value(np.array([value.data]), value.unit, value.shown)
            if kind(value) != "list" or np.iscomplexobj(value.data) or not (value.unit.plain or value.unit == TIME):
                raise CardError(f"The times are a {kind(value)} in {value.unit}.", "Write linspace(0, 50, 501) us.")
            if np.any(np.diff(value.data) <= 0):
                raise CardError("The times are not sorted.", "List them from early to late, each once.")
            if len(value.data) > MOST_TIMES:
                raise CardError(f"There are {len(value.data)} times; at most {MOST_TIMES} are computed.", "Use fewer.")
            if value.unit == TIME:
                self.time = value.shown if value.shown and value.shown[0] in UNITS else ("s", 1.0)
            times = value.data / self.size
        return times, self._start(times)

    def _start(self, times: Any) -> float:
        text = self.card.get("start")
        with within("times" if text is None else "start"):
            if text is None and times[0] < 0:
                raise CardError(
                    f"The first time is {times[0]:g}, before t = 0, where the initial state stands by default.",
                    f"Say when the initial state holds: start: {times[0]:g}.",
                )
            start = 0.0 if text is None else self.duration(self.walker.value(text))
            if start > times[0]:
                raise CardError(f"The start {start:g} is after the first time {times[0]:g}.", "Begin the times later.")
            return start

    def duration(self, value: Value) -> float:
        """A time as a number in the model's unit.

        Raises:
            CardError: it is no time.
        """
        if not is_number(value) or isinstance(value.data, complex):
            raise CardError(f"A {kind(value)} is no time.", "Write a number with the unit of the times.")
        if value.data != 0 and value.unit.powers != (TIME if self.time else PLAIN).powers:
            fix = f"Give it in {self.time[0]}." if self.time else "The times have no unit; write a plain number."
            raise CardError(f"A time in {value.unit}.", fix)
        return float(value.data / self.size)

    def _set_time(self) -> None:
        size, clip = self.size, self.clock.clip
        leaf = Signal(lambda t, state: clip(t) * size, phase=(size, 0.0, 0.0))
        self.names["t"] = Value(leaf, TIME if self.time else PLAIN)

    def operator(self, value: Value) -> Any:
        """An operator of the whole system.

        Raises:
            CardError: it is something else.
        """
        if is_number(value) and value.data == 0:
            return 0 * self.space.identity()
        if kind(value) == "state" and value.data.isoper:
            return self.space.lifted(value)
        if kind(value) != "operator":
            raise CardError(
                f"A {kind(value)} stands where an operator is needed.",
                "Write X(q), proj(atom, e), n(c); of a state proj(state) or dm(state).",
            )
        if value.data.shape != (self.space.size, self.space.size):
            raise CardError("The operator acts on only some of the parts.", "Use operators of the parts, such as X(q).")
        return value.data

    def _rate_factor(self, unit: Unit) -> float:
        """What turns an energy, rate or wavenumber into radian per unit of time."""
        unit = unit.angular
        if unit.plain:
            if self.time is not None:
                raise CardError("It has no unit, but the times have one.", "Write units, such as 2*pi*5 MHz or 0.3/us.")
            return 1.0
        if self.time is None:
            raise CardError(f"It is in {unit}, but the times have no unit.", "Write such as linspace(0, 1, 101) us.")
        if unit.powers not in TO_RATE:
            raise CardError(f"It is in {unit}.", "Write an energy (meV), a rate (2*pi*5 MHz, 0.3/us) or 200/cm.")
        return float(TO_RATE[unit.powers] * self.time[1])

    def _hamiltonian(self, late: Mapping[str, Any]) -> Any:
        text = self.case.fields.get("hamiltonian", self.card.get("hamiltonian", 0))
        drives = self.card.get("drives") or {}
        terms = [(("hamiltonian",), text), *((("drives", name), one) for name, one in drives.items())]
        total, whole = Value(0.0), Value(0 * self.space.identity())
        for path, term in terms:
            with within(*path):
                for name in names_used(term).keys() & {"H", *late}:
                    told = "H is the Hamiltonian" if name == "H" else f"{name} is made of H, the Hamiltonian"
                    raise CardError(f"{told}, which cannot be made of itself.", "Write its terms out.")
                value = self.walker.value(term)
                op = self.operator(value)
                if not is_number(value):
                    scaled = multiply(Value(self._rate_factor(value.unit)), Value(op))
                    self._hermitian(scaled.data)
                    whole, total = add(whole, scaled), add(total, Value(op, value.unit))
        self.names["H"] = total if kind(total) == "operator" else whole
        return self._stored(whole.data)

    def _stored(self, op: Any) -> Any:
        sort = "Dense" if self.space.size <= 8 else "CSR"  # a dense Liouvillian of 40 levels has 2.6 million elements
        if isinstance(op, Driven):
            self._drives.append(op)
            terms = [(one.to(sort), signal) for one, signal in op.terms]
            return QobjEvo([one if signal is None else [one, _coefficient(signal)] for one, signal in terms])
        return op.to(sort)

    def _hermitian(self, op: Any) -> None:
        for t in self.some_times() if isinstance(op, Driven) else [self.start]:
            now = op(t) if isinstance(op, Driven) else op
            size, off = now.norm("max"), (now - now.dag()).norm("max")
            if not np.isfinite(size):
                raise CardError(f"It is not a finite number at t = {t:g}.", "Look for a division by zero.")
            if off > 1e-9 * max(size, 1e-300):
                raise CardError("It is not Hermitian.", "Write A + dag(A). Damping belongs under `collapse`.")

    def some_times(self) -> list[float]:
        """A few times spread over the evolution."""
        return [self.start + x * (self.stop - self.start) for x in (0.0, 0.137, 0.311, 0.5, 0.723, 0.889, 1.0)]

    def _given(self, field: str, case_field: str) -> tuple[Any, tuple[str, ...]]:
        """A field of the card or what this case says instead, and where it stands."""
        if case_field in self.case.fields:
            return self.case.fields[case_field], ("cases", case_field, str(self.case.labels.get(case_field, "")))
        return self.card.get(field), (field,)

    def _collapse(self) -> list[Any]:
        given, where = self._given("collapse", "evolution")
        made: list[Any] = []
        given = [given] if isinstance(given, str) else given or []
        if not isinstance(given, list):
            told = f"{given!r} is no list of collapse operators."
            raise CardError(told, "Write [sqrt(gamma)*lower(q)], or [].", where[:2])
        for place, text in enumerate(given):
            with within(*where, place):
                made += self._jump(self.walker.value(text))
        if "evolution" in self.case.fields and not given:
            return []  # a case that is closed is closed
        for name, one in (self.card.get("relaxation") or {}).items():
            with within("relaxation", name):
                for text in self._relaxation(name, one):
                    made += self._jump(self.walker.value(text))
        return made

    def _jump(self, value: Value) -> list[Any]:
        op = self.operator(value)
        if is_number(value):
            return []
        size = op.norm("max") if isinstance(op, Qobj) else 1.0
        if not np.isfinite(size):
            raise CardError("It is not a finite number.", "Look for a division by zero.")
        if size == 0:
            return []
        factor = math.sqrt(self._rate_factor(value.unit.power(Fraction(2))))
        return [self._stored(multiply(Value(factor), Value(op)).data)]

    def _relaxation(self, name: str, one: Mapping[str, Any]) -> Iterator[str]:
        """T1, T2 and Tphi as collapse operators."""
        chosen = [part for part in self.space.parts if name in (part.name, part.name.partition("[")[0])]
        if not chosen:
            raise CardError("There is no such part.", f"Parts are {', '.join(self.space.all)}.")
        part, names = chosen[0], [one.name for one in chosen]
        times = {key: self.walker.value(one[key]) for key in ("T1", "T2", "Tphi") if one.get(key) is not None}
        for key, value in times.items():
            if not is_number(value) or isinstance(value.data, complex) or value.data <= 0:
                raise CardError(f"{key} must be a positive time.", f"Write {key}: 12 us.")
        if part.sort == "oscillator" and set(times) == {"T1"}:
            yield from (f"a({name})/sqrt({one['T1']})" for name in names)
            return
        clear = part.sort == "levels" or set(times) == {"Tphi"} or {"from", "to"} <= set(one)
        if part.size != 2 or not clear or not times or {"T2", "Tphi"} <= set(times):
            raise CardError(
                "T1, T2 and Tphi are for two levels (of a spin with from: and to:); T1 alone for oscillators too.",
                "Write {T1: 12 us, T2: 8 us} or {T1: 12 us, Tphi: 20 us}; anything else under `collapse`.",
            )
        upper, lower = one.get("from", part.levels[1]), one.get("to", part.levels[0])
        if "T1" in times:
            yield from (f"ketbra({name}, {lower}, {upper})/sqrt({one['T1']})" for name in names)
        if len(times) > 1:
            first, second = times.values()
            add(first, second)  # of one unit
        rate = 0.0
        if "Tphi" in times:
            rate = 1 / times["Tphi"].data
        elif "T2" in times:
            rate = 1 / times["T2"].data - (0.5 / times["T1"].data if "T1" in times else 0.0)
            if rate < -1e-9 / times["T2"].data:
                told = f"T2 = {one['T2']} is longer than 2 T1 = 2 * {one['T1']}."
                raise CardError(told, "T2 includes the decay; Tphi is the pure dephasing time.")
        if rate > 1e-12 * max(1.0, abs(rate)):
            unit = "/__second__" if self.time else ""
            self.names["__second__"] = Value(1.0, TIME)
            yield from (f"sqrt({rate / 2!r}{unit})*(proj({name}, {lower}) - proj({name}, {upper}))" for name in names)

    def _initial(self) -> Qobj | None:
        text, where = self._given("initial", "initial")
        with within(*where):
            return None if text is None else self.space.full_state(self.walker.value(text))

    @cached_property
    def breaks(self) -> list[float]:
        """Where drives jump, inside the times."""
        pairs = [pair for op in self._drives for pair in op.breaks]
        try:
            return breaks_between(pairs, self.start, self.stop, MOST_BREAKS)
        except ValueError as error:
            raise CardError(str(error), "Use fewer pulses, or shorter times.", ("drives",)) from None

    @cached_property
    def longest_step(self) -> float:
        """Of an integration, so that no pulse is stepped over; 0 where nothing depends on t."""
        length = self.stop - self.start
        signals = [signal for op in self._drives for _, signal in op.terms if signal is not None]
        if not signals or length <= 0:
            return 0.0
        step = min(shortest_change(_coefficient(one), self.start, self.stop, self.breaks) for one in signals)
        return max(step / 2, length / 20_000)

    def _bounds(self) -> None:
        _ = self.breaks  # too many of them are refused
        whole = self.space.size
        mixed = bool(self.collapse) or (self.initial is not None and self.initial.isoper)
        if mixed and whole > MOST_LEVELS_OPEN:
            raise CardError(f"{whole} levels with damping; at most {MOST_LEVELS_OPEN}.", "Use fewer.", ("parts",))
        count = len(self.times) if self.times is not None else 1
        if count * whole ** (2 if mixed else 1) > MOST_NUMBERS:
            raise CardError(f"{count} states of {whole} levels do not fit into memory.", "Use fewer.", ("times",))


def _coefficient(signal: Signal) -> Callable[[float], complex]:
    def at(t: float) -> complex:
        value = complex(signal.at(t, None))
        return value if abs(value) > 1e-30 else 0j  # the square of a denormal error breaks dop853's choice of steps

    return at


def _allowed(name: str, names: Mapping[str, Value] | None = None) -> None:
    if not name.isidentifier() or name.startswith("_") or keyword.iskeyword(name):
        raise CardError(f"{name!r} is no name.", "Use letters, digits and _, beginning with a letter.")
    if name in ("t", "pi", "H", "sum", "prod", "range") or name in CONSTANTS or name in (names or {}):
        raise CardError(f"The name {name!r} is taken.", "Choose another, such as the same with an index.")
