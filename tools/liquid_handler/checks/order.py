"""The order of things: solids first, acid into water, cap before heat, cool before opening, rates back to zero."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from labwright.tools.liquid_handler.checks.base import Case, Finding, error, warning
from labwright.tools.liquid_handler.checks.chemistry import acid_sources
from labwright.tools.liquid_handler.dispensing import depth
from labwright.tools.liquid_handler.platform import COOLED_WITHIN, DEFAULT_STIR, ROOM, SAFE_TO_OPEN
from labwright.tools.liquid_handler.protocol_steps import UNDER, Plate, Step, Well, passes
from labwright.tools.liquid_handler.simulate import Moment
from labwright.tools.liquid_handler.treatment_steps import blocks, cooling_time, warmed
from labwright.tools.liquid_handler.vial_treatments import Condition

RATES = ("StirRate", "VortexRate")


def additions(case: Case) -> Iterator[Finding]:
    """Solids before liquids on every plate, and water before strong acids; what a condition adds is asked for so."""
    liquids: dict[str, int] = {}
    acids: dict[str, int] = {}
    acid = acid_sources(case)
    materials, twin = case.amounts.cupboard.materials, case.layout.twin.name if case.layout.twin else ""
    first: set[tuple[str, str]] = set()  # what every plate gets before anything is done to it
    for vial, (plate, _) in zip(case.amounts.vials, case.layout.wells, strict=True):
        first |= {(name, plate) for name in vial.additions}
    later = {
        (name, plate)
        for vial, (plate, _) in zip(case.amounts.vials, case.layout.wells, strict=True)
        for added in vial.later.values()
        for name in added
    }
    for number, step in case.steps():
        if step.action != "Add" or (case.layout.twin_for != "timers" and step.plate == twin):
            continue  # what goes to the second plate is asked for in its order
        if (step.subject, step.plate) in later - first:
            continue
        first.discard((step.subject, step.plate))
        if step.unit == "mg" and step.plate in liquids:
            text = f"Step {number} adds solid {step.subject!r} after liquids (step {liquids[step.plate]})."
            yield error("order", number, step.amounts, text, "Add the solids first.")
        if step.unit == "uL":
            liquids.setdefault(step.plate, number)
        if step.subject in acid:
            acids.setdefault(step.plate, number)
        elif step.subject in materials and materials[step.subject].is_water and step.plate in acids:
            text = f"Step {number} adds water onto acid (step {acids[step.plate]})."
            yield error("acid", number, step.amounts, text, "Add the water first, then the acid.")


def caps(case: Case) -> Iterator[Finding]:
    """Only cappable vials are capped; nothing is added into or taken from a closed vial; heat finds vials closed."""
    for bare in (one for one in case.layout.plates if case.design.cap and not one.cappable):
        text = f"{bare.name} shall be capped, but the deck cannot cap vials of {bare.vial / 1000:g} mL."
        yield error("cap", None, (), text, "Take other vials, or say that these stay open.")
    for (number, step), moment in zip(case.steps(), case.run.moments, strict=True):
        plate = case.protocol.plate(step.plate)
        if plate is None:
            continue
        if step.subject == "Cap" and max(step.amounts.values(), default=0) > 0 and not plate.cappable:
            text = f"Step {number} caps {plate.vial / 1000:g} mL vials, which the deck cannot cap."
            yield error("cap", number, step.amounts, text, "Take another vial, or cap by hand and tick it off.")
        if step.action != "Set" and "MoveVial" not in step.tags:
            shut = _behind_caps(step, moment)
            if shut and not passes(step, case.design.septa):
                yield error("cap", number, shut, f"Step {number} pipettes through closed caps.", "Uncap first.")
        yield from _heat(case, number, step)


def _behind_caps(step: Step, moment: Moment) -> list[Well]:
    """Wells of a step that are closed, or get their portion from closed ones."""
    closed = moment.capped.get(step.plate, frozenset())
    behind = moment.capped.get(step.subject, frozenset()) if step.action == "Transfer" else frozenset()
    return [well for well in step.amounts if well in closed or step.origins.get(well, well) in behind]


def _heat(case: Case, number: int, step: Step) -> Iterator[Finding]:
    """Heat needs closed vials on the plate, or vials that come closed and are moved there."""
    if step.subject != "HeatingTemp" or max(step.amounts.values(), default=0) <= SAFE_TO_OPEN - 10:
        return
    moment = case.run.moments[number - 1]
    standing = {w for (name, w), v in case.run.received.items() if name == step.plate and v}
    open_ = [well for well in step.amounts if well in standing and well not in moment.capped.get(step.plate, ())]
    if open_ and case.layout.capped and not _open_at(case, max(step.amounts.values())):
        text = f"Step {number} heats open vials to {max(step.amounts.values()):g} degC."
        yield error("cap_before_heat", number, open_, text, "Cap the vials before heating.")


def _open_at(case: Case, degrees: float) -> bool:
    """Whether open vials are asked for at that temperature."""
    items = [item.condition for block in blocks(case.design, case.amounts, case.layout) for item in block]
    open_ = [one for one in items if one.kind == "add" or not one.closed(case.layout.closed)]
    second = case.design.workup or case.design.sampling
    open_ += [one for one in second.conditions if one.kind == "add" or one.cap is False] if second else []
    asked = [case.layout.base, *(one.temperature.to("degC") for one in open_ if one.temperature)]
    return any(abs(degrees - each) < 1e-3 for each in asked)


def opening(case: Case) -> Iterator[Finding]:
    """No vial is uncapped while its plate is hot."""
    for (number, step), moment in zip(case.steps(), case.run.moments, strict=True):
        now = moment.temperatures.get(step.plate, 25.0)
        opens = step.subject == "Cap" and min(step.amounts.values(), default=1) == 0
        if opens and now > SAFE_TO_OPEN:
            text = f"Step {number} opens vials at {now:.0f} degC."
            yield error("cool_before_open", number, step.amounts, text, f"Cool below {SAFE_TO_OPEN:g} degC first.")


def mixed(case: Case) -> Iterator[Finding]:
    """Portions come out of vials that were mixed after the last addition to them: the sum takes them as even."""
    layers: set[tuple[str, Well]] = set()  # vials with something on top of something else
    filled: set[tuple[str, Well]] = set()
    for (number, step), now in zip(case.steps(), case.settings, strict=True):
        moving = {plate for plate, parameter in now if parameter in RATES and now[plate, parameter]}
        if (step.action == "Set" and step.subject in ("Delay", "VialTimers")) or step.action != "Set":
            layers = {spot for spot in layers if spot[0] not in moving}
        if step.action == "Transfer" and "MoveVial" not in step.tags:
            uneven = [well for well in step.amounts if (step.subject, step.origins.get(well, well)) in layers]
            if uneven:
                text = f"Step {number} takes portions of vials that nothing has mixed since the last addition."
                yield warning("unmixed", number, uneven, text, "Mix them before (`kind: mix`), or let a manner `mix`.")
        if step.action != "Set" and "MoveVial" not in step.tags:
            spots = {(step.plate, well) for well in step.amounts}
            layers |= (spots & filled) - (
                {spot for spot in spots if spot[0] in moving} if not step.manner.mix else spots
            )
            filled |= spots


def rates(case: Case) -> Iterator[Finding]:
    """What is switched on lasts for a delay and is switched off; heat as well."""
    on: dict[tuple[str, str], int] = {}
    waited: set[tuple[str, str]] = set()
    for number, step in case.steps():
        timed = step.subject == "Delay" or "WaitVialTimer" in step.tags
        if timed and max(step.amounts.values(), default=0) > 0:
            waited |= set(on)
        if step.action != "Set" and "MoveVial" not in step.tags:  # it goes in meanwhile
            waited |= {key for key in on if key[0] == step.plate}
        if step.action != "Set" or step.subject not in (*RATES, "HeatingTemp"):
            continue
        key = (step.plate, step.subject)
        value = max(step.amounts.values(), default=0.0)
        if value > (max(case.layout.base, ROOM) if step.subject == "HeatingTemp" else 0.0):
            on[key] = number
            waited.discard(key)
        elif key in on:
            if key not in waited:
                text = f"Step {on[key]} sets {step.subject}, but no delay follows before step {number} ends it."
                yield error("delay", on[key], (), text, "Set a Delay after it.")
            del on[key]
    last = {(step.plate, step.subject): number for number, step in case.steps() if step.subject == "HeatingTemp"}
    warm = {key: number for key, number in last.items() if max(case.protocol.steps[number - 1].amounts.values()) > ROOM}
    for (plate, subject), number in (warm | on).items():
        text = f"{subject} of {plate} is still on at the end (since step {number})."
        yield error("left_on", number, (), text, f"Set {subject} to {'25' if subject == 'HeatingTemp' else '0'}.")


def timers(case: Case) -> Iterator[Finding]:
    """Between starting and awaiting vial timers nothing may hold the whole deck; every started timer is awaited."""
    started: int | None = None
    for number, step in case.steps():
        if "StartVialTimer" in step.tags:
            started = number
        elif "WaitVialTimer" in step.tags:
            started = None
        elif started is not None and step.subject == "Delay":
            yield error("timers", number, (), f"Step {number} delays the deck while vial timers run.", "Remove it.")
    if started is not None:
        yield error("timers", started, (), f"Step {started} starts timers that nothing awaits.", "Transfer back.")
    factors = {c.time_factor for c in case.design.conditions if c.time_factor}
    for number, step in case.steps():
        if step.subject == "VialTimers" and step.action == "Set":
            places = zip(case.amounts.vials, case.layout.wells, strict=True)
            wanted = {well: sum(vial.times.values()) for vial, (_, well) in places if vial.times}
            wrong = [w for w, minutes in wanted.items() if abs(step.amounts.get(w, -1.0) - minutes) > 1e-3]
            if wrong:
                yield error(
                    "timers", number, wrong, f"Step {number} sets other times than asked.", "Set the asked times."
                )
    if factors and not any(step.subject == "VialTimers" for _, step in case.steps()):
        yield error("timers", None, (), "Times are asked for every vial, but no timers are set.", "Set VialTimers.")


def conditions(case: Case) -> Iterator[Finding]:
    """Every asked temperature, on every plate, and every asked time stands in the file, in the order asked."""
    twin = (case.layout.twin,) if case.layout.twin else ()
    course = blocks(case.design, case.amounts, case.layout)
    last = case.design.workup or case.design.sampling
    asked = [
        [(one.condition, twin if one.condition.time_factor else one.plates) for one in block if one.index is not None]
        for block in course
    ]
    asked += [[(warmed(one), twin)] for one in last.conditions] if last else []
    yield from _temperatures(case, [(one, [plate.name for plate in on]) for block in asked for one, on in block])
    # What stands before the treatments, delays of a serial dilution too, is asked for by no condition.
    delays, past = _delays(case), _filled(case)
    for number, step in case.steps():
        now = case.settings[number - 1].get((step.plate, "HeatingTemp"), ROOM)
        if number <= past and step.action == "Add" and abs(now - case.layout.base) > 1e-3:
            text = f"Step {number} fills vials at {now:g} degC, not at {case.layout.base:g} degC."
            yield error("conditions", number, (), text, "Set HeatingTemp before it.")
            break
    for block in asked:
        if len(block) > 1:
            yield from _side_by_side(case, block)
            continue
        for condition, plates in block:
            if condition.kind == "add":
                where = {plate.name for plate in plates} if plates == twin else _added_to(condition, case)
                added = [
                    (number, step)
                    for number, step in case.steps()
                    if number > past
                    and step.plate in where
                    and _adds(step, condition, case)
                    and _meanwhile(condition, case, number)
                ]
                counts = Counter(step.plate for _, step in added)
                if any(counts[plate] < condition.portions for plate in where):
                    name = condition.via or condition.substance or condition.from_vials
                    text = f"{name!r} is to be added in between, but is not, too early, or not stirred or hot as asked."
                    yield error("conditions", None, (), text, "Add it after what comes before it, in that state.")
                past = min((number for number, _ in added), default=past)
                continue
            if condition.time is None or condition.time_factor is not None or condition.sample_at:
                continue
            names = [plate.name for plate in plates]
            found = next((each for each in delays if each[0] > past and _lasts(condition, names, *each[1:])), None)
            if found is None:
                minutes = condition.time.to("min")
                text = f"{condition.time} of {condition.kind} is asked, but no delay of {minutes:g} min is left for it."
                yield error("conditions", None, (), text, "Set the Delay.")
            else:
                past = found[0]


def _filled(case: Case) -> int:
    """The step with which the vials are made: the last first addition, or portion of a serial dilution."""
    first: set[tuple[str, str]] = set()
    for vial, (plate, _) in zip(case.amounts.vials, case.layout.wells, strict=True):
        first |= {(name, plate) for name in vial.additions}
    deepest = max((depth(vial, case.amounts) for vial in case.amounts.vials), default=0)
    past, home, delays = 0, {plate.name for plate in case.layout.plates}, 0
    for number, step in case.steps():
        if step.action == "Add" and (step.subject, step.plate) in first:
            first.discard((step.subject, step.plate))
            past = number
        if deepest and step.action == "Transfer" and step.subject in home and step.plate in home:
            past = number
        delays += deepest > 0 and step.subject == "Delay"
        if deepest and delays == deepest + 1:
            return max(past, number)
    return past


def _added_to(condition: Condition, case: Case) -> set[str]:
    """The plates with vials that get something by a condition."""
    index = case.design.conditions.index(condition)
    pairs = zip(case.amounts.vials, case.layout.wells, strict=True)
    return {plate for vial, (plate, _) in pairs if vial.later.get(index) or index in vial.poured}


def _adds(step: Step, condition: Condition, case: Case) -> bool:
    """Whether a step is an addition of that condition, whose substance may go by a factor."""
    home = {plate.name for plate in case.layout.plates}
    if condition.from_vials:
        return step.action == "Transfer" and {step.subject, step.plate} <= home and "MoveVial" not in step.tags
    if step.action != "Add":
        return False
    named = condition.via or condition.substance
    chosen = [
        name for group in case.design.groups for one in group.factors if one.name == named for name in one.chemicals
    ]
    return step.subject in (chosen or [str(named)])


def _meanwhile(condition: Condition, case: Case, number: int) -> bool:
    """Whether the plate of a step is stirred and warm as the addition asks."""
    now, plate = case.settings[number - 1], case.protocol.steps[number - 1].plate
    speed = condition.speed.to("rpm") if condition.speed else DEFAULT_STIR
    stirred = condition.by != "stir" or abs(now.get((plate, "StirRate"), 0.0) - speed) < 1e-3
    wanted = condition.temperature.to("degC") if condition.temperature else None
    return stirred and (wanted is None or _settled(case, number, plate, wanted))


def _settled(case: Case, number: int, plate: str, wanted: float) -> bool:
    """Whether a plate is set to a temperature, and has cooled or had the time to warm to it, when a step begins."""
    moments, steps = case.run.moments, case.protocol.steps
    sets = [i for i in range(number - 1) if (steps[i].subject, steps[i].plate) == ("HeatingTemp", plate)]
    values = [case.layout.base if not sets else ROOM, *(max(steps[i].amounts.values()) for i in sets)]
    warm = moments[number - 1].temperatures.get(plate, ROOM)
    if abs(values[-1] - wanted) > 1e-3 or warm > wanted + COOLED_WITHIN + 1e-3:
        return False
    return not sets or moments[number - 1].begins - moments[sets[-1]].ends > cooling_time(wanted - values[-2]) - 1e-3


def _side_by_side(case: Case, block: list[tuple[Condition, tuple[Plate, ...]]]) -> Iterator[Finding]:
    """Each of the plates stays as long as asked at its temperature."""
    for condition, plates in block:
        wanted = condition.temperature.to("degC") if condition.temperature else ROOM
        minutes = condition.time.to("min") if condition.time else 0.0
        for plate in plates:
            spans = [span for heat, span in _spans(case, plate.name) if abs(heat - wanted) < 1e-3]
            if not any(abs(span - minutes) < 1e-2 for span in spans):
                text = f"{plate.name} is not held at {wanted:g} degC for {minutes:g} min."
                yield error("conditions", None, (), text, "Set HeatingTemp, and the delays before it is set again.")


def _spans(case: Case, plate: str) -> Iterator[tuple[float, float]]:
    """(degC, min of delays) of every time that a plate's temperature is set."""
    now, span = ROOM, 0.0
    for _, step in case.steps():
        if step.subject == "Delay" and step.amounts:
            span += max(step.amounts.values())
        elif (step.subject, step.plate) == ("HeatingTemp", plate) and step.amounts:
            yield now, span
            now, span = max(step.amounts.values()), 0.0
    yield now, span


