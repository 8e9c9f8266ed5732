"""A protocol as a pipetting robot does it: bottles in racks, one pour a vial, and what a person has to do by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any, Literal

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.pipetting_manner import PLAIN, Pipetting
from labwright.tools.liquid_handler.platform import RESOLUTION, SOURCE_DEAD_VOLUME, SOURCE_MIN_DEAD, Array, well_name
from labwright.tools.liquid_handler.protocol_steps import UNDER, Protocol, Step
from labwright.tools.liquid_handler.robots.volume_tracker import Spot

# Racks for sources, smallest first; what does not fit one bottle is loaded in several.
HOLDERS = (Array(4, 6, 8000.0, True), Array(2, 4, 20000.0, True), Array(1, 2, 125000.0, False))


@dataclass(frozen=True, slots=True)
class Rack:
    """What takes one place on the deck; `vial` is what each of its vials takes, uL."""

    name: str
    rows: int
    columns: int
    vial: float


@dataclass(frozen=True, slots=True)
class Bottle:
    """A source, or a part of it: `load` uL at a spot, of which `usable` can be drawn."""

    source: str
    spot: Spot
    load: float
    usable: float


@dataclass(frozen=True, slots=True)
class Pour:
    """`volume` uL from one spot to another."""

    origin: Spot
    target: Spot
    volume: float


@dataclass(frozen=True, slots=True)
class Action:
    """One thing the robot or a person does.

    Attributes:
        kind: ``pour``; ``heat`` (degC), ``shake`` (rpm, 0 to stop) and ``wait`` (min) by `value`; ``carry`` whole vials
            (pours of volume 0); ``ask`` a person for what the robot cannot do.
        step: of the protocol, from 1.
        text: for people.
        fresh: a new tip for every pour, because the tip goes into a vial.
        manner: how it is pipetted: what is set of `Pipetting`, `over` in s, `mix` in strokes and uL.
    """

    kind: Literal["pour", "heat", "shake", "wait", "carry", "ask"]
    step: int
    text: str
    plate: str = ""
    value: float = 0.0
    fresh: bool = False
    pours: tuple[Pour, ...] = ()
    manner: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Deck:
    """Everything that a script needs."""

    title: str
    plates: tuple[Rack, ...]
    holders: tuple[Rack, ...] = ()
    bottles: tuple[Bottle, ...] = ()
    actions: tuple[Action, ...] = ()


def deck_of(protocol: Protocol) -> Deck:
    """The protocol on a deck of unlimited size.

    Raises:
        InputError: a single pour is more than the largest bottle gives.
    """
    bottles = _Bottles(protocol)
    reader = _Reader(bottles)
    actions = [action for number, step in enumerate(protocol.steps, start=1) for action in reader.read(number, step)]
    plates = tuple(Rack(plate.name, plate.rows, plate.columns, plate.vial) for plate in protocol.plates)
    return Deck(protocol.title, plates, bottles.racks, bottles.bottles, tuple(actions))


class _Bottles:
    """Which bottle each pour is drawn from: pours are shared out in order before the first is made."""

    def __init__(self, protocol: Protocol) -> None:
        self._queue: dict[str, list[int]] = {}  # source -> bottle of each pour
        loads: list[tuple[str, float]] = []
        given = (1 - SOURCE_DEAD_VOLUME) * HOLDERS[-1].vial
        for source in (source for source in protocol.sources if source.unit == "uL"):
            steps = [step for step in protocol.steps if (step.action, step.subject) == ("Add", source.name)]
            drawn = 0.0
            for volume in (volume for step in steps for volume in step.amounts.values()):
                if volume > given:
                    raise InputError(f"{volume:g} uL of {source.name!r} are more than a bottle gives ({given:g} uL).")
                if not drawn or drawn + volume > given:
                    loads.append((source.name, 0.0))
                    drawn = 0.0
                drawn += volume
                loads[-1] = (source.name, drawn)
                self._queue.setdefault(source.name, []).append(len(loads) - 1)
        self.racks, spots = _placed([_load(drawn) for _, drawn in loads])
        self.bottles = tuple(
            Bottle(name, spot, _load(drawn), _load(drawn) * (1 - SOURCE_DEAD_VOLUME))
            for (name, drawn), spot in zip(loads, spots, strict=True)
        )

    def next(self, source: str) -> Spot:
        """Where the next pour of a source is drawn."""
        return self.bottles[self._queue[source].pop(0)].spot


def _load(drawn: float) -> float:
    return float(-(-max(drawn / (1 - SOURCE_DEAD_VOLUME), drawn + SOURCE_MIN_DEAD) // 1))


def _placed(loads: list[float]) -> tuple[tuple[Rack, ...], list[Spot]]:
    """Each bottle in the smallest holder that takes it."""
    racks: list[Rack] = []
    spots: list[Spot] = [("", "")] * len(loads)
    kinds = [next((one for one in HOLDERS if load <= one.vial), HOLDERS[-1]) for load in loads]
    for holder, members in groupby(sorted(range(len(loads)), key=lambda at: kinds[at].vial), key=lambda at: kinds[at]):
        for place, index in enumerate(members):
            if place % holder.size == 0:
                racks.append(Rack(f"Sources {len(racks) + 1}", holder.rows, holder.columns, holder.vial))
            spots[index] = (racks[-1].name, well_name(*divmod(place % holder.size, holder.columns)))
    return tuple(racks), spots


@dataclass(slots=True)
class _Reader:
    """Steps into actions; remembers timers, which a later step waits for."""

    bottles: _Bottles
    timers: dict[str, float] = field(default_factory=dict)
    volumes: Counter[Spot] = field(default_factory=Counter)  # uL in every vial so far

    def read(self, number: int, step: Step) -> list[Action]:
        if step.action == "Set":
            return self._set(number, step)
        wells = {well_name(*well): amount for well, amount in step.amounts.items()}
        if step.action == "Add" and step.unit == "mg":
            listed = ", ".join(f"{well} {amount:g}" for well, amount in wells.items())
            return [Action("ask", number, f"Weigh {step.subject} into {step.plate}, mg: {listed}.", step.plate)]
        if step.action == "Add":
            what, fresh, origins = step.subject, step.manner.touches, [self.bottles.next(step.subject) for _ in wells]
        else:
            what, fresh = f"portions of {step.subject}", True
            origins = [(step.subject, well_name(*step.origins.get(well, well))) for well in step.amounts]
        pours = [Pour(one, (step.plate, w), amount) for one, (w, amount) in zip(origins, wells.items(), strict=True)]
        if "MoveVial" in step.tags:
            return self._carry(number, step, pours)
        for pour in pours:
            self.volumes[pour.origin] -= pour.volume  # type: ignore[assignment]
            self.volumes[pour.target] += pour.volume  # type: ignore[assignment]
        text = f"{what} into {step.plate}" + (f" ({step.manner})" if step.manner != PLAIN else "")
        manner = settings(step.manner, [self.volumes[pour.target] for pour in pours])
        return [Action("pour", number, text, step.plate, fresh=fresh, pours=tuple(pours), manner=manner)]

    def _set(self, number: int, step: Step) -> list[Action]:
        value = max(step.amounts.values(), default=0.0)
        names = ", ".join(well_name(*well) for well in step.amounts)
        if step.subject == "Cap":
            return [Action("ask", number, f"{'Cap' if value else 'Open'} {step.plate}: {names}.", step.plate)]
        if step.subject == "HeatingRamp":
            return [Action("ask", number, f"Heat {step.plate} by {value:g} degC/min from here on.", step.plate)]
        if step.subject == "Delay":
            gas = step.note[step.note.index(UNDER) :] if UNDER in step.note else ""
            asked = [Action("ask", number, f"Bring {step.plate} {gas}.", step.plate)] if gas else []
            return [*asked, Action("wait", number, step.note or f"Wait for {value:g} min.", step.plate, value)]
        if step.subject == "VialTimers":
            self.timers = {well_name(*well): minutes for well, minutes in step.amounts.items()}
            return []
        if step.subject == "HeatingTemp":
            return [Action("heat", number, f"{step.plate} to {value:g} degC", step.plate, value)]
        word = "stirred" if step.subject == "StirRate" else "vortexed"
        return [Action("shake", number, f"{step.plate} {word} at {value:g} rpm", step.plate, value)]

    def _carry(self, number: int, step: Step, pours: list[Pour]) -> list[Action]:
        """Whole vials, by hand: all at once, or each when its time is over."""
        whole = [Pour(pour.origin, pour.target, 0.0) for pour in pours]
        if "WaitVialTimer" not in step.tags:
            return [_carried(number, step, whole)]
        found, passed = [], 0.0
        for minutes, due in groupby(sorted(whole, key=self._time), key=self._time):
            found += [Action("wait", number, f"Until {minutes:g} min.", step.plate, minutes - passed)]
            found += [_carried(number, step, list(due))]
            passed = minutes
        return found

    def _time(self, pour: Pour) -> float:
        return self.timers.get(pour.origin[1], 0.0)


def settings(manner: Pipetting, held: Iterable[float]) -> dict[str, Any]:
    """What a script sets of a manner; strokes take at most what stands in the least full vial.

    Args:
        held: uL in each vial after the addition.
    """
    plain = {name: value for name, value in asdict(manner).items() if value not in (0, "", None) and name != "new_tip"}
    if "over" in plain:
        plain["over"] = 60 * plain["over"]
    plain.pop("mix_volume", None)
    if manner.mix:
        plain["mix"] = (manner.mix, round(min(manner.mix_volume or max(held), *held), RESOLUTION))
    return plain


def _carried(number: int, step: Step, pours: list[Pour]) -> Action:
    listed = ", ".join(f"{pour.origin[1]} to {pour.target[1]}" for pour in pours)
    text = f"Move whole vials from {step.subject} to {step.plate}: {listed}."
    return Action("carry", number, text, step.plate, pours=tuple(pours))
