"""What happened to every vial: which vials its portions come from, when it was filled, how long it was hot.

Times are minutes after the start and as rough as the simulator's (`simulate.PER_LIQUID` and the like).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from labwright.tools.liquid_handler.experiment_design import DILUTION
from labwright.tools.liquid_handler.platform import ROOM, well_name
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.protocol_steps import Protocol, Step, Well
from labwright.tools.liquid_handler.simulate import PER_LIQUID, PER_POWDER, Moment, minutes_of
from labwright.tools.liquid_handler.vial_amounts import VialRecipe

Place = tuple[str, Well]


@dataclass(frozen=True, slots=True)
class Portion:
    """`volume` uL of another vial, taken at `minute`; `note` is the time that was asked for, such as ``15 min``."""

    origin: Place
    volume: float
    minute: float
    note: str = ""


@dataclass(slots=True)
class History:
    """One vial, known by where it stands in the end.

    Attributes:
        recipe: what was asked of it, or of the vial that its first portion comes from; None where nothing was asked.
        filled: when its last addition ended; None if none was made.
        hot: (degC, minutes) of every heating, in order.
        sampled: when portions were taken from it.
    """

    recipe: VialRecipe | None = None
    portions: list[Portion] = field(default_factory=list)
    filled: float | None = None
    hot: list[tuple[float, float]] = field(default_factory=list)
    sampled: list[float] = field(default_factory=list)

    @property
    def hot_minutes(self) -> float:
        """Minutes above room temperature."""
        return sum(minutes for _, minutes in self.hot)


def histories(made: Made) -> dict[Place, History]:
    """Every vial that something was put into, by plate and well."""
    deck = _Deck(made.protocol, dict(zip(made.layout.wells, made.amounts.vials, strict=True)))
    for step, moment in zip(made.protocol.steps, made.case.run.moments, strict=True):
        deck.go_on(step, moment)
    order = {plate.name: number for number, plate in enumerate(made.protocol.plates)}
    return dict(sorted(deck.vials.items(), key=lambda item: (order.get(item[0][0], len(order)), item[0][1])))


class _Deck:
    """The vials while the steps are read."""

    def __init__(self, protocol: Protocol, asked: dict[Place, VialRecipe]) -> None:
        self.asked = asked
        self.vials: dict[Place, History] = {}
        self.setpoints = dict.fromkeys((plate.name for plate in protocol.plates), ROOM)
        self.timers: dict[Place, float] = {}
        self.changed: set[str] = set()  # plates whose temperature was set since time last passed

    def vial(self, place: Place) -> History:
        return self.vials.setdefault(place, History(self.asked.get(place)))

    def go_on(self, step: Step, moment: Moment) -> None:
        if step.action == "Add":
            each = PER_POWDER if step.unit == "mg" else PER_LIQUID
            for number, well in enumerate(step.amounts, start=1):
                self.vial((step.plate, well)).filled = moment.begins + number * each
        elif step.action == "Transfer":
            for number, (well, amount) in enumerate(step.amounts.items(), start=1):
                origin = (step.subject, step.origins.get(well, well))
                minute = moment.begins + minutes_of(step) * number / len(step.amounts)
                self._transfer(step, origin, (step.plate, well), amount, minute)
        elif step.subject == "HeatingTemp":
            self.changed |= {step.plate} if self.setpoints.get(step.plate) != max(step.amounts.values()) else set()
            self.setpoints[step.plate] = max(step.amounts.values())
        elif step.subject == "VialTimers":
            self.timers |= {(step.plate, well): minutes for well, minutes in step.amounts.items()}
        if "MoveVial" not in step.tags and moment.ends > moment.begins:
            for (plate, _), vial in self.vials.items():
                self._heat(vial, plate, moment.ends - moment.begins)
            self.changed.clear()

    def _transfer(self, step: Step, origin: Place, target: Place, amount: float, minute: float) -> None:
        if "MoveVial" in step.tags:
            if "WaitVialTimer" in step.tags:
                self._heat(self.vial(origin), origin[0], self.timers.get(origin, 0.0))
            if origin in self.vials:
                self.vials[target] = self.vials.pop(origin)
            return
        source, vial = self.vial(origin), self.vial(target)
        source.sampled.append(minute)
        vial.portions.append(Portion(origin, amount, minute, step.note))
        vial.recipe = vial.recipe or source.recipe
        vial.filled = minute

    def _heat(self, vial: History, plate: str, minutes: float) -> None:
        temperature = self.setpoints.get(plate, ROOM)
        if temperature <= ROOM or minutes <= 0:
            return
        if vial.hot and vial.hot[-1][0] == temperature and plate not in self.changed:
            vial.hot[-1] = (temperature, vial.hot[-1][1] + minutes)
        else:
            vial.hot.append((temperature, minutes))


def origin_text(history: History) -> str:
    """``Plate 1 A1`` for a vial with one portion; several are joined by ``+``; empty for a vial with none."""
    places = (portion.origin for portion in history.portions)
    return " + ".join(f"{plate} {well_name(*well)}" for plate, well in places)


def note_text(history: History) -> str:
    """What is noted of a vial's portions: when they were to be taken."""
    return " + ".join(filter(None, (portion.note for portion in history.portions)))


def clock(minutes: float | None) -> str:
    """``1:05`` for 65 minutes; empty for None."""
    if minutes is None:
        return ""
    whole = round(minutes)
    return f"{whole // 60}:{whole % 60:02}"


def hot_text(history: History) -> str:
    """``80 degC 0:30`` for every heating."""
    return ", ".join(f"{temperature:g} degC {clock(minutes)}" for temperature, minutes in history.hot)


def samples(made: Made) -> Iterator[tuple[Place, History]]:
    """The vials for analysis: those of the second plate, and every vial of a serial dilution that is not there."""
    known = histories(made)
    home = {plate.name for plate in made.layout.plates}
    elsewhere = {place for place, one in known.items() if one.portions and place[0] not in home}
    there = {portion.origin for place in elsewhere for portion in known[place].portions}
    for place, history in known.items():
        series = history.recipe is not None and DILUTION in history.recipe.levels
        if place in elsewhere or (series and place not in there):
            yield place, history


def concentrations(made: Made, place: Place) -> dict[str, float]:
    """Nominal mM of every species in a vial at the end, as if nothing had reacted; solids count as dissolved.

    What is only known by its volume, such as a buffer, has none.
    """
    vial = made.case.run.vials[place]
    species = made.amounts.cupboard.species
    known = {
        name: mg for name, mg in vial.contents.items() if name in species and vial.volume * species[name].molar_mass
    }
    return {name: 1e6 * mg / species[name].molar_mass / vial.volume for name, mg in known.items()}
