"""Faults put into right protocols: does each check see its kind, and is it silent where nothing is wrong?

A fault changes the protocol, as a wrong file would; the design and what was computed from it stay. It returns None
where it cannot be put, as there is no transfer to spoil in a protocol without one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from labwright.evaluation.random_protocols import random_design
from labwright.tools.liquid_handler.checks.base import Case
from labwright.tools.liquid_handler.checks.run import check
from labwright.tools.liquid_handler.pipetting_manner import PLAIN
from labwright.tools.liquid_handler.platform import MAX_SOURCES, SAFE_TO_OPEN, TIPS
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol
from labwright.tools.liquid_handler.protocol_steps import Plate, Protocol, Step, Well

Inject = Callable[[Made, random.Random], Protocol | None]
Chosen = Callable[[Step], bool]
Change = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault, and the code of the finding that must name it."""

    name: str
    code: str
    inject: Inject


def codes(made: Made, protocol: Protocol) -> set[str]:
    """What the checks say of `protocol`, made for what `made` was made for."""
    return {finding.code for finding in check(Case(made.design, made.amounts, made.layout, protocol))}


def right_protocols(seed: int = 0) -> Iterator[Made]:
    """Protocols of drawn designs, without end; none is left out for what the checks say of it."""
    number = 0
    while True:
        made = make_protocol(random_design(random.Random(f"{seed} {number}")))
        assert isinstance(made, Made)
        yield made
        number += 1


# -- ways to change a protocol ---------------------------------------------------------------------------------------


def where(protocol: Protocol, chosen: Chosen) -> list[int]:
    """Indices of the steps that `chosen` picks."""
    return [index for index, step in enumerate(protocol.steps) if chosen(step)]


def with_steps(protocol: Protocol, *steps: Step) -> Protocol:
    """The protocol with other steps."""
    return replace(protocol, steps=steps)


def changed(protocol: Protocol, index: int, **fields: object) -> Protocol:
    """One step with other fields."""
    step = replace(protocol.steps[index], **fields)  # type: ignore[arg-type]
    return with_steps(protocol, *protocol.steps[:index], step, *protocol.steps[index + 1 :])


def without(protocol: Protocol, *indices: int) -> Protocol:
    """Fewer steps."""
    return with_steps(protocol, *(step for index, step in enumerate(protocol.steps) if index not in indices))


def moved(protocol: Protocol, index: int, to: int) -> Protocol:
    """One step elsewhere."""
    steps = list(protocol.steps)
    steps.insert(to, steps.pop(index))
    return with_steps(protocol, *steps)


def valued(protocol: Protocol, index: int, change: Change, wells: int | None = None) -> Protocol:
    """One step with other values, in its first `wells` wells or in all."""
    amounts = protocol.steps[index].amounts
    new = {w: change(v) if wells is None or i < wells else v for i, (w, v) in enumerate(amounts.items())}
    return changed(protocol, index, amounts=new)


def to(change: Change, wells: int | None = None) -> Callable[[Protocol, int], Protocol]:
    """`valued` for a step that is chosen later."""
    return lambda protocol, index: valued(protocol, index, change, wells)


def on(chosen: Chosen, change: Callable[[Protocol, int], Protocol], *, last: bool = False) -> Inject:
    """A fault in one of the steps that `chosen` picks: any, or the last."""

    def inject(made: Made, rng: random.Random) -> Protocol | None:
        found = where(made.protocol, chosen)
        return change(made.protocol, found[-1] if last else rng.choice(found)) if found else None

    return inject


def adds(unit: str = "") -> Chosen:
    """Additions, of solids (mg) or liquids (uL) where a unit is named."""
    return lambda step: step.action == "Add" and unit in ("", step.unit)


def sets(parameter: str, *, above: float = -1.0, below: float = float("inf")) -> Chosen:
    """Settings of a parameter to a value in a range."""

    def chosen(step: Step) -> bool:
        return step.action == "Set" and step.subject == parameter and above < max(step.amounts.values()) < below

    return chosen


def tagged(tag: str) -> Chosen:
    """Steps with a tag."""
    return lambda step: tag in step.tags


def in_a_manner(step: Step) -> bool:
    """Additions of which it is said how they are pipetted."""
    return step.manner != PLAIN


