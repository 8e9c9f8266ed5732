"""What the planner settled although the design does not say it: listed, so that a chemist can disagree."""

from __future__ import annotations

from collections.abc import Iterator

from labwright.tools.chemistry.chemical_table import Chemical, lookup, normal_name
from labwright.tools.chemistry.chemicals_package_data import SOURCE as PACKAGE
from labwright.tools.chemistry.chemicals_package_data import liquid_density
from labwright.tools.liquid_handler.doses import TWICE
from labwright.tools.liquid_handler.experiment_design import Assumption, ExperimentDesign, Group
from labwright.tools.liquid_handler.platform import (
    COOLING_TIME_CONSTANT,
    DEFAULT_MIX_TIME,
    DEFAULT_STIR,
    DEFAULT_VORTEX,
    PER_MOVE,
    ROOM,
    SERIES_MIX_TIME,
)
from labwright.tools.liquid_handler.solutions import solutions
from labwright.tools.liquid_handler.substances import Stock
from labwright.tools.liquid_handler.treatment_steps import blocks, moved
from labwright.tools.liquid_handler.vial_amounts import Amounts
from labwright.tools.liquid_handler.vial_treatments import Condition
from labwright.tools.liquid_handler.well_arrangement import Layout, needs_caps

ZERO = 273.15  # K
DENSITY_ERROR, TOO_MUCH = 0.01, 0.02  # by how much densities differ between tables; what may become of it elsewhere


