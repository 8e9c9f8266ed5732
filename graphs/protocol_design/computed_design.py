"""A design computed to the end, with the dispense options that were chosen."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.checks.base import Finding
from labwright.tools.liquid_handler.checks.run import CHECKS as ALL_CHECKS
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.json_and_csv_export import step_record
from labwright.tools.liquid_handler.pipetting_manner import PLAIN
from labwright.tools.liquid_handler.planner_decisions import decisions
from labwright.tools.liquid_handler.platform import DEAD_VOLUME, well_name
from labwright.tools.liquid_handler.protocol_planner import Made, assemble, finish
from labwright.tools.liquid_handler.protocol_steps import BY_HAND, Protocol, Step
from labwright.tools.liquid_handler.treatment_sentences import treatments
from labwright.tools.liquid_handler.treatment_steps import steps_of as planned_steps
from labwright.tools.liquid_handler.vial_amounts import Amounts, Refusal, calculate
from labwright.tools.liquid_handler.well_arrangement import arrange as lay_out

CHECKS = tuple(f"{one.__module__.rpartition('.')[2]}.{one.__name__}" for one in ALL_CHECKS)
_KEPT = 16  # protocols in memory; every node of one run asks for the same few


@dataclass(frozen=True)
class Planned:
    """A protocol, its file and what the checks say."""

    made: Made

    @classmethod
    def of(cls, design: ExperimentDesign, tags: dict[str, list[str]]) -> Planned:
        """The protocol of `design`, with the chosen options.

        Raises:
            InputError: the design cannot be computed; says why.
        """
        return cls(_made(design.model_dump_json(), json.dumps(tags, sort_keys=True)))

    @property
    def protocol(self) -> Protocol:
        """What the robot's file says."""
        return self.made.protocol

    def facts(self) -> dict[str, Any]:
        """Numbers for the report: vials, plates, steps, minutes."""
        return {
            "vials": len(self.made.amounts.vials),
            "plates": len(self.protocol.plates),
            "steps": len(self.protocol.steps),
            "minutes": round(self.made.case.run.minutes, 1),
        }

    def decisions(self) -> list[str]:
        """What the planner settled although the design does not say it."""
        made = self.made
        return [f"{one.text} {one.consequence}".strip() for one in decisions(made.design, made.amounts, made.layout)]

    def treatments(self) -> list[str]:
        """What is done to the filled vials, in sentences."""
        return treatments(self.made)

    def sentences(self) -> list[str]:
        """What goes into the vials, group by group, and what is done to them: the read-back of a specification."""
        facts = self.facts()
        vials = f"{facts['vials']} vials" if facts["vials"] != 1 else "1 vial"
        where = " and ".join(plate.name for plate in self.protocol.plates)
        lines = [f"{vials} on {where}, {facts['steps']} steps, about {facts['minutes']:.0f} min."]
        lines += [f"- {line}" for line in (*group_lines(self.made), *self.made.design.facts)]
        lines += [f"- {line}" for line in manner_lines(self.protocol)]
        lines += [f"{number}. {line}" for number, line in enumerate(self.treatments(), 1)]
        return lines + [f"- By hand, not by the robot: {remark}" for remark in self.made.design.by_hand]

    def preparation(self) -> list[str]:
        """What a person puts out, and in which order it goes into the vials."""
        adds = [step for step in self.protocol.steps if step.action == "Add"]
        drawn = {source.name: 0.0 for source in self.protocol.sources}
        for step in adds:
            drawn[step.subject] = drawn.get(step.subject, 0.0) + sum(step.amounts.values())
        order = ", ".join(dict.fromkeys(step.subject for step in adds))
        return [
            f"Order of addition, each into the vials that get it: {order}.",
            *(
                f"To put out: {source.load:g} {source.unit} of {source.name}; {drawn[source.name]:g} are dispensed."
                for source in self.protocol.sources
            ),
            DEAD_VOLUME,
        ]

    def errors(self, name: str = "") -> list[Finding]:
        """Findings that block the file, of one named check or of all."""
        found = list(ALL_CHECKS[CHECKS.index(name)](self.made.case)) if name else self.made.findings
        return [one for one in found if one.severity == "error"]

    def warnings(self) -> list[str]:
        """Findings that a person should read."""
        return [f"{one.message} {one.mend}".strip() for one in self.made.findings if one.severity == "warning"]


