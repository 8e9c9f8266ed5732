"""Laws that every protocol keeps, looked for in the file as it is read back, and in the bench sheet.

The masses are computed anew here, from the formula and the stated number alone, so that an error of the planner is
not repeated by the judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from labwright.tools.chemistry.chemical_table import Chemical, lookup
from labwright.tools.liquid_handler.experiment_design import DILUTION, Dose, ExperimentDesign, Group
from labwright.tools.liquid_handler.lsr_reader import faults, read_lsr
from labwright.tools.liquid_handler.platform import MAX_FILL
from labwright.tools.liquid_handler.protocol_planner import Made, assemble
from labwright.tools.liquid_handler.protocol_steps import Protocol
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.robots.outputs import disagreements
from labwright.tools.liquid_handler.treatment_steps import steps_of
from labwright.tools.liquid_handler.vial_amounts import VialRecipe
from labwright.tools.liquid_handler.vial_treatments import ADDED

TOLERANCE = 1e-3  # of a mass; the file holds amounts to 0.001 mg or uL
ROUNDED = 0.01  # uL


def broken(made: Made) -> list[str]:
    """Every law that a protocol breaks."""
    found = [f"file: {fault}" for fault in faults(made.file)]
    if made.protocol != planned(made) or read_lsr(made.file) != made.protocol:
        found.append("file: it does not read back as the protocol that was written")
    found += [f"check: {one.message}" for one in made.findings if one.severity == "error"]
    for law in (_balance, _doses, _later, _series, _second, _fill, _poured):
        found += law(made)
    found += [text for output in ("design_file", "bench") for text in disagreements(made, output)]
    return found


def planned(made: Made) -> Protocol:
    """The protocol as it was before it went into the file."""
    design, amounts, layout = made.design, made.amounts, made.layout
    return assemble(design, amounts, layout, steps_of(design, amounts, layout))


def _balance(made: Made) -> Iterator[str]:
    """What left the sources stands in the vials, species by species."""
    run, materials = made.case.run, made.amounts.cupboard.materials
    drawn: dict[str, float] = {}
    for name, amount in run.drawn.items():
        for species, share in materials[name].composition.items():
            drawn[species] = drawn.get(species, 0.0) + amount * share
    for species, mass in drawn.items():
        arrived = sum(vial.contents.get(species, 0.0) for vial in run.vials.values())
        if abs(arrived - mass) > TOLERANCE * mass:
            yield f"balance: {mass:g} mg of {species} are drawn and {arrived:g} mg arrive"


def _doses(made: Made) -> Iterator[str]:
    """Every stated number, computed backwards from what the file adds to the vial."""
    groups = {group.name: group for group in made.design.groups}
    for vial, place in zip(made.amounts.vials, made.layout.wells, strict=True):
        received = made.case.run.received[place]
        if vial.levels.get(DILUTION, "1") != "1":
            continue
        for dose in groups[vial.group].doses:
            if dose.kind == "remainder":
                continue
            name = dose.via or dose.substance
            mass = received[name] * _per_unit(made.design, name, dose)
            final = groups[vial.group].total_is == "final"
            weight = _weight(received if final else vial.additions, made)
            wanted = _wanted(dose, vial, _total(groups[vial.group]), weight)
            # The last digit of the file is a larger part of a small dose.
            if abs(mass - wanted) > TOLERANCE * wanted + 0.0005 * mass / received[name]:
                yield f"dose: {mass:g} mg of {dose.substance} instead of {wanted:g} mg ({place[0]} {place[1]})"


def _later(made: Made) -> Iterator[str]:
    """The same for what is added in between, which no dose of a drawn design adds as well."""
    for vial, place in zip(made.amounts.vials, made.layout.wells, strict=True):
        received = made.case.run.received[place]
        for one in made.design.conditions:
            if one.substance is None or not one.concerns(vial.group):
                continue
            name, substance = one.via or str(one.substance), str(one.substance)
            group = next(group for group in made.design.groups if group.name == vial.group)
            after = _total(group) if group.total_is == "final" else _after(name, place, made)
            if one.up_to is not None:
                if abs(after - one.up_to.to("uL")) > ROUNDED:
                    yield f"later: filled up to {after:g} uL instead of {one.up_to} ({place[0]} {place[1]})"
                continue
            assert one.amount is not None
            kind = ADDED[one.amount.measures]
            dose = Dose.model_validate({"substance": substance, "kind": kind, "amount": one.amount})
            wanted, share = _wanted(dose, vial, after), _per_unit(made.design, name, dose)
            mass = received.get(name, 0.0) * share
            if abs(mass - wanted) > TOLERANCE * wanted + 0.0005 * share:
                yield f"later: {mass:g} mg of {substance} instead of {wanted:g} mg ({place[0]} {place[1]})"


def _after(name: str, place: tuple[str, tuple[int, int]], made: Made) -> float:
    """uL in a vial when a source has been added to it for the last time."""
    steps = zip(made.protocol.steps, made.case.run.moments, strict=True)
    return [
        moment.volumes[place[1]]
        for step, moment in steps
        if (step.action, step.subject, step.plate) == ("Add", name, place[0]) and place[1] in step.amounts
    ][-1]


def _total(group: Group) -> float:
    """uL, as stated."""
    return group.total_volume.to("uL") if group.total_volume else 0.0


def _weight(came: Mapping[str, float], made: Made) -> float:
    """mg of what came into a vial: all of it, or what did before anything was done."""
    materials = made.amounts.cupboard.materials
    return sum(amount * sum(materials[name].composition.values()) for name, amount in came.items())


def _series(made: Made) -> Iterator[str]:
    """Before the treatments, each vial of a series is as many times more dilute than its first as its label says."""
    first: Mapping[str, float] = {}
    filled, solvent = _filled(made), made.design.groups[0].doses[-1].substance
    for vial, place in zip(made.amounts.vials, made.layout.wells, strict=True):
        if DILUTION not in vial.levels:
            continue
        held, volume = filled[place]
        share = {name: mass / volume for name, mass in held.items() if name != solvent}
        first = share if vial.levels[DILUTION] == "1" else first
        for name, density in first.items():
            wanted = density / float(vial.levels[DILUTION])
            if abs(share.get(name, 0.0) - wanted) > 0.002 * wanted:
                yield f"series: {share.get(name, 0.0):g} mg/uL of {name} instead of {wanted:g} ({place[0]} {place[1]})"


def _filled(made: Made) -> dict[tuple[str, tuple[int, int]], tuple[dict[str, float], float]]:
    """mg of each species and uL of every vial as it was made: additions and portions, nothing taken away yet."""
    found: dict[tuple[str, tuple[int, int]], tuple[dict[str, float], float]] = {}
    materials = made.amounts.cupboard.materials
    steps, home = made.protocol.steps, {plate.name for plate in made.layout.plates}
    last = max((at for at, step in enumerate(steps) if step.action == "Transfer" and step.plate in home), default=-1)
    for step in steps[: last + 1]:
        for well, amount in step.amounts.items() if step.action != "Set" else ():
            held, volume = found.get((step.plate, well), ({}, 0.0))
            if step.action == "Add":
                parts, added = materials[step.subject].composition, amount if step.unit == "uL" else 0.0
                brought = {name: amount * share for name, share in parts.items()}
            else:
                before, of = found[step.subject, step.origins[well]]
                brought, added = {name: mass * amount / of for name, mass in before.items()}, amount
            whole = {name: held.get(name, 0.0) + brought.get(name, 0.0) for name in {*held, *brought}}
            found[step.plate, well] = (whole, volume + added)
    return found


def _second(made: Made) -> Iterator[str]:
    """Every vial of the second plate holds its portion, its quench or diluent and what is added; one each time."""
    sampling, workup, twin = made.design.sampling, made.design.workup, made.layout.twin
    second = sampling or workup
    if second is None or twin is None:
        return
    wanted, times = workup.total_volume.to("uL") if workup else 0.0, 1
    if sampling is not None:
        times = sum(len(one.minutes) for one in made.design.conditions)
        wanted = sampling.volume.to("uL") + (sampling.quench_volume.to("uL") if sampling.quench_volume else 0.0)
    for one in second.conditions:
        wanted = one.up_to.to("uL") if one.up_to else wanted + (one.amount.to("uL") if one.amount else 0.0)
    there = {well: vial for (plate, well), vial in made.case.run.vials.items() if plate == twin.name}
    if len(there) != times * len(made.amounts.vials):
        yield f"samples: {len(there)} vials for {times} times of {len(made.amounts.vials)} vials"
    for well, vial in there.items():
        if abs(vial.volume - wanted) > ROUNDED:
            yield f"samples: {vial.volume:g} uL instead of {wanted:g} uL in {twin.name} {well}"


def _poured(made: Made) -> Iterator[str]:
    """A substance that only another vial brings comes in its share of that vial: so many uL of so many."""
    taken = next((one for one in made.design.conditions if one.from_vials), None)
    if taken is None:
        return
    assert taken.amount is not None
    mother = next(group for group in made.design.groups if group.name == taken.from_vials)
    species = made.amounts.cupboard.materials[mother.doses[0].substance].composition
    (tracer,) = [name for name in species if name != mother.doses[-1].substance]
    dosed = mother.doses[0].amount
    assert dosed is not None
    wanted = dosed.to("uL") * species[tracer] * taken.amount.to("uL") / _total(mother)
    for vial, place in zip(made.amounts.vials, made.layout.wells, strict=True):
        held = made.case.run.vials[place].contents.get(tracer, 0.0)
        if taken.concerns(vial.group) and abs(held - wanted) > 0.002 * wanted:
            yield f"poured: {held:g} mg of {tracer} instead of {wanted:g} mg ({place[0]} {place[1]})"


def _per_unit(design: ExperimentDesign, name: str, dose: Dose) -> float:
    """mg of the solute in a mg of solid or a uL of liquid; 1 where volumes are asked.

    Stocks of drawn designs are molar or in x, which counts as mg; a compound without data has 1 g/mol.
    """
    if dose.kind == "volume":
        return 1.0
    stock = next((stock for stock in design.stocks if stock.name == name), None)
    chemical = lookup(dose.substance)
    if stock is not None and stock.concentration.measures == "fold":
        return stock.concentration.value
    if stock is not None:
        return stock.concentration.to("M") * (chemical.molar_mass if isinstance(chemical, Chemical) else 1.0) / 1000
    assert isinstance(chemical, Chemical)
    return 1.0 if chemical.state == "solid" else chemical.density or 0.0


def _wanted(dose: Dose, vial: VialRecipe, total: float, weight: float = 0.0) -> float:
    """mg (of a volume: uL) that the dose asks for, of a vial of `total` uL and `weight` mg."""
    stated = Stated.model_validate(vial.levels[dose.factor]) if dose.factor else dose.amount
    assert stated is not None
    if dose.kind == "volume":
        return stated.to("uL")
    chemical = lookup(dose.substance)
    if not isinstance(chemical, Chemical):
        return stated.value * total if stated.measures == "fold" else stated.to("M") * total / 1000
    if dose.kind == "mass":
        return stated.to("mg")
    if dose.kind == "moles":
        return stated.to("mmol") * chemical.molar_mass
    if dose.kind == "molarity":
        return stated.to("M") * total * chemical.molar_mass / 1000
    if dose.basis == "w/w":
        return stated.to("") * weight
    return stated.to("") * total * (chemical.density or 0.0)


def _fill(made: Made) -> Iterator[str]:
    """No vial overflows at any step, and the stated total is what stands in it."""
    for step, moment in zip(made.protocol.steps, made.case.run.moments, strict=True):
        plate = made.protocol.plate(step.plate)
        for well, volume in moment.volumes.items():
            if plate is None or volume > MAX_FILL * plate.vial + ROUNDED:
                yield f"fill: {volume:g} uL stand in {step.plate} {well}"
    for vial, place in zip(made.amounts.vials, made.layout.wells, strict=True):
        units = {source.name: source.unit for source in made.protocol.sources}
        group = made.design.groups[0]
        later = {} if group.total_is == "final" else vial.later
        received = made.case.run.received[place]
        found = sum(amount for name, amount in received.items() if units[name] == "uL")
        found -= sum(amount for one in later.values() for name, amount in one.items() if units[name] == "uL")
        found += sum(volume for _, volume in vial.poured.values()) if group.total_is == "final" else 0.0
        filled = vial.group == group.name and vial.levels.get(DILUTION, "1") == "1"
        if filled and abs(found - _total(group)) > ROUNDED:
            yield f"total: {found:g} uL instead of {group.total_volume} in {place[0]} {place[1]}"
