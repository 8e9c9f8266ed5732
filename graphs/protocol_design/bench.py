"""A design computed to the end, with the dispense options that were chosen; and answers put into a design."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from labwright.agents.protocol_design.tag import Addition, TagIn
from labwright.agents.protocol_design.tag import Way as Offer
from labwright.agents.protocol_design.written.judged import judged_text
from labwright.tools.chemistry.quantities import parse_quantity
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Amounts, Refusal, calculate
from labwright.tools.liquid_handler.arrange import Layout
from labwright.tools.liquid_handler.arrange import arrange as lay_out
from labwright.tools.liquid_handler.checks.base import Finding
from labwright.tools.liquid_handler.checks.run import CHECKS as ALL_CHECKS
from labwright.tools.liquid_handler.decisions import decisions
from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.processing import additions, process
from labwright.tools.liquid_handler.processing import finalise as final_steps
from labwright.tools.liquid_handler.protocol import Made, assemble, finish
from labwright.tools.liquid_handler.steps import Protocol, Step
from labwright.tools.liquid_handler.treatments import treatments
from labwright.tools.liquid_handler.ways import SMALL, Way, ways_for

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

    @classmethod
    def of_steps(cls, text: str, tags: dict[str, list[str]]) -> Planned:
        """The protocol that agents wrote in the tagged form, with the chosen options.

        Raises:
            InputError: the text is no protocol; says why.
        """
        return cls(judged_text(text, json.dumps(tags, sort_keys=True)))

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
        return treatments(self.protocol)

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
    amounts = computed(design)
    if isinstance(amounts, Refusal):
        raise InputError(amounts.message)
    layout, tags = arranged(design), json.loads(tags_json)
    steps = tuple(_tagged(number, step, tags) for number, step in enumerate(_steps(design, amounts, layout), start=1))
    return finish(design, amounts, layout, assemble(design, amounts, layout, steps))


def computed(design: ExperimentDesign) -> Amounts | Refusal:
    """What goes into every vial, or what stands in the way."""
    return calculate(design)


def arranged(design: ExperimentDesign) -> Layout:
    """Which vial stands where.

    Raises:
        InputError: the vials do not fit the deck.
    """
    return lay_out(design, _amounts(design))


def processed(design: ExperimentDesign) -> tuple[Step, ...]:
    """All steps of the protocol, with the platform's own dispense options."""
    amounts = _amounts(design)
    return _steps(design, amounts, lay_out(design, amounts))


def _amounts(design: ExperimentDesign) -> Amounts:
    amounts = calculate(design)
    if isinstance(amounts, Refusal):
        raise InputError(amounts.message)
    return amounts


def _steps(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> tuple[Step, ...]:
    return (*additions(amounts, layout), *process(design, amounts, layout), *final_steps(design, amounts, layout))


def _tagged(number: int, step: Step, tags: dict[str, list[str]]) -> Step:
    chosen = tags.get(str(number))
    return replace(step, tags=tuple(chosen)) if chosen and step.action == "Add" else step


def dispense_choices(planned: Planned) -> TagIn:
    """Every addition with the ways that fit it; the platform's own choice comes first."""
    made, found = planned.made, []
    for number, step in enumerate(made.protocol.steps, start=1):
        if step.action != "Add":
            continue
        material = made.amounts.cupboard.materials[step.subject]
        least, most = min(step.amounts.values()), max(step.amounts.values())
        found.append(
            Addition(
                step=number,
                chemical=step.subject,
                state="solid" if step.unit == "mg" else "liquid",
                viscosity="high" if material.viscous else "low",
                volatile=bool(material.volatile),
                mixes_with_water=None if step.unit == "mg" else material.water_miscible,
                smallest=least,
                largest=most,
                unit=step.unit,
                small=step.unit == "uL" and least < SMALL,
                offered=[_offer(way, least, most) for way in ways_for(step, material)],
            )
        )
    return TagIn(additions=found)


def _offer(way: Way, least: float, most: float) -> Offer:
    limit = None if math.isinf(way.most) else way.most
    return Offer(way=" ".join(way.tags), purpose=way.purpose, least=way.least, most=limit, suits=way.suits(least, most))


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
    return [
        {
            "number": number,
            "action": step.action,
            "subject": step.subject,
            "plate": step.plate,
            "unit": step.unit,
            "tags": list(step.tags),
            "amounts": {well_name(*well): value for well, value in step.amounts.items()},
        }
        for number, step in enumerate(planned.protocol.steps, start=1)
    ]


def settle_design(design: ExperimentDesign, settled: list[dict[str, Any]]) -> ExperimentDesign:
    """`design` with answers that no text holds: which chemical a name means, a density, a total volume.

    Raises:
        InputError: an answer does not read as what was asked for.
    """
    plain = design.model_dump(mode="json")
    for item in settled:
        what, colon, name = item["id"].partition(":")
        if not colon:
            continue
        if what == "chemical":
            plain = _renamed(plain, name, item["answer"])
        elif what == "density":
            for chemical in plain["chemicals"]:
                if chemical["name"] == name:
                    chemical["density"] = _stated(item["answer"])
        elif what == "total":
            for group in plain["groups"]:
                if group["name"] == name and group["total_volume"] is None:
                    group["total_volume"] = _stated(item["answer"])
    return ExperimentDesign.model_validate(plain)


def _stated(answer: str) -> dict[str, Any]:
    quantity = parse_quantity(answer)
    return {"value": quantity.value, "unit": quantity.unit, "span": None}


def _renamed(value: Any, old: str, new: str) -> Any:
    """Names only: the person's text, and the words that numbers come from, stay as they are."""
    if isinstance(value, list):
        return [_renamed(item, old, new) for item in value]
    if isinstance(value, dict):
        keep = {"source_text", "title", "span"}
        return {key: item if key in keep else _renamed(item, old, new) for key, item in value.items()}
    return new if value == old else value