@lru_cache(maxsize=_KEPT)
def _made(design_json: str, tags_json: str) -> Made:
    design = ExperimentDesign.model_validate_json(design_json)
    amounts = calculate(design)
    if isinstance(amounts, Refusal):
        raise InputError(amounts.message)
    layout, tags = lay_out(design, amounts), json.loads(tags_json)
    steps = tuple(_tagged(number, step, tags) for number, step in enumerate(planned_steps(design, amounts, layout), 1))
    return finish(design, amounts, layout, assemble(design, amounts, layout, steps))


MOST_LINES = 16  # of one group


def group_lines(made: Made) -> list[str]:
    """A line for the vials that hold the same, with their wells; for a large group, from least to most of each."""
    lines, amounts = [], made.amounts
    for group in dict.fromkeys(vial.group for vial in amounts.vials):
        vials = [vial for vial in amounts.vials if vial.group == group]
        alike: dict[tuple[tuple[str, float], ...], dict[str, str]] = {}
        for vial, (plate, well) in zip(amounts.vials, made.layout.wells, strict=True):
            if vial.group == group:
                wells = alike.setdefault(tuple(vial.additions.items()), {})
                wells[plate] = f"{wells.get(plate, plate)} {well_name(*well)}"
        if len(alike) <= MOST_LINES:
            for held, wells in alike.items():
                parts = [_span(name, [amount], amounts) for name, amount in held]
                lines.append(f"{group} in {', '.join(wells.values())}: {', '.join(parts) or 'nothing yet'}")
            continue
        names = dict.fromkeys(name for vial in vials for name in vial.additions)
        parts = [_span(name, [vial.additions.get(name, 0.0) for vial in vials], amounts) for name in names]
        lines.append(f"{group}: {len(vials)} {'vial' if len(vials) == 1 else 'vials'} with {', '.join(parts)}")
    return lines


def manner_lines(protocol: Protocol) -> list[str]:
    """How sources are pipetted where that is asked, and what a person weighs in."""
    adds = [step for step in protocol.steps if step.action == "Add"]
    how = [(step.subject, step.manner) for step in adds if step.manner != PLAIN]
    how += [
        (f"each portion of {s.subject}", s.manner)
        for s in protocol.steps
        if s.action == "Transfer" and s.manner != PLAIN
    ]
    lines = [f"{subject} is pipetted thus: {manner}" for subject, manner in how]
    lines += [f"{step.subject} is {step.note}" for step in adds if BY_HAND in step.tags]
    return list(dict.fromkeys(lines))


def _span(name: str, values: list[float], amounts: Amounts) -> str:
    low, high, unit = min(values), max(values), amounts.cupboard.materials[name].unit
    return f"{low:g} {unit} of {name}" if low == high else f"{low:g} to {high:g} {unit} of {name}"


def _tagged(number: int, step: Step, tags: dict[str, list[str]]) -> Step:
    chosen = tags.get(str(number))
    robots = step.action == "Add" and BY_HAND not in step.tags
    return replace(step, tags=tuple(chosen)) if chosen and robots else step


def platform_tags(planned: Planned) -> dict[str, list[str]]:
    """How the platform dispenses each addition of the robot, by the number of the step."""
    steps = enumerate(planned.protocol.steps, start=1)
    return {str(n): list(s.tags) for n, s in steps if s.action == "Add" and BY_HAND not in s.tags}


def way_lines(planned: Planned) -> list[str]:
    """How each addition is dispensed, one line a step."""
    steps = enumerate(planned.protocol.steps, start=1)
    return [f"step {n}: {s.subject} to {s.plate} by {' '.join(s.tags)}" for n, s in steps if s.action == "Add"]


def vials_of(planned: Planned) -> list[dict[str, Any]]:
    """What each vial received: plate, well, contents."""
    units = {source.name: source.unit for source in planned.protocol.sources}
    return [
        {
            "plate": plate,
            "well": well_name(*well),
            "contents": {name: {"amount": round(value, 3), "unit": units[name]} for name, value in received.items()},
        }
        for (plate, well), received in sorted(planned.made.case.run.received.items())
    ]


def steps_of(planned: Planned) -> list[dict[str, Any]]:
    """The protocol's steps, plain."""
    return [step_record(number, step) for number, step in enumerate(planned.protocol.steps, start=1)]
