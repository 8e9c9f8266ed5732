"""Is it the chemistry that was asked: balances, levels, concentrations, solubility."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from labwright.tools.liquid_handler.amounts import Target, VialRecipe
from labwright.tools.liquid_handler.checks.base import Case, Finding, differs, error, warning
from labwright.tools.liquid_handler.processing import dilution, is_strong_acid
from labwright.tools.liquid_handler.recipes import combinations
from labwright.tools.liquid_handler.simulate import Vial


def balance(case: Case) -> Iterator[Finding]:
    """Mass and moles of every species, recomputed from the file, equal what was calculated."""
    materials = case.amounts.cupboard.materials
    for vial, (plate, well) in zip(case.amounts.vials, case.layout.wells, strict=True):
        received = case.run.received.get((plate, well), {})
        for name in dict.fromkeys((*vial.additions, *received)):
            wanted, found = vial.additions.get(name, 0.0), received.get(name, 0.0)
            if differs(found, wanted):
                unit = materials[name].unit if name in materials else ""
                moles = _mmol(found - wanted, name, case)
                text = f"{plate}: {found:g} {unit} of {name!r} instead of {wanted:g} ({moles:+.4g} mmol of it)."
                yield error("balance", None, (well,), text, f"Write {wanted:g} {unit}.")
    expected = set(case.layout.wells)
    for (plate, well), received in case.run.received.items():
        twin = case.layout.twin
        if (plate, well) not in expected and received and not (twin and plate == twin.name):
            yield error("balance", None, (well,), f"{plate}: a vial is filled that nobody asked for.", "Remove it.")
    for source in case.protocol.sources:
        material = materials.get(source.name)
        if material and material.molar_mass and differs(source.molar_mass, material.molar_mass, 1e-3):
            text = (
                f"The file gives {source.name!r} {source.molar_mass:g} g/mol; its formula says {material.molar_mass:g}."
            )
            yield error("molar_mass", None, (), text, "Correct the molecular weight.")
        if material and material.unit == "uL" and differs(source.density, material.density, 1e-5):
            text = f"The file gives {source.name!r} a density of {source.density:g} g/mL; it is {material.density:g}."
            yield error("density", None, (), text, "Correct the density.")


def _mmol(amount: float, name: str, case: Case) -> float:
    material = case.amounts.cupboard.materials.get(name)
    if material is None or not material.molar_mass:
        return 0.0
    return amount * next(iter(material.composition.values())) / material.molar_mass


def levels(case: Case) -> Iterator[Finding]:
    """Every asked combination stands on the plates as often as it was asked for."""
    asked = Counter(_key(c.group, c.label) for group in case.design.groups for c in combinations(group))
    filled = {place for place, received in case.run.received.items() if received}
    made = Counter(
        _key(vial.group, vial.levels)
        for vial, place in zip(case.amounts.vials, case.layout.wells, strict=True)
        if place in filled
    )
    for key, count in asked.items():
        if made[key] != count:
            text = f"{key or 'A sample'} is asked {count} times, but prepared {made[key]} times."
            yield error("levels", None, (), text, "Add the missing vials or remove the surplus.")
    places = Counter(case.layout.wells)
    doubled = [place for place, count in places.items() if count > 1]
    if doubled:
        yield error("levels", None, [well for _, well in doubled], "Two samples share a well.", "Give each its own.")


def _key(group: str, labels: dict[str, str]) -> str:
    return ", ".join([group, *(f"{name} {level}" for name, level in sorted(labels.items()))])


def concentrations(case: Case) -> Iterator[Finding]:
    """What the text says, computed backwards from what the file puts into the vial."""
    for vial, (plate, well) in zip(case.amounts.vials, case.layout.wells, strict=True):
        received = case.run.received.get((plate, well), {})
        contents = _contents(received, case)
        for target in vial.targets:
            found = _found(target, vial, received, contents, case)
            # Rounding the dispensed amount to the file's last digit may shift small doses a little.
            if differs(found, target.value, 1e-9) and abs(found - target.value) > 0.002 * abs(target.value):
                text = f"{plate}: {target.species!r} comes to {found:.4g}, not {target.value:.4g} ({target.stated})."
                yield error("concentration", None, (well,), text, "Correct the amount, or the stock's concentration.")


def _contents(received: dict[str, float], case: Case) -> dict[str, float]:
    contents: dict[str, float] = {}
    for name, amount in received.items():
        material = case.amounts.cupboard.materials.get(name)
        for species, share in material.composition.items() if material else ():
            contents[species] = contents.get(species, 0.0) + amount * share
    return contents


def _found(
    target: Target, vial: VialRecipe, received: dict[str, float], contents: dict[str, float], case: Case
) -> float:
    """The target's quantity in the vial; a mass or moles target counts every source of the species."""
    if target.kind == "volume":
        return received.get(target.species, 0.0)
    mass = contents.get(target.species, 0.0)
    if target.kind == "mass":
        return mass
    mmol = mass / case.amounts.cupboard.species[target.species].molar_mass
    if target.kind == "moles":
        return mmol
    # Concentrations are of the finished volume: as stated, or what the liquids come to.
    volume = sum(v for n, v in received.items() if case.amounts.cupboard.materials[n].unit == "uL")
    if any(g.name == vial.group and g.total_includes == "everything" for g in case.design.groups) and vial.total:
        volume = vial.total
    if volume <= 0:
        return 0.0
    return mass / volume if target.kind == "fraction" else mmol / volume * 1000


