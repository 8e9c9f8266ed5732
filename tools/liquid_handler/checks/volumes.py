"""Volumes at every moment: fill, overflow, draw from sources, what can be dispensed and weighed at all."""

from __future__ import annotations

from collections.abc import Iterator

from labwright.tools.liquid_handler.checks.base import Case, Finding, differs, error, warning
from labwright.tools.liquid_handler.checks.chemistry import at_first
from labwright.tools.liquid_handler.platform import (
    MAX_FILL,
    MIN_DISPENSE,
    MIN_FILL,
    MIN_WEIGHABLE,
    SOURCE_DEAD_VOLUME,
    SYRINGE_MIN,
    TIP_MAX,
    TIP_MIN,
    TIPS,
)

ROUNDING = 0.01  # uL


def fill(case: Case) -> Iterator[Finding]:
    """No vial above 80 % after any step (a brimming one overflows), none below 10 % when its liquids are in."""
    for (number, step), moment in zip(case.steps(), case.run.moments, strict=True):
        plate = case.protocol.plate(step.plate)
        if plate is None or step.action == "Set":
            continue
        over = {well: v for well, v in moment.volumes.items() if v > MAX_FILL * plate.vial + ROUNDING}
        if over:
            worst = max(over.values())
            code = "overflow" if worst > plate.vial else "fill"
            text = f"After step {number} a vial of {plate.name} holds {worst:.0f} uL of its {plate.vial:.0f} uL."
            yield error(code, number, over, text, f"Take a larger vial or stay below {MAX_FILL * plate.vial:.0f} uL.")
    for plate in case.protocol.plates:
        low = [
            w
            for (name, w), v in case.run.vials.items()
            if name == plate.name and 0 < v.volume < MIN_FILL * plate.vial - ROUNDING
        ]
        if low:
            text = f"{len(low)} vials of {plate.name} end below {MIN_FILL:.0%} of their {plate.vial:.0f} uL."
            yield warning("fill", None, low, text, "Take a smaller vial, or accept poor mixing.")


def total_volume(case: Case) -> Iterator[Finding]:
    """The liquids of every vial add up to the stated total."""
    for vial, (plate, well) in zip(case.amounts.vials, case.layout.wells, strict=True):
        if vial.total is None:
            continue
        received = at_first(vial, case.run.received.get((plate, well), {}))
        found = sum(value for name, value in received.items() if case.amounts.cupboard.materials[name].unit == "uL")
        group = next(group for group in case.design.groups if group.name == vial.group)
        solids = {n: v for n, v in received.items() if case.amounts.cupboard.materials[n].unit == "mg"}
        if group.total_includes == "everything":
            found += sum(v / (case.amounts.cupboard.species[n].density or float("inf")) for n, v in solids.items())
        if differs(found, vial.total, 0.01):
            text = f"The vial holds {found:.2f} uL, but {vial.total:g} uL are asked in total."
            yield error("total_volume", None, (well,), text, "Name the solvent that fills up, or correct the total.")
    yield from _total_mass(case)


def _total_mass(case: Case) -> Iterator[Finding]:
    stated = {group.name: group.total_mass for group in case.design.groups if group.total_mass is not None}
    for vial, (plate, well) in zip(case.amounts.vials, case.layout.wells, strict=True):
        if vial.group in stated and vial.origin is None:
            received = at_first(vial, case.run.received.get((plate, well), {}))
            found = sum(value * case.amounts.cupboard.materials[name].density for name, value in received.items())
            if differs(found, stated[vial.group].to("mg"), 0.01):
                text = f"The vial holds {found:.2f} mg, but {stated[vial.group]} are asked in total."
                yield error(
                    "total_volume", None, (well,), text, "Name the solvent that fills up, or correct the total."
                )


def draw(case: Case) -> Iterator[Finding]:
    """No source gives more than was loaded, its dead volume left behind."""
    for source in case.protocol.sources:
        usable = source.load * (1 - SOURCE_DEAD_VOLUME) if source.unit == "uL" else source.load
        drawn = case.run.drawn.get(source.name, 0.0)
        if drawn > usable + ROUNDING:
            text = f"{drawn:.0f} {source.unit} of {source.name!r} are drawn of at most {usable:.0f}."
            yield error(
                "overdraw", None, (), text, f"Load at least {drawn / (1 - SOURCE_DEAD_VOLUME):.0f} {source.unit}."
            )
    for index, problem in case.run.problems:
        if "asked of a vial" in problem or "nothing stands" in problem:
            yield error("transfer", index + 1, (), f"Step {index + 1}: {problem}.", "Make more of it, or take less.")


def dispensable(case: Case) -> Iterator[Finding]:
    """Nothing smaller than can be dispensed or weighed, and a tip that suits the volumes."""
    for number, step in case.steps():
        if step.unit not in {"mg", "uL"}:
            continue
        smallest = MIN_WEIGHABLE if step.unit == "mg" else SYRINGE_MIN if "SyringePump" in step.tags else MIN_DISPENSE
        tiny = {well: value for well, value in step.amounts.items() if 0 <= value < smallest}
        if tiny:
            code = "weighable" if step.unit == "mg" else "dispense"
            text = f"Step {number}: {min(tiny.values()):g} {step.unit} of {step.subject!r} is below {smallest:g}."
            yield error(code, number, tiny, text, "Use a more dilute stock, or make more of every vial.")
        yield from _tip(number, step.tags, step.amounts)


def _tip(number: int, tags: tuple[str, ...], amounts: dict[tuple[int, int], float]) -> Iterator[Finding]:
    size = next((tip for tip in TIPS if f"Tip{tip:g}uL" in tags), None)  # another is for the check of the tags
    if size is None:
        return
    large = {well: value for well, value in amounts.items() if value > TIP_MAX * size}
    small = {well: value for well, value in amounts.items() if value < TIP_MIN * size}
    if large:
        text = f"Step {number} dispenses {max(large.values()):g} uL with a {size:g} uL tip."
        yield warning("tip", number, large, text, "It takes several strokes; take a larger tip if there is one.")
    if small:
        text = f"Step {number} dispenses {min(small.values()):g} uL with a {size:g} uL tip, below {TIP_MIN:.0%} of it."
        yield warning("tip", number, small, text, "Small volumes are less accurate with this tip; split the step.")