def by_robot(protocol: Protocol, index: int) -> Protocol:
    """A step that a person does, as if the robot did it."""
    return changed(protocol, index, tags=("Powder",))


def pours(step: Step) -> bool:
    """Transfers of liquid."""
    return step.action == "Transfer" and step.unit == "uL"


def source(**fields: object) -> Inject:
    """One source with other fields; liquids only."""

    def inject(made: Made, rng: random.Random) -> Protocol | None:
        liquids = [index for index, one in enumerate(made.protocol.sources) if one.unit == "uL"]
        sources, index = list(made.protocol.sources), rng.choice(liquids)
        sources[index] = replace(sources[index], **fields)  # type: ignore[arg-type]
        return replace(made.protocol, sources=tuple(sources))

    return inject


# -- faults that need more than one step -----------------------------------------------------------------------------


def _filler(made: Made) -> str:
    return made.design.groups[0].doses[-1].substance


def filled_to(share: float) -> Inject:
    """The solvent that fills up is poured until a vial holds `share` of its volume."""

    def inject(made: Made, rng: random.Random) -> Protocol | None:
        first = made.layout.plates[0]
        found = where(made.protocol, lambda step: step.subject == _filler(made) and step.plate == first.name)
        total = made.amounts.vials[0].total
        if not found or total is None:
            return None
        return valued(made.protocol, found[0], lambda value: value + share * first.vial - total)

    return inject


def too_little(made: Made, rng: random.Random) -> Protocol | None:
    """One vial is filled up to less than its total."""
    found = where(made.protocol, lambda step: step.action == "Add" and step.subject == _filler(made))
    return valued(made.protocol, found[0], lambda value: 0.8 * value, wells=1) if found else None


def dosed(change: Change) -> Inject:
    """One vial gets another amount of something whose amount is stated."""

    def inject(made: Made, rng: random.Random) -> Protocol | None:
        found = where(made.protocol, lambda step: step.action == "Add" and step.subject != _filler(made))
        found = [index for index in found if made.protocol.steps[index].plate != _twin(made)]
        return valued(made.protocol, rng.choice(found), change, wells=1) if found else None

    return inject


def _twin(made: Made) -> str:
    return made.layout.twin.name if made.layout.twin and made.layout.twin_for != "timers" else ""


def _late(made: Made) -> list[int]:
    """The steps that add something in between."""
    pairs = zip(made.amounts.vials, made.layout.wells, strict=True)
    later = {(name, place) for vial, place in pairs for one in vial.later.values() for name in one}

    def added(step: Step) -> bool:
        return step.action == "Add" and any((step.subject, (step.plate, well)) in later for well in step.amounts)

    return where(made.protocol, added)


def late_left_out(made: Made, rng: random.Random) -> Protocol | None:
    """What is to be added in between is not."""
    found = _late(made)
    return without(made.protocol, rng.choice(found)) if found else None


def late_early(made: Made, rng: random.Random) -> Protocol | None:
    """What is to be added after a treatment is added before it."""
    first = made.design.conditions[0] if made.design.conditions else None
    found = _late(made)
    delays = where(made.protocol, sets("Delay"))
    if not found or first is None or first.time is None or first.groups or first.sample_at or found[0] < delays[0]:
        return None
    return moved(made.protocol, found[0], 0)


def late_dosed(made: Made, rng: random.Random) -> Protocol | None:
    """One vial gets 5 % more of what is added in between, in one of its portions."""
    found = _late(made)
    more = 1 + 0.05 * max((one.portions for one in made.design.conditions), default=1)
    return valued(made.protocol, rng.choice(found), lambda value: more * value, wells=1) if found else None


def at_rest(made: Made, rng: random.Random) -> Protocol | None:
    """What is to be added into stirred vials goes into vials at rest."""
    found = [at for at, step in enumerate(made.protocol.steps) if step.action != "Set" and "stirred" in step.note]
    starts = [at for at in where(made.protocol, sets("StirRate", above=0)) if found and at < found[0]]
    return without(made.protocol, starts[-1]) if starts else None


