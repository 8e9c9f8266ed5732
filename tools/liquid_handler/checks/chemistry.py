"""Is it the chemistry that was asked: balances, levels, concentrations, solubility."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from labwright.tools.liquid_handler.checks.base import Case, Finding, differs, error, warning
from labwright.tools.liquid_handler.dispensing import is_strong_acid
from labwright.tools.liquid_handler.doses import Target
from labwright.tools.liquid_handler.factor_combinations import combinations
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_steps import Well
from labwright.tools.liquid_handler.vial_amounts import VialRecipe


def balance(case: Case) -> Iterator[Finding]:
    """Mass and moles of every species, recomputed from the file, equal what was calculated."""
    materials = case.amounts.cupboard.materials
    for vial, (plate, well) in zip(case.amounts.vials, case.layout.wells, strict=True):
        received = case.run.received.get((plate, well), {})
        for name in dict.fromkeys((*vial.materials, *received)):
            wanted, found = vial.added(name), received.get(name, 0.0)
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
        if material and differs(source.molar_mass, material.molar_mass, 1e-3):
            text = f"The file gives {source.name!r} {source.molar_mass:g} g/mol; it is {material.molar_mass:g}."
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
        held = case.run.received.get((plate, well), {})
        received = at_first(vial, held)
        contents = _contents(received, case)
        for name, target in vial.asked_later.items():
            late = {name: held.get(name, 0.0) - vial.additions.get(name, 0.0)}
            found = _found(target, vial, late, _contents(late, case), case)
            if differs(found, target.value, 1e-9) and abs(found - target.value) > 0.002 * abs(target.value):
                text = f"{plate}: {found:.4g} of {target.species!r} is added in between, not {target.value:.4g}."
                yield error("concentration", None, (well,), text, "Correct the amount.")
        final = any(group.name == vial.group and group.total_is == "final" for group in case.design.groups)
        for target in vial.targets:
            whole = final and target.kind not in ("mass", "moles", "volume")
            of = (held, _contents(held, case)) if whole else (received, contents)
            found = _found(target, vial, *of, case, poured=whole)
            # Rounding the dispensed amount to the file's last digit may shift small doses a little.
            if differs(found, target.value, 1e-9) and abs(found - target.value) > 0.002 * abs(target.value):
                text = f"{plate}: {target.species!r} comes to {found:.4g}, not {target.value:.4g} ({target.stated})."
                yield error("concentration", None, (well,), text, "Correct the amount, or the stock's concentration.")


def at_first(vial: VialRecipe, received: dict[str, float]) -> dict[str, float]:
    """What a vial received before anything was done to it, mg or uL; what conditions add in between taken away."""
    return {name: amount - vial.later_of(name) for name, amount in received.items()}


def _contents(received: dict[str, float], case: Case) -> dict[str, float]:
    contents: dict[str, float] = {}
    for name, amount in received.items():
        material = case.amounts.cupboard.materials.get(name)
        for species, share in material.composition.items() if material else ():
            contents[species] = contents.get(species, 0.0) + amount * share
    return contents


def _found(
    target: Target,
    vial: VialRecipe,
    received: dict[str, float],
    contents: dict[str, float],
    case: Case,
    *,
    poured: bool = False,
) -> float:
    """The target's quantity in the vial; a mass or moles target counts every source of the species."""
    if target.kind == "volume":
        return received.get(target.species, 0.0)
    mass = contents.get(target.species, 0.0)
    if target.kind == "mass":
        return mass
    if target.kind == "mass fraction":
        return mass / (sum(contents.values()) or 1.0)
    molar_mass = case.amounts.cupboard.species[target.species].molar_mass
    if target.kind == "moles":
        return mass / molar_mass
    # Concentrations are of the finished volume: as stated, or what the liquids come to.
    units = {name: material.unit for name, material in case.amounts.cupboard.materials.items()}
    volume = sum(v for n, v in received.items() if units[n] == "uL")
    volume += sum(uL for _, uL in vial.poured.values()) if poured else 0.0
    if any(g.name == vial.group and g.total_includes == "everything" for g in case.design.groups) and vial.total:
        volume += vial.total - sum(v for n, v in at_first(vial, received).items() if units[n] == "uL")
    if volume <= 0:
        return 0.0
    return mass / volume if target.kind == "fraction" else mass / molar_mass / volume * 1000


