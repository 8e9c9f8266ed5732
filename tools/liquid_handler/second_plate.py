"""The second plate: a diluted portion of every vial, or samples at times into a quench; what is added to them then."""

from __future__ import annotations

from collections.abc import Iterator

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.dispensing import dispense_tags, portioned
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.pipetting_manner import PLAIN, Pipetting
from labwright.tools.liquid_handler.platform import RESOLUTION
from labwright.tools.liquid_handler.protocol_steps import Step, Well
from labwright.tools.liquid_handler.vial_amounts import Amounts
from labwright.tools.liquid_handler.well_arrangement import Layout, set_all


def quench(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> Iterator[Step]:
    """What stands ready in the vials for samples."""
    sampling = design.sampling
    if sampling is not None and layout.twin is not None and sampling.quench is not None:
        yield into_twin(*sampling.ready, amounts, layout)


def into_twin(name: str, volume: float, amounts: Amounts, layout: Layout, manner: Pipetting = PLAIN) -> Step:
    """The same volume into every vial of the second plate.

    Raises:
        InputError: it is no liquid.
    """
    material = amounts.cupboard.materials.get(name)
    if material is None or material.unit != "uL":
        raise InputError(f"{name!r} shall stand in the second plate, but is not a liquid to dispense. Name a solvent.")
    assert layout.twin is not None
    wells = dict.fromkeys(layout.twin_wells, round(volume, RESOLUTION))
    tags = dispense_tags(material, wells, layout.twin)
    return Step("Add", name, layout.twin.name, "uL", wells, tags, manner=manner)


def sampled(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> list[Well]:
    """The wells of the vials that are sampled, in the design's order."""
    if design.sampling is None:
        return []
    pairs = zip(amounts.vials, layout.wells, strict=True)
    return [well for vial, (_, well) in pairs if design.sampling.concerns(vial.group)]


def sample(design: ExperimentDesign, amounts: Amounts, layout: Layout, number: int, note: str) -> Step:
    """The portions of one time (counted from 0), which fill the second plate time by time."""
    assert design.sampling is not None
    assert layout.twin is not None
    wells = sampled(design, amounts, layout)
    targets = layout.twin_wells[number * len(wells) : (number + 1) * len(wells)]
    portions = dict.fromkeys(targets, round(design.sampling.volume.to("uL"), RESOLUTION))
    origins, manner = dict(zip(targets, wells, strict=True)), design.sampling.pipetting
    return portioned(layout.plates[0].name, layout.twin.name, portions, origins, note, manner)


def diluted(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> Iterator[Step]:
    """The work-up: open, put diluent, transfer a portion, close."""
    workup = design.workup
    if workup is None or layout.twin is None:
        return
    portion, (diluent, rest) = workup.portion, workup.ready
    if layout.closed:
        yield from (set_all(plate, "Cap", 0, layout) for plate in layout.plates)
    yield into_twin(diluent, rest, amounts, layout)
    origins = dict(zip(layout.twin_wells, (well for _, well in layout.wells), strict=True))
    portions, manner = dict.fromkeys(origins, portion), workup.pipetting
    yield portioned(layout.plates[0].name, layout.twin.name, portions, origins, manner=manner)
    if layout.closed:
        yield from (set_all(plate, "Cap", 1, layout) for plate in layout.plates)