def workup(case: Case) -> Iterator[Finding]:
    """The diluted samples have the stated total and the stated dilution."""
    if case.design.workup is None or case.layout.twin is None:
        return
    portion, rest = dilution(case.design.workup)
    twin = case.layout.twin.name
    moved = {w: v for _, s in case.steps() if s.action == "Transfer" and s.plate == twin for w, v in s.amounts.items()}
    for index in range(len(case.amounts.vials)):
        well = divmod(index, case.layout.twin.columns)
        found = case.run.vials.get((twin, well), Vial()).volume
        if differs(found, portion + rest, 0.01) or differs(moved.get(well, 0.0), portion, 0.01):
            text = f"The diluted sample holds {moved.get(well, 0.0):g} uL of sample in {found:g} uL."
            yield error("dilution", None, (well,), text, f"Take {portion:g} uL of sample and {rest:g} uL of diluent.")


def solubility(case: Case) -> Iterator[Finding]:
    """Solids above their solubility in a vial that is mostly water."""
    species, materials = case.amounts.cupboard.species, case.amounts.cupboard.materials
    found: dict[str, list[tuple[int, int]]] = {}
    for (_, well), received in case.run.received.items():
        volume = sum(v for n, v in received.items() if n in materials and materials[n].unit == "uL")
        water = sum(v for n, v in received.items() if n in materials and materials[n].is_water)
        for name, mass in _contents(received, case).items():
            limit = species[name].solubility if name in species else None
            if limit is not None and volume > 0 and water > 0.5 * volume and mass / volume * 1000 > limit:
                found.setdefault(name, []).append(well)
    for name, wells in found.items():
        text = f"{name!r} dissolves to {species[name].solubility:g} g/L in water at 25 degC; these vials hold more."
        yield warning("solubility", None, wells, text, "Expect undissolved solid; heat, or take another solvent.")


def data(case: Case) -> Iterator[Finding]:
    """Estimated or assumed data behind the numbers."""
    for source in case.protocol.sources:
        material = case.amounts.cupboard.materials.get(source.name)
        for note in material.notes if material else ():
            yield warning(
                "data", None, (), f"{source.name!r}: {note}.", "Look up its density and state it in the design."
            )


def acid_sources(case: Case) -> set[str]:
    """Names of the sources that are strong acids."""
    return {n for n, m in case.amounts.cupboard.materials.items() if m.unit == "uL" and is_strong_acid(m, case.amounts)}