def decisions(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> tuple[Assumption, ...]:
    """Every default that stands in the protocol, with what follows from it."""
    percentages = [each for each in solutions(design) if each.concentration.measures == "fraction"]
    found = [_percentage(each, amounts) for each in percentages if each.name in amounts.cupboard.materials]
    found += _names(design, amounts)
    found += _solids(design, amounts)
    found += _twice(design)
    found += _left(design, amounts)
    found += _densities(design, amounts)
    if design.cap is None and layout.closed and needs_caps(design, amounts):
        found.append(Assumption(about="caps", text="The vials are capped: they are heated, vortexed or volatile."))
    for condition in design.conditions:
        found += _treatment(condition, amounts)
    found += _between(design, amounts, layout)
    if design.workup is not None:
        portion, (_, rest) = design.workup.portion, design.workup.ready
        factor = design.workup.factor.to("")
        text = (
            f"A dilution factor of {factor:g} is {portion:g} uL of sample and {rest:g} uL of {design.workup.diluent}."
        )
        found.append(Assumption(about="dilution", text=text))
    last = design.workup or design.sampling
    for condition in last.conditions if last else ():
        found += _treatment(condition, amounts)
    return tuple(dict.fromkeys(found))


def _between(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> Iterator[Assumption]:
    """What additions, samples and series of dilutions need that nobody says."""
    inserted = [block for block in blocks(design, amounts, layout) if block[0].index is None]
    if inserted and design.workup is None:
        text = f"The vials cool to {ROOM:g} degC before they are opened for an addition or a sample."
        yield Assumption(about="cooling", text=text, consequence="Say `cap: false` for what is hot if they stay open.")
    hot = [one for one in design.conditions if any(one.minutes) and one.temperature is not None and one.cap is None]
    if hot and design.cap is None and not layout.closed:
        text = f"The vials stand open at {hot[0].temperature}, because samples are taken while they are hot."
        yield Assumption(about="caps", text=text, consequence="Solvent is lost; sample after cooling if it matters.")
    if design.sampling is not None:
        text = f"A portion takes about {60 * PER_MOVE:g} s a vial, an estimate; the vials are sampled one by one."
        yield Assumption(about="samples", text=text, consequence="The report lists when each is taken.")
    if any(group.serial for group in design.groups):
        text = f"Before each portion of a serial dilution all vials are stirred for {SERIES_MIX_TIME:g} min"
        yield Assumption(about="serial dilution", text=f"{text} at {DEFAULT_STIR:g} rpm.")


def _names(design: ExperimentDesign, amounts: Amounts) -> Iterator[Assumption]:
    """Substances that were looked up under another name than the person's."""
    for use in design.chemicals:
        found = lookup(use.identity or use.name)
        if isinstance(found, Chemical) and normal_name(found.name) != normal_name(use.name):
            yield Assumption(about=use.name, text=f"{use.name} is taken as {found.name} (CAS {found.cas}).")
        elif amounts.cupboard.species[use.name].source.startswith("package"):
            source = amounts.cupboard.species[use.name].source
            yield Assumption(about=use.name, text=f"Data of {use.name} are those of the {source}.")
        elif amounts.cupboard.species[use.name].source.startswith("assumed"):
            text = f"{use.name} is a liquid counted by volume; the file says 1 g/mL, and no amount depends on it."
            if amounts.cupboard.species[use.name].source.endswith("moles only"):
                text = f"The molar mass of {use.name} is not known, and no amount depends on it."
            yield Assumption(about=use.name, text=text)


def _percentage(stock: Stock, amounts: Amounts) -> Assumption:
    """What a percentage was taken to mean, as a molarity."""
    basis = stock.concentration.basis or stock.basis
    held, solute = amounts.cupboard.materials[stock.name], amounts.cupboard.species[stock.solute]
    molar = f"{1000 * held.composition[stock.solute] / solute.molar_mass:.4g} M" if held.molar_mass else ""
    what = f", so {'the stock' if stock.name != stock.solute else stock.name} is {molar}" if molar else ""
    text = f"{stock.concentration} is read as {basis}{what}."
    return Assumption(about=stock.name, text=text, consequence="On another basis every volume of it would be another.")


def _twice(design: ExperimentDesign) -> Iterator[Assumption]:
    """Amounts that the words give twice, and agree."""
    for dose in (dose for group in design.groups for dose in group.doses if dose.comes_to and dose.amount):
        text = f"{dose.amount} and {dose.comes_to} of {dose.substance} agree within {TWICE:.0%}; the volume of a liquid"
        text += " and the mass of a solid are dispensed as they stand, and equivalents count the moles."
        yield Assumption(about=dose.substance, text=text)


def _left(design: ExperimentDesign, amounts: Amounts) -> Iterator[Assumption]:
    """What fills up little beside a liquid whose volume follows from its density: an error there is large here."""
    for group in design.groups:
        filler = next((dose.substance for dose in group.doses if dose.kind == "remainder"), "")
        neat = _by_density(group)
        least = [(vial.additions.get(filler, 0.0), vial) for vial in amounts.vials if vial.group == group.name]
        rest, vial = min(least, key=lambda each: each[0], default=(0.0, None))
        for name in sorted(neat & set(vial.additions if vial else ())):
            volume, species = vial.additions[name] if vial else 0.0, amounts.cupboard.species.get(name)
            if species is None or not species.density or amounts.cupboard.materials[name].unit == "mg":
                continue
            if 0 < rest < volume * DENSITY_ERROR / TOO_MUCH:
                text = f"Of {filler} only {rest:.4g} uL are left to fill up beside {volume:.4g} uL of {name}, whose"
                text += f" volume follows from {species.density:.4g} g/mL ({species.source or 'stated'});"
                text += f" {DENSITY_ERROR:.0%} of that are {DENSITY_ERROR * volume:.2g} uL."
                yield Assumption(about=filler, text=text, consequence=f"Give the volume of {name} if you have it.")


def _by_density(group: Group) -> set[str]:
    """Names of what is dosed neat and by moles or mass, so that a volume follows from the density."""
    counted = {"mass", "moles", "equivalents", "molarity", "share"}
    chosen = {factor.name: factor.chemicals for factor in group.factors if factor.chemicals}
    doses = [dose for dose in group.doses if dose.kind in counted and not dose.via and not dose.comes_to]
    return {name for dose in doses for name in chosen.get(dose.substance, [dose.substance])}


def _densities(design: ExperimentDesign, amounts: Amounts) -> Iterator[Assumption]:
    """Volumes that follow from a density at another temperature than the protocol's, and by how much they differ."""
    for name in sorted({name for group in design.groups for name in _by_density(group)}):
        use = next((one for one in design.chemicals if one.name == name), None)
        found = lookup(use.identity or name) if use and use.density is None and use.strength is None else None
        if not isinstance(found, Chemical) or found.density_at is None or amounts.cupboard.materials[name].unit == "mg":
            continue
        at, here = found.density_at, design.base
        then, now = (liquid_density(found.cas, found.molar_mass, each + ZERO) for each in (at, here))
        if abs(at - here) >= 1 and found.density:
            text = (
                f"The volume of {name} follows from {found.density:.4g} g/mL at {at:g} degC ({found.density_source}),"
            )
            text += f" the protocol is at {here:g} degC"
            if then and now:
                more = "more" if then > now else "less"
                text += f", where it takes {abs(then / now - 1):.1%} {more} ({PACKAGE}, Perry's table 2-32)"
            yield Assumption(
                about=name, text=f"{text}.", consequence="Give its density there, or its volume, if it matters."
            )


def _solids(design: ExperimentDesign, amounts: Amounts) -> list[Assumption]:
    """Solids beside a total volume that counts the liquids only."""
    groups = {group.name for group in design.groups if group.total_volume and group.total_includes == "liquids"}
    weighed = {
        name
        for vial in amounts.vials
        for name in vial.additions
        if vial.group in groups and amounts.cupboard.materials[name].unit == "mg"
    }
    if not weighed:
        return []
    text = f"The total volume is that of the liquids; {', '.join(sorted(weighed))} is not subtracted from it."
    return [Assumption(about="total volume", text=text)]


def _treatment(condition: Condition, amounts: Amounts) -> Iterator[Assumption]:
    """Stirring, speeds and times that a treatment leaves open."""
    actual = moved(condition, amounts)
    if condition.kind in ("add", "sample"):
        return
    if condition.kind == "heat" and condition.by is None and actual.by is not None:
        text = f"The vials are stirred at {DEFAULT_STIR:g} rpm while they are hot; the text does not say."
        yield Assumption(about="stirring", text=text, consequence="Say that they are not stirred if that is meant.")
    elif actual.speed is None and (condition.kind == "mix" or actual.by in ("stir", "vortex")):
        speed = DEFAULT_STIR if actual.by == "stir" else DEFAULT_VORTEX
        yield Assumption(
            about="speed", text=f"The speed of {actual.by or 'vortex'} is {speed:g} rpm; it is not stated."
        )
    for stated in (condition.time, condition.temperature):
        if stated is not None and stated.said:
            yield Assumption(
                about=stated.said, text=f"{stated.said} is {stated}.", consequence="Give a number instead."
            )
    if condition.kind in ("mix", "wait") and condition.lasts is None:
        what = "Mixing" if condition.kind == "mix" else "Waiting"
        yield Assumption(about=f"{what.lower()} time", text=f"{what} lasts {DEFAULT_MIX_TIME:g} min; it is not stated.")
    if condition.kind == "cool" and condition.time is None:
        target = ROOM if condition.temperature is None else condition.temperature.to("degC")
        text = f"The vials cool to {target:g} degC with a time constant of {COOLING_TIME_CONSTANT:g} min, an estimate."
        yield Assumption(about="cooling", text=text, consequence="Give a time if the block cools more slowly.")