def samples(case: Case) -> Iterator[Finding]:
    """Samples are begun at their times, by the simulator's estimates of how long a portion takes."""
    wanted: list[tuple[float, float | None]] = []  # when, and when the one before in the same condition
    for one in case.design.conditions:
        befores = [None, *(minute or None for minute in one.minutes)]
        wanted += zip(one.minutes, befores[:-1], strict=True)
    begun, delay = [], 0.0
    for (_, step), moment in zip(case.steps(), case.run.moments, strict=True):
        if step.subject == "Delay":
            delay = moment.begins
        elif step.action == "Transfer" and case.layout.twin_for == "samples" and step.plate != step.subject:
            begun.append((moment.begins, delay))
    for number, (minute, before) in enumerate(wanted):
        if number >= len(begun):
            yield error("samples", None, (), f"The samples at {minute:g} min are not taken.", "Add the transfer.")
        elif minute > 0:
            # The first of a condition is counted from its delay, the next ones from the one before.
            since = begun[number][1] if before is None else begun[number - 1][0]
            found, asked = begun[number][0] - since, minute - (before or 0.0)
            if abs(found - asked) > 0.01:
                text = f"Samples follow after {found:g} min instead of {asked:g} min."
                yield error("samples", None, (), text, "Correct the delay before them.")


