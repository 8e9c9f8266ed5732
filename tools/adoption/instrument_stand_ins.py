"""What foreign code is given in place of its instruments: knobs, readings, and LeeQ's elements, over our bench."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.adoption.card import AdoptionCard, Knob, Method, Play, Played
from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.gates import gate, program
from labwright.tools.qpu.program import Delay, Operation, Pulse

LEEQ = {"X": "X180", "Y": "Y180", "Xp": "X90", "Yp": "Y90", "Xm": "X90m", "Ym": "Y90m", "I": "I"}
Array = NDArray[np.float64]


class Session:
    """One run of a foreign measurement: every acquisition goes through the bench and is kept.

    Attributes:
        values: of the knobs as they stand, in our units.
        taken: what was measured: values of the knobs, fraction read as 1.
        stopped: what a device or a limit raised; the foreign code may not swallow it.
    """

    def __init__(self, card: AdoptionCard, bench: Bench, qubit: str, shots: int) -> None:
        self.card, self.bench, self.qubit, self.shots = card, bench, qubit, shots
        self.settings = bench.settings(qubit)
        self.values = {name: knob.first for name, knob in card.knobs.items() if knob.first is not None}
        self.queue: list[Operation] = []
        self.taken: list[tuple[dict[str, float], float]] = []
        self.stopped: Exception | None = None

    def turn(self, name: str, value: float) -> None:
        """Set the knob `name` to a foreign `value`."""
        if name not in self.card.knobs:
            self._stop(InputError(f"The foreign code sets {name!r}, which is not among the card's knobs. Declare it."))
        knob: Knob = self.card.knobs[name]
        ours = knob.here(float(value))
        if isinstance(knob.smallest, float) and isinstance(knob.largest, float) and not (
            knob.smallest <= ours <= knob.largest
        ):  # fmt: skip
            self._stop(
                InputError(
                    f"The foreign code sets {name} to {ours:g} {knob.unit}, outside of {knob.smallest:g} to"
                    f" {knob.largest:g} of the card. Ask for less, or widen the card if the sample allows it."
                )
            )
        self.values[name] = ours

    def read(self) -> float:
        """Play what the card says with the knobs as they stand; the fraction read as 1."""
        sequence = [*self.queue, *self.sequence(self.card.play)]
        return float(self.acquire([sequence], [dict(self.values)])[0])

    def sequence(self, plays: Iterable[Play]) -> list[Operation]:
        """The operations that `plays` are, with the knobs as they stand."""
        played: list[Operation] = []
        for each in plays:
            if each.gate:
                pulse = gate(self.settings, each.gate)
                ahead = self._number(each.turned)  # ours turn the axis: the phase of the drive falls behind
                played.append(replace(pulse, phase=-pulse.phase - ahead) if isinstance(pulse, Pulse) else pulse)
            elif each.pulse is not None:
                played.append(self._pulse(each.pulse))
            elif each.wait is not None:
                played.append(Delay(each.share * self._number(each.wait)))
        return played

    def _pulse(self, pulse: Played) -> Pulse:
        numbers = {name: self._number(getattr(pulse, name)) for name in ("amplitude", "phase", "detuning")}
        numbers["phase"] *= -1
        duration = self.settings.pulse_duration if pulse.duration is None else self._number(pulse.duration)
        drag = self.settings.drag if pulse.shape == "gaussian" else 0.0
        return Pulse(duration=duration, shape=pulse.shape, drag=drag, **numbers)

    def _number(self, value: float | str) -> float:
        if not isinstance(value, str):
            return value
        if (name := value.removeprefix("-")) not in self.values:
            self._stop(
                InputError(f"The foreign code measures before it has set {name!r}. Give the knob a first value.")
            )
        return -self.values[name] if value != name else self.values[name]

    def acquire(self, sequences: Sequence[Sequence[Operation]], values: Iterable[dict[str, float]]) -> Array:
        """Play `sequences` in one acquisition; the fractions read as 1."""
        try:
            got = self.bench.acquire(program(self.qubit, sequences, self.shots))
        except Exception as error:
            self.stopped = error
            raise
        assert got.counts is not None
        fractions = got.counts / got.shots
        self.taken += zip(values, fractions.tolist(), strict=True)
        return np.asarray(fractions)

    def _stop(self, error: Exception) -> None:
        self.stopped = error
        raise error

    def argument(self, name: str) -> Any:
        """What the foreign parameter `name` is given, if it is no number."""
        given = self.card.given[name]
        if given.is_ == "fixed":
            return given.value
        if given.is_ == "name":
            return self.qubit
        if given.is_ == "qubit":
            return Element(self)
        if given.is_ == "knob":
            return Parameter(self, given.of or name)
        if given.is_ == "reading":
            return Parameter(self, given.of or name)
        if given.is_ == "measurement":
            return Measured(self, given.knobs)
        if given.is_ == "driver":
            return SimpleNamespace(**{each: self._method(method) for each, method in self.card.driver.items()})
        names = [*self.card.knobs, *self.card.readings]
        return SimpleNamespace(**{each: Parameter(self, each) for each in names})

    def _method(self, method: Method) -> Callable[..., float | None]:
        """A method of the code's driver. What a reading is asked besides, such as shots, is the run's to say."""

        def called(*values: float, **named: float) -> float | None:
            if method.does == "read":
                return self.read()
            if method.does == "begin":
                self.queue.clear()
            for knob in method.knobs:  # what is not given stands as at first
                if (first := self.card.knobs[knob].first) is not None:
                    self.values[knob] = first
            for knob, value in (dict(zip(method.knobs, values, strict=False)) | named).items():
                self.turn(knob, value)
            self.queue += self.sequence(method.play)
            return None

        return called


class Parameter:
    """A knob or a reading in QCoDeS's manner: called, or by ``set`` and ``get``."""

    def __init__(self, session: Session, name: str) -> None:
        self._session, self.name = session, name
        self.label = self.full_name = name
        knob = session.card.knobs.get(name)
        self.unit = (knob.in_ or knob.unit) if knob else ""

    def __call__(self, *value: float) -> float | None:
        if not value:
            return self.get()
        self.set(value[0])
        return None

    def set(self, value: float) -> None:
        """Set the knob."""
        if self.name in self._session.card.readings:
            raise InputError(f"{self.name!r} is a reading and cannot be set.")
        self._session.turn(self.name, value)

    def get(self) -> float:
        """The knob's value as the foreign code has it, or a new measurement."""
        if self.name in self._session.card.readings:
            return self._session.read()
        return self._session.card.knobs[self.name].there(self._session.values[self.name])


