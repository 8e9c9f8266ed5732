"""The report for the bench: what to weigh and load, what goes where, warnings, assumptions, timeline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from labwright.tools.chemistry.chemical_table import Chemical, lookup
from labwright.tools.liquid_handler.chemical_lookup import hazards_of
from labwright.tools.liquid_handler.deck_sources import unknown
from labwright.tools.liquid_handler.pipetting_manner import PLAIN
from labwright.tools.liquid_handler.planner_decisions import decisions
from labwright.tools.liquid_handler.platform import DEAD_VOLUME, well_name
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.protocol_steps import Step
from labwright.tools.liquid_handler.solutions import solutions
from labwright.tools.liquid_handler.vial_histories import clock, histories, hot_text, note_text, origin_text

NOT_KNOWN = "not known"


def bench_report(made: Made, plate_map: str | None = None, notes: Iterable[str] = ()) -> str:
    """The report as Markdown.

    Args:
        plate_map: file name of the figure to show, if there is one.
        notes: on what was written: what does not fit a robot, what nobody simulated.
    """
    kept = [*made.design.facts, *made.design.by_hand]
    sections = [
        _head(made),
        _findings(made),
        ["## All the time, and by hand", "", *(f"- {safe(one)}" for one in kept)] if kept else [],
        _substances(made),
        _loading(made),
        _plates(made),
        _vials(made),
        _timeline(made),
        [*_notes(made), *(f"- {safe(note)}" for note in notes)],
    ]
    if plate_map:
        sections.insert(4, [f"![Plate map]({plate_map})"])
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def safe(text: str) -> str:
    """Text from outside inside Markdown: no markup, no table breaks, one line."""
    return re.sub(r"([\\`*_{}\[\]<>#|!])", r"\\\1", " ".join(text.split()))


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def _head(made: Made) -> list[str]:
    count, steps = len(made.amounts.vials), len(made.protocol.steps)
    hours = made.case.run.minutes / 60
    state = "**Blocked: errors below must be mended before the robot's file is used.**" if made.blocked else ""
    size = f"{count} vials, {steps} steps, about {hours:.1f} h (dispensing times are rough)."
    return [f"# {safe(made.protocol.title)}", "", size, *(["", state] if state else [])]


def _findings(made: Made) -> list[str]:
    if not made.findings:
        return ["## Findings", "", "None: every check passed."]
    lines = ["## Findings", ""]
    for finding in made.findings:
        wells = f" Wells: {', '.join(finding.wells)}." if finding.wells else ""
        lines.append(f"- **{finding.severity}** ({finding.code}): {safe(finding.message)} {safe(finding.mend)}{wells}")
    return lines


def _loading(made: Made) -> list[str]:
    rows = []
    for source in made.protocol.sources:
        drawn = made.case.run.drawn.get(source.name, 0.0)
        load = f"{source.load / 1000:.3g} {'g' if source.unit == 'mg' else 'mL'}"
        material = made.amounts.cupboard.materials[source.name]
        species = [made.amounts.cupboard.species[name] for name in material.composition]
        hazards = safe(hazards_of(species))
        density = f"{source.density:.4g}" if source.unit == "uL" and not material.estimated else ""
        basis = _density_source(made, source.name) if source.unit == "uL" else ""
        rows.append(
            [str(source.position), safe(source.name), f"{drawn:.1f} {source.unit}", load, density, basis, hazards]
        )
    heads = ["position", "source", "used", "load", "g/mL", "density from", "hazards"]
    return ["## Load before the run", "", *_table(heads, rows), "", DEAD_VOLUME, "", *_stocks(made)]


def _substances(made: Made) -> list[str]:
    """Every substance with the data that amounts were computed from, and where these come from."""
    rows = []
    for use in made.design.chemicals:
        one = made.amounts.cupboard.species.get(use.name)
        if one is None:
            continue
        density = "" if use.strength else NOT_KNOWN if one.density is None or one.assumed else f"{one.density:.4g}"
        stated = [name for name in ("state", "molar_mass", "density", "strength") if getattr(use, name) is not None]
        own = (use.source or "stated") if stated else ""
        looked = one.source if density != NOT_KNOWN and use.density is None else ""
        found = lookup(use.identity or use.name)
        table = f"table of chemicals, CAS {found.cas}" if isinstance(found, Chemical) else ""
        sources = "; ".join(dict.fromkeys(each for each in (own, looked, table) if each))
        state, known = one.state if one.bought is None else one.bought, one.molar_mass and not one.assumed
        cells = [use.name, state or NOT_KNOWN, f"{one.molar_mass:.5g}" if known else NOT_KNOWN, density]
        rows.append([*map(safe, cells), str(use.strength or ""), safe(use.location), safe(sources)])
    heads = ["substance", "state", "g/mol", "g/mL", "as bought", "stands in", "data from"]
    return ["## Substances", "", *_table(heads, rows)]


def _density_source(made: Made, name: str) -> str:
    stock = next((stock for stock in solutions(made.design) if stock.name == name), None)
    if stock is None:
        return made.amounts.cupboard.species[name].source
    if stock.density is None:
        guessed = made.amounts.cupboard.materials[name].estimated
        return "not known; no amount depends on it" if guessed else "its parts, volumes added"
    bought = next((use for use in made.design.chemicals if use.name == name), None)
    if bought is not None and bought.density is None:
        return "supplier label"
    return (bought.source if bought else "") or "stated"


def _stocks(made: Made) -> Iterator[str]:
    for stock in solutions(made.design):
        material = made.amounts.cupboard.materials[stock.name]
        stated = f"{stock.concentration} {'' if stock.concentration.basis else stock.basis or ''}".strip()
        if unknown(stock, made.amounts.cupboard):
            yield f"- {safe(stock.name)} ({stated}): as it is prepared; no amount depends on more than that."
            continue
        molar = f"; {material.composition[stock.solute] / material.molar_mass * 1000:.4g} M" * bool(material.molar_mass)
        yield f"- {safe(stock.name)} ({stated}): {safe(', '.join(material.recipe))}{molar}."


def _plates(made: Made) -> list[str]:
    rows = [
        [plate.name, f"{plate.rows} x {plate.columns}", f"{plate.vial / 1000:g} mL"] for plate in made.protocol.plates
    ]
    robot = (
        "Plates, tips and limits are those of a Big Kahuna deck. Where another robot cannot do that, a note says so."
    )
    return ["## Plates", "", robot, "", *_table(["plate", "array", "vial"], rows)]


def _vials(made: Made) -> list[str]:
    names = [source.name for source in made.protocol.sources]
    units = {source.name: source.unit for source in made.protocol.sources}
    known = histories(made)
    moved, hot = (any(getattr(one, name) for one in known.values()) for name in ("portions", "hot"))
    heads = ["plate", "well", *["from"] * moved, "filled", *["hot"] * hot, *["sampled"] * moved]
    rows = []
    for (plate, well), one in known.items():
        received = made.case.run.received.get((plate, well), {})
        portions = " + ".join(f"{portion.volume:g} uL of" for portion in one.portions[:1])
        taken = f", {note_text(one)}" if note_text(one) else ""
        row = [plate, well_name(*well), *[f"{portions} {origin_text(one)}{taken}".strip()] * moved, clock(one.filled)]
        row += [*[hot_text(one)] * hot, *[", ".join(map(clock, one.sampled))] * moved]
        rows.append([*row, *(f"{received[name]:.2f}" if name in received else "" for name in names)])
    table = _table([*heads, *(f"{safe(name)}, {units[name]}" for name in names)], rows)
    return ["## Vials", "", "Times are hours and minutes after the start; dispensing times are rough.", "", *table]


def _timeline(made: Made) -> list[str]:
    rows = []
    for number, (step, moment) in enumerate(zip(made.protocol.steps, made.case.run.moments, strict=True), start=1):
        rows.append([str(number), clock(moment.begins), sentence(step), " ".join(step.tags)])
    return ["## Timeline", "", *_table(["step", "begins", "what", "tags"], rows)]


def sentence(step: Step) -> str:
    """What a step does, in words, as Markdown."""
    return safe(step_text(step))


def step_text(step: Step) -> str:
    """The same as plain text."""
    values = sorted(set(step.amounts.values()))
    span = f"{values[0]:g}" if len(values) == 1 else f"{values[0]:g} to {values[-1]:g}"
    count = "1 vial" if len(step.amounts) == 1 else f"{len(step.amounts)} vials"
    where = f"{count} of {step.plate}"
    if step.action == "Add":
        how = f" ({step.manner})" if step.manner != PLAIN else ""
        return f"Add {step.subject}, {span} {step.unit}, to {where}{how}"
    if step.action == "Transfer":
        what = "whole vials" if "MoveVial" in step.tags else f"{span} {step.unit}"
        note = f" ({step.note})" if step.note else ""
        return f"Transfer {what} from {step.subject} to {where}{note}"
    if step.subject == "Cap":
        return f"{'Cap' if values[-1] else 'Open'} {where}"
    if step.subject == "Delay":
        return f"Wait for {span} min"
    if step.subject == "VialTimers":
        return f"Vial timers of {span} min for {where}"
    if step.subject == "HeatingTemp":
        return f"Bring {where} to {span} degC"
    if step.subject == "HeatingRamp":
        return f"Heat {where} by {span} degC/min from here on"
    verb = {"StirRate": "Stir", "VortexRate": "Vortex"}.get(step.subject, step.subject)
    return f"{verb} {where} at {span} {step.unit}" if values[-1] else f"Stop: {verb.lower()} {where}"


def _notes(made: Made) -> list[str]:
    taken = decisions(made.design, made.amounts, made.layout)
    lines = [f"- {safe(one.about)}: {safe(one.text)} {safe(one.consequence)}".rstrip() for one in taken]
    lines.append("- Volumes are taken to add up; a solid's own volume counts only where the design says so.")
    lines.append(
        "- The design file is valid by a schema that was observed in real designs; it was not tried on hardware."
    )
    lines.append(
        "- The chemical manager file names no deck position: replace each `to be placed: ...` by your own. Entries of"
        " solids, and modes other than the syringe pump's, are modelled on no public file."
    )
    return ["## Assumptions", "", *lines]