def other_degrees(*, filling: bool) -> Inject:
    """A plate 3 degC colder than asked: while it is filled, where the whole protocol has a temperature, or later."""

    def inject(made: Made, rng: random.Random) -> Protocol | None:
        base, found = made.layout.base, where(made.protocol, sets("HeatingTemp", above=30))
        if filling:
            found = [0] if base > 30 else []
        else:
            found = [at for at in found if abs(max(made.protocol.steps[at].amounts.values()) - base) > 1e-3]
        return valued(made.protocol, rng.choice(found), lambda value: value - 3) if found else None

    return inject


def blunt(made: Made, rng: random.Random) -> Protocol | None:
    """A plastic tip goes into vials with whole septa."""
    pairs = zip(made.protocol.steps, made.case.run.moments, strict=True)
    found = [
        at
        for at, (step, moment) in enumerate(pairs)
        if step.action == "Add" and set(step.amounts) & moment.capped.get(step.plate, frozenset())
    ]
    if not found or made.layout.septa != "whole":
        return None
    return changed(made.protocol, rng.choice(found), tags=("PDT", "Tip1000uL"))


def portion_left_out(made: Made, rng: random.Random) -> Protocol | None:
    """Vials get nothing of the vial that is to give to them."""
    if not any(one.from_vials for one in made.design.conditions):
        return None
    return without(made.protocol, rng.choice(where(made.protocol, pours)))


def second_left_out(made: Made, rng: random.Random) -> Protocol | None:
    """What is to be added to the second plate after its portions is not."""
    second = made.design.workup or made.design.sampling
    if second is None or not second.added:
        return None
    return without(made.protocol, where(made.protocol, lambda s: s.action == "Add" and s.plate == _twin(made))[-1])


def sampled_late(made: Made, rng: random.Random) -> Protocol | None:
    """A sample is taken five minutes after its time."""
    takes = [index for index in where(made.protocol, pours) if made.protocol.steps[index].plate == _twin(made)]
    delays = [at for at in where(made.protocol, sets("Delay")) if takes and at < takes[-1]]
    last = [one.minutes[-1] for one in made.design.conditions if one.minutes]
    if made.layout.twin_for != "samples" or not delays or not any(last):
        return None
    return valued(made.protocol, delays[-1], lambda value: value + 5)


def sample_left_out(made: Made, rng: random.Random) -> Protocol | None:
    """No sample is taken at one of the times."""
    found = [index for index in where(made.protocol, pours) if made.protocol.steps[index].plate == _twin(made)]
    return without(made.protocol, rng.choice(found)) if made.layout.twin_for == "samples" else None


def no_quench(made: Made, rng: random.Random) -> Protocol | None:
    """The vials for samples or dilutions are empty."""
    found = where(made.protocol, lambda step: step.action == "Add" and step.plate == _twin(made))
    return without(made.protocol, *found) if found else None


def other_vial(made: Made, rng: random.Random) -> Protocol | None:
    """Two portions come from each other's vial."""
    found = [at for at in where(made.protocol, pours) if len({*made.protocol.steps[at].origins.values()}) > 1]
    if not found:
        return None
    index = rng.choice(found)
    origins = dict(made.protocol.steps[index].origins)
    one, other = rng.sample(list(origins), 2)
    origins[one], origins[other] = origins[other], origins[one]
    return changed(made.protocol, index, origins=origins)


def series_reversed(made: Made, rng: random.Random) -> Protocol | None:
    """The second dilution is made before the first."""
    found = [at for at in where(made.protocol, pours) if made.protocol.steps[at].plate != _twin(made)]
    if not any(group.serial and group.serial.steps > 1 for group in made.design.groups):
        return None
    steps = list(made.protocol.steps)
    steps[found[0]], steps[found[-1]] = steps[found[-1]], steps[found[0]]
    return with_steps(made.protocol, *steps)


def left_out(made: Made, rng: random.Random) -> Protocol | None:
    """Nobody adds one of the substances."""
    found = where(made.protocol, lambda step: step.action == "Add" and step.plate != _twin(made))
    return without(made.protocol, rng.choice(found))


def heat_left_on(made: Made, rng: random.Random) -> Protocol | None:
    """Nothing ends the heating."""
    found = where(made.protocol, sets("HeatingTemp", below=26))
    return without(made.protocol, *found) if found else None


def off_the_plate(protocol: Protocol, index: int) -> Protocol:
    """An addition to a well that no plate has."""
    return changed(protocol, index, amounts={(9, 20): 50.0})