def portions(case: Case) -> Iterator[Finding]:
    """Work-up, samples and series of dilutions: every vial is filled from the vials, and as much, as asked."""
    pours: dict[tuple[str, Well], list[tuple[tuple[str, Well], float]]] = {}
    for _, step in case.steps():
        if step.action == "Transfer" and "MoveVial" not in step.tags:
            for well, volume in step.amounts.items():
                origin = (step.subject, step.origins.get(well, well))
                pours.setdefault((step.plate, well), []).append((origin, volume))
    asked = dict(_asked_portions(case))
    for place in dict.fromkeys((*asked, *pours)):
        wanted, found = asked.get(place, []), pours.get(place, [])
        same = [origin for origin, _ in wanted] == [origin for origin, _ in found]
        if not same or any(differs(a, b, 0.01) for (_, a), (_, b) in zip(found, wanted, strict=True)):
            text = f"{place[0]}: the vial is filled with {_poured(found)} instead of {_poured(wanted)}."
            yield error("portion", None, (place[1],), text, "Correct where the portion comes from, or its volume.")
    yield from _series(case)
    ready = case.design.workup or case.design.sampling
    if ready is None or case.layout.twin is None:
        return
    there: Counter[str] = Counter()
    for name, volume in (ready.ready, *ready.added):
        there[name] += volume  # type: ignore[assignment]
    listed = " and ".join(f"{volume:g} uL of {name}" for name, volume in there.items())
    for well in case.layout.twin_wells:
        received = case.run.received.get((case.layout.twin.name, well), {})
        if any(differs(received.get(name, 0.0), there[name], 0.01) for name in {*received, *there}):
            text = f"{case.layout.twin.name}: {received or 'nothing'} instead of {listed}."
            yield error("portion", None, (well,), text, f"Add {listed}.")


def _series(case: Case) -> Iterator[Finding]:
    """A vial of a series gives its portion after it got its own."""
    pairs = zip(case.amounts.vials, case.layout.wells, strict=True)
    left = {place for vial, place in pairs if vial.origin is not None}
    home = {plate.name for plate in case.layout.plates}
    for number, step in case.steps():
        if step.action != "Transfer" or step.plate not in home or "MoveVial" in step.tags:
            continue
        early = [well for well in step.amounts if (step.subject, step.origins.get(well, well)) in left]
        if early:
            text = f"Step {number} takes portions of vials that are not diluted yet."
            yield error("portion", number, early, text, "Dilute in order.")
        left -= {(step.plate, well) for well in step.amounts}


def _asked_portions(case: Case) -> Iterator[tuple[tuple[str, Well], list[tuple[tuple[str, Well], float]]]]:
    """Every vial that is to be filled from another, with the origin and uL."""
    places = case.layout.wells
    for vial, place in zip(case.amounts.vials, places, strict=True):
        given = [(vial.origin, vial.portion)] if vial.origin is not None else []
        if given or vial.poured:
            yield place, [(places[origin], uL) for origin, uL in (*given, *dict(sorted(vial.poured.items())).values())]
    twin = case.layout.twin
    if twin is not None and case.design.workup is not None:
        for well, place in zip(case.layout.twin_wells, places, strict=True):
            yield (twin.name, well), [(place, case.design.workup.portion)]
    sampling = case.design.sampling
    if twin is not None and sampling is not None:
        pairs = zip(case.amounts.vials, places, strict=True)
        members = [place for vial, place in pairs if sampling.concerns(vial.group)]
        for index, well in enumerate(case.layout.twin_wells):
            yield (twin.name, well), [(members[index % len(members)], sampling.volume.to("uL"))]


def _poured(portions_: list[tuple[tuple[str, Well], float]]) -> str:
    named = [f"{volume:g} uL of {plate} {well_name(*well)}" for (plate, well), volume in portions_]
    return " and ".join(named) or "no portion"


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