def _temperatures(case: Case, asked: list[tuple[Condition, list[str]]]) -> Iterator[Finding]:
    heats = [(step.plate, set(step.amounts.values())) for _, step in case.steps() if step.subject == "HeatingTemp"]
    for condition, plates in asked:
        if condition.kind != "heat" or condition.temperature is None:
            continue
        wanted = condition.temperature.to("degC")
        for name in plates:
            if not any(plate == name and all(abs(v - wanted) < 1e-3 for v in values) for plate, values in heats):
                text = f"{wanted:g} degC is asked, but never set for all of {name}."
                yield error("conditions", None, (), text, "Set HeatingTemp.")


def _delays(case: Case) -> list[tuple[int, float, dict[str, float], dict[str, float]]]:
    """Step and minutes of every delay, how hot each plate is set while it lasts, and is at most when it begins."""
    found: list[tuple[int, float, dict[str, float], dict[str, float]]] = []
    for (number, step), now in zip(case.steps(), case.settings, strict=True):
        if step.subject == "Delay" and step.amounts:
            hot = {plate: degrees for (plate, parameter), degrees in now.items() if parameter == "HeatingTemp"}
            found.append((number, max(step.amounts.values()), hot, case.run.moments[number - 1].temperatures))
    return found


def _lasts(
    condition: Condition, plates: list[str], minutes: float, hot: dict[str, float], warm: dict[str, float]
) -> bool:
    """Whether a delay is the asked one: as long, and hot, but no hotter, if it is a heating; a wait for cooling is not.

    A ramp that cools is waited for by its rate, not by the simulated run's.
    """
    assert condition.time is not None
    if abs(minutes - condition.time.to("min")) > 1e-3:
        return False
    if condition.kind != "heat" or condition.temperature is None:
        return True
    wanted = condition.temperature.to("degC")
    cooled = wanted + COOLED_WITHIN + 1e-3
    return all(
        abs(hot.get(plate, ROOM) - wanted) < 1e-3 and (condition.ramp is not None or warm.get(plate, ROOM) <= cooled)
        for plate in plates
    )