def swapped(made: Made, rng: random.Random) -> Protocol | None:
    """Two vials get each other's amount."""
    for index in where(made.protocol, adds()):
        amounts = dict(made.protocol.steps[index].amounts)
        wells = list(amounts)
        pairs = [(a, b) for a in wells for b in wells if abs(amounts[a] - amounts[b]) > 0.01 * amounts[a] + 0.1]
        if pairs:
            one, other = rng.choice(pairs)
            amounts[one], amounts[other] = amounts[other], amounts[one]
            return changed(made.protocol, index, amounts=amounts)
    return None


def emptied(made: Made, rng: random.Random) -> Protocol | None:
    """One asked vial stays empty."""
    plate, well = rng.choice(made.layout.wells)

    def fewer(step: Step) -> Step:
        here = step.plate == plate and step.action == "Add"
        return replace(step, amounts={w: v for w, v in step.amounts.items() if w != well}) if here else step

    steps = [fewer(step) for step in made.protocol.steps]
    return with_steps(made.protocol, *(step for step in steps if step.amounts))


def extra_vial(made: Made, rng: random.Random) -> Protocol | None:
    """A vial is filled that nobody asked for."""
    plate = made.layout.plates[-1]
    used = {well for name, well in made.layout.wells if name == plate.name}
    free: list[Well] = [(r, c) for r in range(plate.rows) for c in range(plate.columns) if (r, c) not in used]
    found = where(made.protocol, lambda step: step.action == "Add" and step.plate == plate.name)
    if not free or not found:
        return None
    index = rng.choice(found)
    amounts = dict(made.protocol.steps[index].amounts)
    return changed(made.protocol, index, amounts={**amounts, rng.choice(free): max(amounts.values())})


def solids_late(made: Made, rng: random.Random) -> Protocol | None:
    """A solid comes after a liquid on its plate."""
    for index in where(made.protocol, adds("mg")):
        plate = made.protocol.steps[index].plate
        later = [at for at in where(made.protocol, adds("uL")) if made.protocol.steps[at].plate == plate]
        if later and index < later[0]:
            return moved(made.protocol, index, later[0])
    return None


def water_on_acid(made: Made, rng: random.Random) -> Protocol | None:
    """The acid comes before the water on its plate."""
    acids = where(made.protocol, lambda step: step.action == "Add" and step.subject == "acetic acid")
    acids = [index for index in acids if index not in _late(made)]
    for index in acids:
        plate = made.protocol.steps[index].plate
        if water := where(made.protocol, lambda s, p=plate: s.subject == "water" and s.plate == p):  # type: ignore[misc]
            return moved(made.protocol, index, water[0])
    return None


def through_caps(made: Made, rng: random.Random) -> Protocol | None:
    """The caps come before the additions."""
    found = where(made.protocol, sets("Cap", above=0))
    return moved(made.protocol, found[0], 0) if found and made.layout.capped and not made.layout.septa else None


def heated_open(made: Made, rng: random.Random) -> Protocol | None:
    """Caps are forgotten before a heating."""
    caps, heats = where(made.protocol, sets("Cap", above=0)), where(made.protocol, sets("HeatingTemp", above=35))
    open_ = any(one.cap is False or (one.kind == "add" and one.temperature) for one in made.design.conditions)
    if not heats or made.layout.twin_for == "timers" or open_:
        return None
    return without(made.protocol, *(index for index in caps if index < heats[0]))


def opened_hot(made: Made, rng: random.Random) -> Protocol | None:
    """The plate is not waited for before it is opened."""
    opens, heats = where(made.protocol, sets("Cap", below=1)), where(made.protocol, sets("HeatingTemp", above=60))
    opens = [index for index in opens if made.protocol.steps[index].plate != _twin(made)]
    if not opens or not heats:
        return None
    assert max(made.protocol.steps[heats[-1]].amounts.values()) > SAFE_TO_OPEN
    end = next(index for index in where(made.protocol, sets("HeatingTemp", below=26)) if index > heats[-1])
    waits = [index for index in where(made.protocol, sets("Delay")) if end < index < opens[0]]
    return without(made.protocol, *waits)