class Measured:
    """A function of knobs that gives the fraction read as 1; of arrays of equal length, an array."""

    def __init__(self, session: Session, knobs: tuple[str, ...]) -> None:
        self._session, self._knobs = session, knobs

    def __call__(self, *values: Any, **named: Any) -> Any:
        given = dict(zip(self._knobs, values, strict=False)) | named
        single = all(np.ndim(value) == 0 for value in given.values())
        points, sequences = [], []
        for row in zip(*np.broadcast_arrays(*map(np.atleast_1d, given.values())), strict=True):
            for name, value in zip(given, row, strict=True):
                self._session.turn(name, float(value))
            points.append(dict(self._session.values))
            sequences.append(self._session.sequence(self._session.card.play))
        fractions = self._session.acquire(sequences, points)
        return float(fractions[0]) if single else fractions


class Block:
    """LeeQ's logical primitives: what is played one after the other."""

    def __init__(self, *children: Any) -> None:
        self.children = [each for child in children for each in (child if isinstance(child, list | tuple) else [child])]

    def __add__(self, other: Block) -> Block:
        return Block(self, other)

    def __mul__(self, times: int) -> Block:
        return Block(*[self] * times)

    def operations(self) -> list[Operation]:
        """Flat, without the readout, which comes last in every sequence."""
        return [each for child in self.children for each in child.operations()]

    def session(self) -> Session | None:
        """Whose readout is in it."""
        return next(filter(None, (child.session() for child in self.children)), None)

    def readouts(self) -> list[Readout]:
        """Every readout in it."""
        return [each for child in self.children for each in child.readouts()]


class Gate(Block):
    """One calibrated gate."""

    def __init__(self, operation: Operation) -> None:
        super().__init__()
        self._operation = operation

    def operations(self) -> list[Operation]:
        """The pulse."""
        return [self._operation]