def surroundings(case: Case) -> Iterator[Finding]:
    """What the robot does not provide: an atmosphere, and caps that liquids go through."""
    design = case.design
    other = [one.atmosphere for one in design.conditions if one.atmosphere not in (None, design.atmosphere)]
    for gas in dict.fromkeys([design.atmosphere, *other]):
        if gas in ("nitrogen", "argon") or gas in other:
            text = f"The robot keeps no atmosphere, but vials are to be under {gas}."
            text += " A person changes it in between." if gas in other else ""
            yield warning("atmosphere", None, (), text, "Put the deck into a glove box, or see to it by hand.")
    for gas, count in Counter(one.atmosphere for one in design.conditions if one.atmosphere).items():
        if sum(UNDER + gas in step.note for step in case.protocol.steps) < count:
            text = f"{count} treatments are to be under {gas}, but the steps do not say so."
            yield error("conditions", None, (), text, "Say it in the description of their delays.")
    pierced = [
        (number, step)
        for (number, step), moment in zip(case.steps(), case.run.moments, strict=True)
        if step.action != "Set" and _behind_caps(step, moment) and passes(step, design.septa)
    ]
    if pierced:
        text = f"From step {pierced[0][0]} on liquids go through the caps."
        mend = "Cap with slit septa: plastic tips do not pierce whole ones." if design.septa == "slit" else ""
        mend = mend or "Only the needle of the syringe pump pierces whole septa; other robots open the vials by hand."
        yield warning("septa", pierced[0][0], (), text, mend)


def volatiles(case: Case) -> Iterator[Finding]:
    """Volatile contents left open, and closed vials heated above a boiling point."""
    cupboard = case.amounts.cupboard
    volatile = {name for name, species in cupboard.species.items() if species.volatile}
    used = {n for received in case.run.received.values() for m in received for n in cupboard.materials[m].composition}
    exposed = sorted(volatile & used)
    ever = any(step.subject == "Cap" and max(step.amounts.values(), default=0) > 0 for _, step in case.steps())
    if exposed and not ever:
        text = f"{', '.join(exposed)} boil(s) low, but the vials are never capped."
        yield warning("volatile", None, (), text, "Cap the vials after the additions.")
