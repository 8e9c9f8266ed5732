"""Is it safe to put together: what the rules of `mixing_hazards` find in the vials, each finding once."""

from __future__ import annotations

from collections.abc import Iterator

from labwright.tools.chemistry.mixing_hazards import Hazard, judge
from labwright.tools.chemistry.mixture_thermodynamics import Place, Portion
from labwright.tools.liquid_handler.checks.base import Case, Finding, names
from labwright.tools.liquid_handler.platform import ROOM
from labwright.tools.liquid_handler.protocol_steps import Well

Spot = tuple[str, Well]
_ALIKE = 3  # digits in which two vials' contents must agree to be judged once


def hazards(case: Case) -> Iterator[Finding]:
    """Reactive pairs, heat, gas and pressure, with the wells; a named person must accept what may harm somebody."""
    known: dict[object, list[Hazard]] = {}
    found: dict[tuple[str, tuple[str, ...]], tuple[Hazard, list[Well]]] = {}
    for spot, portions in contents(case).items():
        place = _place(case, spot)
        key = (tuple((p.name, p.source, f"{p.mg:.{_ALIKE}g}") for p in portions), place)
        if key not in known:
            known[key] = judge(portions, place)
        for hazard in known[key]:
            worst, wells = found.setdefault((hazard.rule, hazard.about), (hazard, []))
            wells.append(spot[1])
            if hazard.person and not worst.person:
                found[hazard.rule, hazard.about] = (hazard, wells)
    same: dict[tuple[str, str], tuple[Hazard, list[Well]]] = {}  # the same sentence about other substances, once
    for hazard, wells in found.values():
        kept, together = same.setdefault((hazard.text, hazard.cure), (hazard, []))
        together += wells
        if hazard.person and not kept.person:
            same[hazard.text, hazard.cure] = (hazard, together)
    for hazard, wells in sorted(same.values(), key=lambda one: one[0].order):
        text = f"{hazard.text} [{hazard.source}]"
        where = names(set(wells)) if hazard.rule not in ("not judged", "peroxide former", "waste") else ()
        yield Finding(hazard.rule, "warning", None, where, text, hazard.cure, hazard.person)


def contents(case: Case) -> dict[Spot, list[Portion]]:
    """What every vial is filled with, by source; a vial that gets portions of others, by what they bring."""
    species, materials = case.amounts.cupboard.species, case.amounts.cupboard.materials
    identity = {use.name: use.identity for use in case.design.chemicals}

    def portion(name: str, mg: float, source: str) -> Portion:
        known = species[name]
        return Portion(
            name, mg, known.molar_mass, source, identity.get(name) or "", known.boiling_point, known.state == "liquid"
        )

    filled = {
        spot: [
            portion(name, amount * share, material)
            for material, amount in received.items()
            for name, share in materials[material].composition.items()
        ]
        for spot, received in case.run.received.items()
    }
    pours = [step for _, step in case.steps() if step.action == "Transfer" and "MoveVial" not in step.tags]
    targets = {(step.plate, well) for step in pours for well in step.amounts}
    for spot, vial in case.run.vials.items():
        poured = {name: mg for name, mg in vial.contents.items() if mg > 0}
        if spot in targets and poured:
            filled[spot] = [portion(name, mg, "") for name, mg in poured.items()]
    return filled


def _place(case: Case, spot: Spot) -> Place:
    plate, well = spot
    array, vial = case.protocol.plate(plate), case.run.vials.get(spot)
    hot, capped = [ROOM], []
    moments = case.run.moments
    # A vial that moves to the other plate and back is as warm as the warmest place where it stood.
    for now in moments:
        for where, temperature in now.temperatures.items():
            if where == plate or case.layout.twin_for == "timers":
                hot.append(temperature)
                if well in now.capped.get(where, frozenset()):
                    capped.append(temperature)
    if vial is not None and vial.capped:
        capped.append(case.run.temperatures.get(plate, ROOM))
    liquid = max((one.volumes[well] for one, step in zip(moments, case.protocol.steps, strict=True)
                  if step.plate == plate and well in one.volumes), default=vial.volume if vial else 0.0)  # fmt: skip
    return Place(array.vial if array else liquid, liquid, max(hot), max(capped) if capped else None)