class Wait(Block):
    """LeeQ's ``Delay``, in us."""

    def __init__(self, delay_time: float = 0.0, name: str = "") -> None:
        super().__init__()
        self.delay = float(delay_time)

    def set_delay(self, delay: float) -> None:
        """Set it, in us."""
        self.delay = float(delay)

    set_delay_us = set_delay

    def operations(self) -> list[Operation]:
        """The pause; none of no length."""
        return [Delay(self.delay)] if self.delay > 0 else []


class Readout(Block):
    """LeeQ's measurement primitive."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._result: Array | None = None

    def session(self) -> Session | None:
        """Its own."""
        return self._session

    def readouts(self) -> list[Readout]:
        """Itself."""
        return [self]

    def keep(self, result: Array) -> None:
        """What the last acquisition gave."""
        self._result = result

    def result(self, *_: Any, **__: Any) -> Array:
        """One number for each point of the sweep."""
        if self._result is None:
            raise InputError("The foreign code asks for a result before it has measured.")
        return self._result


class Gates:
    """LeeQ's collection of gates."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getitem__(self, name: str) -> Gate:
        if name not in LEEQ:
            raise InputError(f"The gate {name!r} of LeeQ is not bridged. Bridged are: {', '.join(LEEQ)}.")
        return Gate(gate(self._session.settings, LEEQ[name]))


class Element:
    """LeeQ's qubit: its gates on 0-1, and its readout."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.hrid = session.qubit

    def get_c1(self, name: str = "f01") -> Gates:
        """The gates of the transition `name`; f01 is the only one."""
        if name != "f01":
            raise InputError(f"The transition {name!r} is not bridged, only f01 is.")
        return Gates(self._session)

    def get_measurement_prim_intlist(self, name: int | str = 0) -> Readout:
        """The readout."""
        return Readout(self._session)

    get_default_measurement_prim_intlist = get_measurement_prim_intlist


class Sweep:
    """LeeQ's ``Sweeper``: values, and what is called with each."""

    def __init__(
        self, values: Any, n_kwargs: dict[str, Any] | None = None, params: Sequence[Callable[[Any], None]] = ()
    ) -> None:
        self.values = np.asarray(values(**(n_kwargs or {})) if callable(values) else values)
        self.params = [params] if callable(params) else list(params)

    def __add__(self, other: Any) -> Sweep:
        raise InputError("Two sweepers in one run are not bridged. Adopt a measurement with one.")


class SideEffects:
    """LeeQ's ``SweepParametersSideEffectFactory``."""

    @staticmethod
    def func(
        function: Callable[..., None], kwargs: dict[str, Any], argument_name: str, name: str | None = None
    ) -> Callable[[Any], None]:
        """Call `function` with the swept value as `argument_name`."""
        return lambda value: function(**kwargs, **{argument_name: value})

    @staticmethod
    def attr(instance: Any, attribute: str, name: str | None = None) -> Callable[[Any], None]:
        """Set an attribute."""
        return lambda value: setattr(instance, attribute, value)


def basic_run(block: Block, sweep: Sweep | None = None, basis: str = "<z>") -> None:
    """LeeQ's way to measure: the block for every value of the sweep, in one acquisition."""
    session = block.session()
    if session is None:
        raise InputError("The foreign code measures without a readout in its sequence.")
    sequences: list[list[Operation]] = []
    values: list[dict[str, float]] = []
    for value in [None] if sweep is None else sweep.values.tolist():
        for effect in () if sweep is None else sweep.params:
            effect(value)
        sequences.append(block.operations())
        values.append({"swept": float(len(values) if value is None else value)})
    ones = session.acquire(sequences, values)
    shapes: dict[str, Callable[[Array], Array]] = {
        "p(1)": lambda p: p, "p(0)": lambda p: 1 - p, "<z>": lambda p: 1 - 2 * p,
    }  # fmt: skip
    if basis not in shapes:
        raise InputError(f"The basis {basis!r} is not bridged. Bridged are: {', '.join(shapes)}.")
    for readout in block.readouts():
        readout.keep(shapes[basis](ones))
