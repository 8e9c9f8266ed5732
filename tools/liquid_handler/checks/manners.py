"""Is it pipetted as it was asked, and what a robot cannot do of that. None of it changes an amount."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from labwright.tools.liquid_handler.checks.base import Case, Finding, error, warning
from labwright.tools.liquid_handler.experiment_design import Dose
from labwright.tools.liquid_handler.pipetting_manner import PLAIN, Pipetting
from labwright.tools.liquid_handler.protocol_steps import BY_HAND, Step
from labwright.tools.liquid_handler.robots.deck import settings
from labwright.tools.liquid_handler.vial_treatments import Condition

# uL/s: what PyLabRobot's STAR takes, and the Flex pipettes (opentrons_shared_data, uiMaxFlowRate), by the tip's uL.
STAR = (0.4, 500.0)
FLEX = {50: (0.1, 46.0), 200: (1.0, 727.0), 1000: (1.0, 727.0)}

TAGGED = ("at above", "tip new for every vial")  # what the design file has tags for


def manners(case: Case) -> Iterator[Finding]:
    """Every addition in the manner that was asked; what a robot's file cannot say is said to the person."""
    said: set[str] = set()
    silent: dict[str, None] = {}  # what the design file has no field for
    for (number, step), moment in zip(case.steps(), case.run.moments, strict=True):
        if step.action == "Set" or "MoveVial" in step.tags:
            continue
        others = [well for well in step.amounts if (step.manner, BY_HAND in step.tags) not in _asked(case, step, well)]
        if others:
            yield error("manner_lost", number, others, f"Step {number} is not pipetted as asked.", "Write it anew.")
        if step.manner == PLAIN:
            continue
        parts = [part for part in str(step.manner).split(", ") if part not in TAGGED]
        what = repr(step.subject) if step.action == "Add" else f"portions of {step.subject}"
        silent |= {f"{what} ({', '.join(parts)})": None} if parts else {}
        held = [moment.volumes[well] for well in step.amounts if well in moment.volumes]
        for text, mend in _beyond(step, held):
            if text not in said:
                said.add(text)
                yield warning("manner", number, (), text, mend)
    stirred = [
        number
        for (number, step), now in zip(case.steps(), case.settings, strict=True)
        if step.action == "Add" and now.get((step.plate, "StirRate"))
    ]
    if stirred:
        text = f"The Opentrons Flex stops its shaker to pipette: step {stirred[0]} goes into vials at rest there."
        mend = "Its script shakes on after each addition; `manner: {mix: 3}` mixes at once, and other robots stir on."
        yield warning("stirred_addition", None, (), text, mend)
    if silent:
        text = f"The design file has no fields for how these are pipetted: {'; '.join(silent)}."
        mend = "It stands in the steps' descriptions; set it in the dispense modes, or the factory setting is used."
        yield warning("manner", None, (), text, mend)
    yield from _solids(case)


def _asked(case: Case, step: Step, well: tuple[int, int]) -> set[tuple[Pipetting, bool]]:
    """How a source or a portion may go into a vial: as it is filled, or as a condition adds it."""
    second, found = case.design.workup or case.design.sampling, set()
    at = case.layout.wells.index((step.plate, well)) if (step.plate, well) in case.layout.wells else -1

    def as_added(conditions: Iterable[Condition]) -> Iterator[tuple[Pipetting, bool]]:
        for asked in (one.manner or case.design.manner for one in conditions):
            yield asked.pipetting if asked and step.unit == "uL" else PLAIN, False

    if at < 0 and second is not None and step.plate not in {plate.name for plate in case.layout.plates}:
        if step.action == "Transfer":
            return {(second.pipetting, False)}
        found |= {(PLAIN, False)} if step.subject == second.ready[0] else set()
        return found | {*as_added(one for one in second.conditions if one.substance == step.subject)}
    if at < 0:
        return {(step.manner, BY_HAND in step.tags)}
    vial, name, conditions = case.amounts.vials[at], step.subject, case.design.conditions
    if step.action == "Transfer":
        found |= {(PLAIN, False)} if vial.origin is not None else set()
        return found | {*as_added(conditions[index] for index in vial.poured)}
    if name in vial.additions:
        found.add((vial.manners.get(name, PLAIN), name in vial.weighed))
    found |= {*as_added(conditions[index] for index, later in vial.later.items() if name in later)}
    return found or {(step.manner, BY_HAND in step.tags)}  # that it is there at all is for others to judge


def _beyond(step: Step, held: list[float]) -> Iterator[tuple[str, str]]:
    """What a file cannot say of a step's manner, and what happens instead."""
    manner, what = step.manner, f"{step.subject!r}"
    if manner.mix and manner.mix_volume > min(held, default=manner.mix_volume):
        strokes = settings(manner, held)["mix"][1]
        yield f"{what}: strokes of {manner.mix_volume:g} uL are more than a vial holds.", f"{strokes:g} uL are taken."
    least, most = min(step.amounts.values()), max(step.amounts.values())
    rates = [rate for rate in (manner.draw, manner.rate) if rate]
    rates += [least / manner.over / 60, most / manner.over / 60] if manner.over else []
    for robot, low, high in (("PyLabRobot's STAR", *STAR), ("the Opentrons Flex", *_flex(least, most))):
        far = [rate for rate in rates if not low <= rate <= high]
        if far:
            worst = max(far, key=lambda rate: max(low / rate, rate / high))
            mend = f"That script uses {min(max(worst, low), high):g} uL/s."
            yield f"{what} at {worst:.3g} uL/s is beyond {robot} ({low:g} to {high:g} uL/s with its tip).", mend


def _flex(least: float, most: float) -> tuple[float, float]:
    """The rates that all tips reach which take these volumes."""
    tips = [next((size for size in FLEX if volume <= size), max(FLEX)) for volume in (least, most)]
    return max(FLEX[tip][0] for tip in tips), min(FLEX[tip][1] for tip in tips)


def _solids(case: Case) -> Iterator[Finding]:
    """A manner of what is not pipetted."""
    materials = case.amounts.cupboard.materials
    asked: list[Dose | Condition] = [one for group in case.design.groups for one in group.doses]
    for one in (one for one in (*asked, *case.design.conditions) if one.manner):
        name = one.via or one.substance or ""
        if name in materials and materials[name].unit == "mg":
            yield warning("manner", None, (), f"{name!r} is a solid and not pipetted.", "Its manner is not used.")
