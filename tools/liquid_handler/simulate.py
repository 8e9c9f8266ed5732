"""Runs a protocol on paper: volumes, masses, caps, temperatures and time after every step.

The simulator never refuses: a step it cannot do is written into `problems` and skipped, so that the checks can name
every fault of a bad file at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from labwright.tools.liquid_handler.deck_sources import Material
from labwright.tools.liquid_handler.platform import COOLING_TIME_CONSTANT, PER_CAP, PER_MOVE, ROOM
from labwright.tools.liquid_handler.protocol_steps import BY_HAND, Protocol, Step, Well

# Rough durations for the timeline, min a vial; measured on no robot.
PER_POWDER, PER_LIQUID = 0.5, 0.15


@dataclass(slots=True)
class Vial:
    """What a vial holds: liquid volume in uL, and mg of every species."""

    volume: float = 0.0
    contents: dict[str, float] = field(default_factory=dict)
    capped: bool = False

    @property
    def mass(self) -> float:
        """mg of everything."""
        return sum(self.contents.values())


@dataclass(frozen=True, slots=True)
class Moment:
    """The deck just before a step begins, and what the step changed. Minutes, degC."""

    begins: float
    ends: float
    temperatures: dict[str, float]
    capped: dict[str, frozenset[Well]]
    volumes: dict[Well, float]  # uL on the step's plate, after the step, of the wells it touched


@dataclass(slots=True)
class Run:
    """The outcome. `received` counts what Add steps put where: (plate, well) to material to mg or uL."""

    vials: dict[tuple[str, Well], Vial] = field(default_factory=dict)
    received: dict[tuple[str, Well], dict[str, float]] = field(default_factory=dict)
    drawn: dict[str, float] = field(default_factory=dict)
    moments: list[Moment] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    minutes: float = 0.0
    setpoints: dict[str, float] = field(default_factory=dict)
    temperatures: dict[str, float] = field(default_factory=dict)
    timers: dict[str, dict[Well, float]] = field(default_factory=dict)

    def vial(self, plate: str, well: Well) -> Vial:
        """The vial in a well; an empty one is put there at first use."""
        return self.vials.setdefault((plate, well), Vial())


def simulate(protocol: Protocol, materials: dict[str, Material]) -> Run:
    """Every step in order, from empty open vials at room temperature."""
    run = Run()
    for plate in protocol.plates:
        run.setpoints[plate.name] = run.temperatures[plate.name] = ROOM
    for index, step in enumerate(protocol.steps):
        begins, temperatures, capped = run.minutes, dict(run.temperatures), _capped(run, protocol)
        if step.action == "Add":
            _add(run, index, step, materials)
        elif step.action == "Set":
            _set(run, step)
        else:
            _transfer(run, index, step)
        touched = {well: run.vials[step.plate, well].volume for well in step.amounts if (step.plate, well) in run.vials}
        run.moments.append(Moment(begins, run.minutes, temperatures, capped, touched))
    return run


def _capped(run: Run, protocol: Protocol) -> dict[str, frozenset[Well]]:
    return {
        plate.name: frozenset(well for (name, well), vial in run.vials.items() if name == plate.name and vial.capped)
        for plate in protocol.plates
    }


def _pass_time(run: Run, minutes: float) -> None:
    """Heating is taken as immediate; cooling falls exponentially towards the setpoint."""
    run.minutes += minutes
    for plate, now in run.temperatures.items():
        target = run.setpoints.get(plate, ROOM)
        decay = math.exp(-minutes / COOLING_TIME_CONSTANT)
        run.temperatures[plate] = target if now < target else target + (now - target) * decay


def _add(run: Run, index: int, step: Step, materials: dict[str, Material]) -> None:
    material = materials.get(step.subject)
    if material is None:
        run.problems.append((index, f"source {step.subject!r} is not known"))
        return
    for well, amount in step.amounts.items():
        vial = run.vial(step.plate, well)
        vial.volume += amount if step.unit == "uL" else 0.0
        for species, share in material.composition.items():
            vial.contents[species] = vial.contents.get(species, 0.0) + amount * share
        received = run.received.setdefault((step.plate, well), {})
        received[step.subject] = received.get(step.subject, 0.0) + amount
        run.drawn[step.subject] = run.drawn.get(step.subject, 0.0) + amount
    _pass_time(run, minutes_of(step))


def minutes_of(step: Step) -> float:
    """About how long an addition or its portions take; what a person weighs in takes the robot no time."""
    if step.action == "Transfer":
        return sum(PER_MOVE + step.manner.seconds(amount) / 60 for amount in step.amounts.values())
    if step.unit == "mg":
        return 0.0 if BY_HAND in step.tags else PER_POWDER * len(step.amounts)
    return sum(PER_LIQUID + step.manner.seconds(amount) / 60 for amount in step.amounts.values())


def _set(run: Run, step: Step) -> None:
    values = list(step.amounts.values())
    if not values:
        return
    if step.subject == "Delay":
        _pass_time(run, max(values))
    elif step.subject == "HeatingTemp":
        run.setpoints[step.plate] = max(values)
        run.temperatures[step.plate] = max(run.temperatures.get(step.plate, ROOM), max(values))
    elif step.subject == "Cap":
        for well, value in step.amounts.items():
            run.vial(step.plate, well).capped = value > 0
        _pass_time(run, PER_CAP * len(values))
    elif step.subject == "VialTimers":
        run.timers[step.plate] = dict(step.amounts)


def _transfer(run: Run, index: int, step: Step) -> None:
    for well, amount in step.amounts.items():
        origin = (step.subject, step.origins.get(well, well))
        source = run.vials.get(origin)
        if source is None:
            run.problems.append((index, f"nothing stands at {origin}"))
        elif "MoveVial" in step.tags:
            run.vials[step.plate, well] = run.vials.pop(origin)
        else:
            _pour(run, index, source, run.vial(step.plate, well), amount)
    _pass_time(run, minutes_of(step))
    if "WaitVialTimer" in step.tags:
        _pass_time(run, max(run.timers.get(step.subject, {}).values(), default=0.0))


def _pour(run: Run, index: int, source: Vial, target: Vial, amount: float) -> None:
    """A well-mixed portion; asking for more than there is empties the source and is noted."""
    if amount > source.volume + 1e-6:
        run.problems.append((index, f"{amount:g} uL are asked of a vial that holds {source.volume:g} uL"))
    share = min(1.0, amount / source.volume) if source.volume > 0 else 0.0
    for species, mass in source.contents.items():
        target.contents[species] = target.contents.get(species, 0.0) + mass * share
        source.contents[species] = mass * (1.0 - share)
    target.volume += source.volume * share
    source.volume *= 1.0 - share
