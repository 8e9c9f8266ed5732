"""The second plate: a diluted portion of every vial at the end, or samples at times into vials with a quench."""

from __future__ import annotations

from collections.abc import Iterator

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Amounts
from labwright.tools.liquid_handler.dispensing import dispense_tags, portioned
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.platform import RESOLUTION
from labwright.tools.liquid_handler.protocol_steps import Step, Well, set_wells
from labwright.tools.liquid_handler.vial_conditions import Sampling, Workup
from labwright.tools.liquid_handler.well_arrangement import Layout


def quench(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> Iterator[Step]:
    """What stands ready in the vials for samples."""
    sampling = design.sampling
    if sampling is None or layout.twin is None or sampling.quench is None or sampling.quench_volume is None:
        return
    yield _into_twin(sampling.quench, sampling.quench_volume.to("uL"), amounts, layout)


def _into_twin(name: str, volume: float, amounts: Amounts, layout: Layout) -> Step:
    material = amounts.cupboard.materials.get(name)
    if material is None or material.unit != "uL":
        raise InputError(f"{name!r} shall stand in the second plate, but is not a liquid to dispense. Name a solvent.")
    assert layout.twin is not None
    wells = dict.fromkeys(layout.twin_wells, round(volume, RESOLUTION))
    return Step("Add", name, layout.twin.name, "uL", wells, dispense_tags(material, wells, layout.twin))


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
    return portioned(layout.plates[0].name, layout.twin.name, portions, dict(zip(targets, wells, strict=True)), note)


def finalise(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> Iterator[Step]:
    """The work-up: open, put diluent, transfer a portion, close. Then what is done to the second plate."""
    if layout.twin is None or layout.twin_for == "timers":
        return
    if design.workup is not None:
        yield from _diluted(design.workup, amounts, layout)
    if layout.twin.cappable:
        yield set_wells("Cap", layout.twin.name, layout.twin_wells, 1)


def _diluted(workup: Workup, amounts: Amounts, layout: Layout) -> Iterator[Step]:
    assert layout.twin is not None
    portion, rest = dilution(workup)
    plates = {plate.name: [well for name, well in layout.wells if name == plate.name] for plate in layout.plates}
    if layout.closed:
        yield from (set_wells("Cap", name, wells, 0) for name, wells in plates.items())
    yield _into_twin(workup.diluent, rest, amounts, layout)
    origins = dict(zip(layout.twin_wells, (well for _, well in layout.wells), strict=True))
    yield portioned(layout.plates[0].name, layout.twin.name, dict.fromkeys(origins, portion), origins)
    if layout.closed:
        yield from (set_wells("Cap", name, wells, 1) for name, wells in plates.items())


def ready_in_twin(second: Workup | Sampling) -> tuple[str, float]:
    """What every vial of the second plate holds before its portion: the name of a liquid, and uL."""
    if isinstance(second, Workup):
        return second.diluent, dilution(second)[1]
    return second.quench or "", second.quench_volume.to("uL") if second.quench_volume else 0.0


def dilution(workup: Workup) -> tuple[float, float]:
    """uL of sample and of diluent that make the stated total."""
    factor, total = workup.factor.to(""), workup.total_volume.to("uL")
    parts = factor if workup.convention == "total" else factor + 1
    if parts <= 1:
        raise InputError(f"A dilution factor of {factor:g} dilutes nothing; give one above 1.")
    portion = round(total / parts, RESOLUTION)
    return portion, round(total - portion, RESOLUTION)