def not_waited(parameter: str) -> Inject:
    """What is switched on is switched off at once."""

    def inject(made: Made, rng: random.Random) -> Protocol | None:
        starts = where(made.protocol, sets(parameter, above=30))
        if not starts or made.layout.twin_for == "timers":
            return None
        ends = [index for index in where(made.protocol, sets(parameter, below=30)) if index > starts[0]]
        if any(step.action == "Add" for step in made.protocol.steps[starts[0] : ends[0]]):
            return None  # something goes in meanwhile
        waits = [index for index in where(made.protocol, sets("Delay")) if starts[0] < index < ends[0]]
        return without(made.protocol, *waits) if waits else None

    return inject


def delay_between_timers(made: Made, rng: random.Random) -> Protocol | None:
    """The whole deck waits while vials have their own times."""
    found = where(made.protocol, tagged("StartVialTimer"))
    if not found:
        return None
    delay = Step("Set", "Delay", "Plate 1", "min", {(0, 0): 10.0})
    steps = made.protocol.steps
    return with_steps(made.protocol, *steps[: found[0] + 1], delay, *steps[found[0] + 1 :])


def another_time(made: Made, rng: random.Random) -> Protocol | None:
    """A delay that was asked for lasts three minutes more; one for cooling, which nobody asked for, may."""
    workup = made.design.workup.conditions if made.design.workup else []
    if made.design.sampling:
        return None  # a wait between two samples may be as long by chance
    asked = {one.time.to("min") for one in [*made.design.conditions, *workup] if one.time}
    delays = where(made.protocol, lambda s: s.subject == "Delay" and max(s.amounts.values()) in asked and not s.note)
    return valued(made.protocol, rng.choice(delays), lambda value: value + 3) if delays else None


def uncapped(made: Made, rng: random.Random) -> Protocol | None:
    """No cap on anything, methanol included."""
    found = where(made.protocol, sets("Cap"))
    if not found or not any("methanol" in vial.additions for vial in made.amounts.vials):
        return None
    return without(made.protocol, *found)


def capped_uncappable(made: Made, rng: random.Random) -> Protocol | None:
    """The deck shall cap vials that it cannot."""
    plate = made.layout.plates[0]
    if plate.cappable:
        return None
    wells = dict.fromkeys((well for name, well in made.layout.wells if name == plate.name), 1.0)
    return with_steps(made.protocol, *made.protocol.steps, Step("Set", "Cap", plate.name, "", wells, ("Processing",)))


def small_tip(made: Made, rng: random.Random) -> Protocol | None:
    """A tip much smaller than the volume."""
    found = [i for i in where(made.protocol, adds("uL")) if max(made.protocol.steps[i].amounts.values()) > TIPS[0]]
    return changed(made.protocol, rng.choice(found), tags=("PDT", f"Tip{TIPS[0]:g}uL")) if found else None


def crowded(made: Made, rng: random.Random) -> Protocol | None:
    """More sources than the deck has places."""
    more = [replace(made.protocol.sources[0], name=f"spare {i}") for i in range(MAX_SOURCES)]
    return replace(made.protocol, sources=(*made.protocol.sources, *more))


def no_such_array(made: Made, rng: random.Random) -> Protocol | None:
    """A plate that the platform does not have."""
    first, *others = made.protocol.plates
    return replace(made.protocol, plates=(Plate(first.name, 7, 13, first.vial, True), *others))


def unloaded(made: Made, rng: random.Random) -> Protocol | None:
    """A source that steps draw from is missing."""
    gone = rng.choice(made.protocol.sources)
    return replace(made.protocol, sources=tuple(one for one in made.protocol.sources if one is not gone))


def loaded_twice(made: Made, rng: random.Random) -> Protocol | None:
    """Two sources of one name."""
    return replace(made.protocol, sources=(*made.protocol.sources, rng.choice(made.protocol.sources)))


def doubled(protocol: Protocol, index: int) -> Protocol:
    """A step done twice."""
    return with_steps(protocol, *protocol.steps[: index + 1], *protocol.steps[index:])


def other_unit(protocol: Protocol, index: int) -> Protocol:
    """mg for uL, or uL for mg."""
    return changed(protocol, index, unit="mg" if protocol.steps[index].unit == "uL" else "uL")


def other_dispenser(protocol: Protocol, index: int) -> Protocol:
    """Liquids by the powder dispenser, powders by the pump."""
    return changed(protocol, index, tags=("SyringePump",) if protocol.steps[index].unit == "mg" else ("Powder",))
