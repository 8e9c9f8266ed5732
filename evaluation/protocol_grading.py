"""Whether finished vials are those that an author expects: amounts of each substance in each vial, treatments.

What is expected has the form of `docs/protocol-cases.md`; wells, groups and the order of vials do not matter unless
they are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labwright.tools.chemistry.chemicals import Chemical, lookup, normal_name
from labwright.tools.chemistry.quantities import parse_quantity
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Amounts, VialRecipe
from labwright.tools.liquid_handler.conditions import Condition
from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.liquid_handler.platform import ROOM
from labwright.tools.liquid_handler.processing import moved, warmed
from labwright.tools.liquid_handler.protocol import Made

Plain = Mapping[str, Any]
TOLERANCE = 0.02  # relative
SMALLEST = 0.5  # uL or mg that count as equal anyway, of what is dispensed as it is
CLOSE = 0.01  # of temperatures, times and speeds


def faults(expected: Plain, made: Made) -> list[str]:
    """What differs from what is expected, in words; nothing if the vials are right."""
    wanted = [vial for vial in expected.get("vials", []) for _ in range(int(vial.get("count", 1)))]
    vials = list(zip(made.amounts.vials, made.layout.wells, strict=True))
    if len(vials) != len(wanted):
        return [f"{len(vials)} vials instead of {len(wanted)}"]
    found = []
    left = list(vials)
    for vial in wanted:
        same = next((each for each in left if not _differs(vial, each[0], made.amounts)), None)
        if same is None:
            near = min(left, key=lambda each: len(_differs(vial, each[0], made.amounts)))
            found.append(f"no vial with {vial['holds']}; nearest: {'; '.join(_differs(vial, near[0], made.amounts))}")
            break
        left.remove(same)
    found += _wells(expected, vials, made)
    found += _treatments(expected, made)
    found += _order(expected.get("order", []), made)
    return found


def key(name: str) -> str:
    """A substance by identity: name, synonym and CAS number are one."""
    found = lookup(name)
    return normal_name(found.name) if isinstance(found, Chemical) else normal_name(name)


def _differs(wanted: Plain, vial: VialRecipe, amounts: Amounts) -> list[str]:
    """What one vial holds otherwise than is wanted."""
    identity = {use: key(use) for use in amounts.cupboard.species}
    masses: dict[str, float] = {}  # mg of each species, from all sources
    volumes: dict[str, float] = {}  # uL of each pure liquid, mg of each pure solid
    solutes: set[str] = set()
    for name, amount in vial.additions.items():
        material = amounts.cupboard.materials[name]
        pure = name in amounts.cupboard.species
        for species, share in material.composition.items():
            masses[identity[species]] = masses.get(identity[species], 0.0) + share * amount
        if pure:
            volumes[identity[name]] = volumes.get(identity[name], 0.0) + amount
        else:
            solutes.add(identity[next(iter(material.composition))])
            volumes[normal_name(name)] = amount
    found, named = [], set()
    for name, text in (wanted.get("holds") or {}).items():
        named.add(key(name))
        quantity = parse_quantity(str(text))
        if (held := _held(key(name), normal_name(name), quantity, masses, volumes, amounts)) is None:
            found.append(f"{text} of {name}: not comparable")
        elif abs(held[0] - held[1]) > max(TOLERANCE * held[1], SMALLEST if volumes.get(key(name)) else 0.0):
            found.append(f"{held[0]:.4g} instead of {held[1]:.4g} {held[2]} of {name}")
    there = {each for each in {*solutes, *(k for k in volumes if k in identity.values())} if masses.get(each, 0) > 0}
    found += [f"{name} is there, too" for name in sorted(there - named)]
    if "volume" in wanted:
        total, stated = amounts.liquid(vial), parse_quantity(str(wanted["volume"])).to("uL")
        found += [f"{total:.4g} uL instead of {stated:.4g}"] if abs(total - stated) > TOLERANCE * stated else []
    return found


def _held(
    name: str, written: str, quantity: Any, masses: Plain, volumes: Plain, amounts: Amounts
) -> tuple[float, float, str] | None:
    """(held, wanted, unit) of one substance; None if it cannot be compared."""
    species = next((each for use, each in amounts.cupboard.species.items() if key(use) == name), None)
    try:
        if quantity.unit in ("uL", "mL", "L"):
            return float(volumes.get(name, volumes.get(written, 0.0))), quantity.to("uL"), "uL"
        if quantity.unit in ("mg", "g", "ug", "kg"):
            return float(masses.get(name, 0.0)), quantity.to("mg"), "mg"
        known = lookup(name)
        molar = species.molar_mass if species else known.molar_mass if isinstance(known, Chemical) else 0.0
        return (float(masses.get(name, 0.0)), quantity.to("mmol") * molar, "mg") if molar else None
    except InputError:
        return None


def _wells(expected: Plain, vials: Sequence[Any], made: Made) -> Iterator[str]:
    places = {f"{chr(65 + well[0])}{well[1] + 1}": vial for vial, (plate, well) in vials if plate == "Plate 1"}
    for wanted in expected.get("vials", []):
        for well in wanted.get("wells", []):
            if well not in places or _differs(wanted, places[well], made.amounts):
                yield f"well {well} does not hold {wanted['holds']}"


def _treatments(expected: Plain, made: Made) -> Iterator[str]:
    for group, conditions in conditions_of(made.design).items():
        own = [each for each in expected.get("vials", []) if "treatments" in each]
        if own and len(conditions_of(made.design)) > 1:
            members = [vial for vial in made.amounts.vials if vial.group == group]
            mine = [each for each in own if any(not _differs(each, vial, made.amounts) for vial in members)]
            wanted = mine[0]["treatments"] if mine else expected.get("treatments", [])
        else:
            wanted = expected.get("treatments", [])
        yield from _sequence(wanted or [], [moved(each, made.amounts) for each in conditions], group)


def conditions_of(design: ExperimentDesign) -> dict[str, list[Condition]]:
    """Group -> its treatments."""
    return {group.name: [warmed(each) for each in design.conditions] for group in design.groups}


def _sequence(wanted: Sequence[Plain], conditions: Sequence[Condition], group: str) -> Iterator[str]:
    done = [each for each in conditions if each.kind in ("heat", "mix", "wait")]
    asked = [each for each in wanted if "cool" not in each]
    if len(done) != len(asked):
        yield f"{len(done)} treatments of {group} instead of {len(asked)}"
        return
    for each, condition in zip(asked, done, strict=True):
        yield from (f"treatment {each}: {why}" for why in _unlike(each, condition))


def _unlike(wanted: Plain, condition: Condition) -> Iterator[str]:
    hot = ROOM if condition.temperature is None else condition.temperature.to("degC")
    if "temperature" in wanted:
        stated = str(wanted["temperature"])
        asked = ROOM if stated.lower() in ("rt", "room temperature") else parse_quantity(stated).to("degC")
        if abs(hot - asked) > 0.5:
            yield f"at {hot:g} degC"
    elif hot > ROOM + 0.5:
        yield f"at {hot:g} degC"
    if "time" in wanted and condition.time is not None and not condition.time_factor:
        asked = parse_quantity(str(wanted["time"])).to("min")
        if abs(condition.time.to("min") - asked) > CLOSE * asked:
            yield f"for {condition.time}"
    elif "time" in wanted and condition.time is None and not condition.time_factor:
        yield "no time"
    if "speed" in wanted and (
        condition.speed is None or condition.speed.to("rpm") != parse_quantity(str(wanted["speed"])).to("rpm")
    ):
        yield f"at {condition.speed}"
    moving = condition.by or ("vortex" if condition.kind == "mix" else "none")
    if "moving" in wanted and wanted["moving"] != moving:
        yield f"moved by {moving}"


def _order(order: Sequence[str], made: Made) -> Iterator[str]:
    """The asked order among the additions to the first plates."""
    firsts: dict[str, int] = {}
    for number, step in enumerate(made.protocol.steps):
        if step.action == "Add":
            solute = next(iter(made.amounts.cupboard.materials[step.subject].composition))
            for name in (key(step.subject), key(solute)):
                firsts.setdefault(name, number)
    places = [firsts[key(name)] for name in order if key(name) in firsts]
    if places != sorted(places):
        yield f"added in another order than {', '.join(order)}"
