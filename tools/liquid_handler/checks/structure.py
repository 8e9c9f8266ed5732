"""Does the file fit the platform: plates, wells, units, limits, tags, sources, number of steps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from labwright.tools.liquid_handler.checks.base import Case, Finding, error, warning
from labwright.tools.liquid_handler.platform import (
    ARRAYS,
    HEATING_MAX,
    HEATING_MIN,
    MAX_PLATES,
    MAX_SOURCES,
    MAX_STIR,
    MAX_VORTEX,
    TIPS,
)
from labwright.tools.liquid_handler.protocol_steps import BY_HAND, PARAMETERS, Step, on_deck

_TIPS = [f"Tip{tip:g}uL" for tip in TIPS]
LIMITS = {
    "HeatingTemp": ("temperature", HEATING_MIN, HEATING_MAX),
    "StirRate": ("speed", 0.0, MAX_STIR),
    "VortexRate": ("speed", 0.0, MAX_VORTEX),
    "Delay": ("delay", 0.0, math.inf),
    "VialTimers": ("delay", 0.0, math.inf),
    "Cap": ("cap", 0.0, 1.0),
}


def plates(case: Case) -> Iterator[Finding]:
    """Legal arrays, at most two, and every step on wells that exist."""
    if len(case.protocol.plates) > MAX_PLATES:
        text = f"{len(case.protocol.plates)} plates, but the deck holds {MAX_PLATES}."
        yield error("plates", None, (), text, "Split the run.")
    for plate in case.protocol.plates:
        if not any((a.rows, a.columns, a.vial) == (plate.rows, plate.columns, plate.vial) for a in ARRAYS):
            text = f"{plate.name}: no {plate.rows} x {plate.columns} array with {plate.vial / 1000:g} mL vials exists."
            yield error("plates", None, (), text, "Use one of the platform's arrays.")
    for number, step in case.steps():
        names = [step.plate, *([step.subject] if step.action == "Transfer" else [])]
        for name in names:
            plate_ = case.protocol.plate(name)
            used = step.amounts if name == step.plate else {step.origins.get(well, well): 0 for well in step.amounts}
            if plate_ is None:
                text = f"Step {number} names {name!r}, which is not on the deck."
                yield error("plates", number, (), text, "Name a plate of the file.")
            elif outside := [w for w in used if not (0 <= w[0] < plate_.rows and 0 <= w[1] < plate_.columns)]:
                text = f"Step {number} uses wells that {name} does not have."
                yield error("wells", number, outside, text, "Use its own wells.")


def units(case: Case) -> Iterator[Finding]:
    """Solids in mg, liquids in uL, parameters in their own unit, and every number a sound one."""
    materials = case.amounts.cupboard.materials
    for number, step in case.steps():
        wanted = _unit(step, {name: material.unit for name, material in materials.items()})
        if wanted is None:
            text = f"Step {number} names {step.subject!r}, which is not known."
            yield error("subject", number, (), text, "Name a source or parameter.")
        elif step.unit != wanted:
            text = f"Step {number} gives {step.subject!r} in {step.unit or 'no unit'}, not in {wanted or 'no unit'}."
            yield error("units", number, step.amounts, text, f"Write it in {wanted}.")
        unsound = [well for well, value in step.amounts.items() if not math.isfinite(value) or value < 0]
        if unsound or not step.amounts:
            text = f"Step {number} has no amounts, or negative ones."
            yield error("units", number, unsound, text, "Write amounts above 0.")


def _unit(step: Step, units_: dict[str, str]) -> str | None:
    if step.action == "Add":
        return units_.get(step.subject)
    if step.action == "Set":
        return PARAMETERS[step.subject][1] if step.subject in PARAMETERS else None
    return "" if "MoveVial" in step.tags else "uL"


def limits(case: Case) -> Iterator[Finding]:
    """Temperatures, speeds and times within what the platform can do."""
    for number, step in case.steps():
        if step.action != "Set" or step.subject not in LIMITS:
            continue
        code, low, high = LIMITS[step.subject]
        beyond = {well: value for well, value in step.amounts.items() if not low <= value <= high}
        if beyond:
            value = next(iter(beyond.values()))
            text = f"Step {number} sets {step.subject} to {value:g} {step.unit}, outside {low:g} to {high:g}."
            yield error(code, number, beyond, text, f"Choose a value from {low:g} to {high:g} {step.unit}.")


def efficiency(case: Case) -> Iterator[Finding]:
    """One Add per source and plate, before the treatments and at each condition that adds it."""
    adds = [step for _, step in case.steps() if step.action == "Add"]
    ways = {(step.subject, step.plate, step.manner, BY_HAND in step.tags) for step in adds}
    several = Counter((subject, plate) for subject, plate, *_ in ways)
    counts = Counter((step.subject, step.plate) for step in adds)
    asked: set[tuple[str, str, int]] = set()
    for vial, (plate, _) in zip(case.amounts.vials, case.layout.wells, strict=True):
        asked |= {(name, plate, -1) for name in vial.additions}
        asked |= {(name, plate, at) for at, later in vial.later.items() for name in later}
    wanted: Counter[tuple[str, str]] = Counter()
    for name, plate, at in asked:
        wanted[name, plate] += case.design.conditions[at].portions if at >= 0 else 1
    second, twin = case.design.workup or case.design.sampling, case.layout.twin
    if second and twin:
        wanted += Counter((name, twin.name) for name, _ in (second.ready, *second.added))
    for (subject, plate), count in counts.items():
        if count > max(1, wanted[subject, plate], several[subject, plate]):
            text = f"{subject!r} is added to {plate} in {count} steps."
            yield warning("efficiency", None, (), text, "Merge them into one step.")


def sources(case: Case) -> Iterator[Finding]:
    """Every source is loaded, once, and the deck has room."""
    loaded = Counter(source.name for source in case.protocol.sources)
    for number, step in case.steps():
        if step.action == "Add" and not loaded[step.subject]:
            text = f"Step {number} adds {step.subject!r}, which is not loaded."
            yield error("sources", number, (), text, "Load it as a source.")
    for name, count in loaded.items():
        if count > 1:
            text = f"{name!r} is loaded {count} times under one name."
            yield error("sources", None, (), text, "Name the sources apart.")
    if (count := len(on_deck(case.protocol))) > MAX_SOURCES:
        text = f"{count} sources, but the deck has {MAX_SOURCES} places."
        yield error("deck", None, (), text, "Split the run or prepare mixtures beforehand.")


def tags(case: Case) -> Iterator[Finding]:
    """Powders by powder dispenser, liquids by pump or tip."""
    for number, step in case.steps():
        if step.action == "Add":
            powder, liquid = "Powder" in step.tags, bool({"SyringePump", "PDT"} & set(step.tags))
            if (step.unit == "mg") != powder or (step.unit == "uL") != liquid:
                text = f"Step {number} cannot dispense {step.subject!r} with {step.tags}."
                yield error(
                    "tags", number, (), text, f"Tag it {'Powder' if step.unit == 'mg' else 'SyringePump or PDT'}."
                )
        for tag in step.tags:
            if tag.startswith("Tip") and tag not in _TIPS:
                text = f"Step {number} wants {tag}, which the platform does not have."
                yield error("tags", number, (), text, f"Take one of: {', '.join(_TIPS)}.")
