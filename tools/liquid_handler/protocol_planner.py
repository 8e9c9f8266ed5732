"""From a design to a checked protocol and its files, whole or in pieces.

The pieces, in order: `calculate`, `arrange`, `steps_of`, `assemble`, `finish` (writes in
memory, reads back, checks), and `writing.write`.
`make_protocol` does all but the writing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from labwright.tools.liquid_handler.checks.base import Case, Finding
from labwright.tools.liquid_handler.checks.run import check
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.lsr_reader import read_lsr
from labwright.tools.liquid_handler.lsr_writer import write_lsr
from labwright.tools.liquid_handler.platform import SOURCE_DEAD_VOLUME, SOURCE_MIN_DEAD
from labwright.tools.liquid_handler.protocol_steps import Protocol, Source, Step
from labwright.tools.liquid_handler.treatment_steps import steps_of
from labwright.tools.liquid_handler.vial_amounts import Amounts, Refusal, calculate
from labwright.tools.liquid_handler.well_arrangement import Layout, arrange


@dataclass(frozen=True)
class Made:
    """A protocol with everything it was made from. `protocol` is as read back from `file`."""

    design: ExperimentDesign
    amounts: Amounts
    layout: Layout
    protocol: Protocol
    file: bytes
    findings: tuple[Finding, ...]

    @property
    def blocked(self) -> bool:
        """Whether an error finding forbids handing the file out."""
        return any(finding.severity == "error" for finding in self.findings)

    @cached_property
    def case(self) -> Case:
        """The checks' view, with the simulated run."""
        return Case(self.design, self.amounts, self.layout, self.protocol)


def make_protocol(design: ExperimentDesign) -> Made | Refusal:
    """Calculates, arranges, orders, writes in memory, reads back and checks.

    Raises:
        InputError: the design contradicts itself or does not fit the platform.
    """
    amounts = calculate(design)
    if isinstance(amounts, Refusal):
        return amounts
    layout = arrange(design, amounts)
    return finish(design, amounts, layout, assemble(design, amounts, layout, steps_of(design, amounts, layout)))


def assemble(design: ExperimentDesign, amounts: Amounts, layout: Layout, steps: tuple[Step, ...]) -> Protocol:
    """Steps with their plates and the sources that they draw on."""
    plates = (*layout.plates, *([layout.twin] if layout.twin else []))
    return Protocol(design.title, plates, sources_for(steps, amounts), steps)


def finish(design: ExperimentDesign, amounts: Amounts, layout: Layout, protocol: Protocol) -> Made:
    """Writes the file in memory and checks what it says, not what was meant."""
    file = write_lsr(protocol)
    read = read_lsr(file)
    return Made(design, amounts, layout, read, file, tuple(check(Case(design, amounts, layout, read))))


def sources_for(steps: tuple[Step, ...], amounts: Amounts) -> tuple[Source, ...]:
    """One source a material, loaded with what is drawn and what cannot be drawn from it."""
    drawn: dict[str, float] = {}
    for step in steps:
        if step.action == "Add":
            drawn[step.subject] = drawn.get(step.subject, 0.0) + sum(step.amounts.values())
    sources = []
    for position, (name, amount) in enumerate(drawn.items(), start=1):
        material = amounts.cupboard.materials[name]
        load, density = amount, 0.0
        if material.unit == "uL":
            load = max(amount / (1 - SOURCE_DEAD_VOLUME), amount + SOURCE_MIN_DEAD)
            density = round(material.density, 6)
        made_of = ", ".join(material.recipe)
        known = not material.fold and not any(amounts.cupboard.species[held].assumed for held in material.composition)
        made_of = made_of if material.unit == "uL" and len(material.composition) > 1 and known else ""
        molar_mass = round(material.molar_mass, 4)
        sources.append(Source(name, material.unit, density, molar_mass, position, _up(load), made_of))
    return tuple(sources)


def _up(load: float) -> float:
    """Rounded up to a whole mg or uL, so that rounding never leaves a source short."""
    return float(-(-load // 1))
