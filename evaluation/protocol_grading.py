"""Whether finished vials are those that an author expects: amounts of each substance in each vial, treatments.

What is expected has the form of `docs/protocol-cases.md`; wells, groups and the order of vials do not matter unless
they are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from labwright.tools.chemistry.chemical_table import Chemical, lookup, normal_name
from labwright.tools.chemistry.chemicals_package_data import listed
from labwright.tools.chemistry.quantities import parse_quantity
from labwright.tools.chemistry.stated_substance_data import is_cas
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.platform import ROOM, well_name
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.solutions import solutions
from labwright.tools.liquid_handler.treatment_steps import moved, warmed
from labwright.tools.liquid_handler.vial_amounts import Amounts, VialRecipe
from labwright.tools.liquid_handler.vial_treatments import Condition

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
        same = next((each for each in left if not _differs(vial, each[0], made)), None)
        if same is None:
            near = min(left, key=lambda each: len(_differs(vial, each[0], made)))
            found.append(f"no vial with {vial['holds']}; nearest: {'; '.join(_differs(vial, near[0], made))}")
            break
        left.remove(same)
    found += _wells(expected, vials, made)
    found += _treatments(expected, made)
    found += _samples(expected.get("samples") or [], made)
    found += _order(expected.get("order", []), made)
    return found


def _identities(made: Made, wanted: Plain) -> dict[str, str]:
    """Each substance of the design as it is wanted, by its name or its identity."""
    names = {_same(str(name)) for name in wanted.get("holds") or {}} | {
        _after_strength(str(name)) for name in wanted.get("holds") or {}
    }
    called = {use.name: use.identity or use.name for use in made.design.chemicals}
    pairs = {name: (_same(name), _same(called.get(name, name))) for name in made.amounts.cupboard.species}
    return {name: pair[1] if pair[1] in names and pair[0] not in names else pair[0] for name, pair in pairs.items()}


def _after_strength(name: str) -> str:
    """The substance in a name such as ``0.1 M KCl``."""
    return _same(_strength(name)[1])


def _strength(name: str) -> tuple[Stated | None, str]:
    """The strength that a name begins with, if it does, and the rest."""
    words = name.split()
    for count in (2, 1):
        try:
            return Stated.model_validate(" ".join(words[:count])), " ".join(words[count:])
        except ValueError:
            continue
    return None, name


def key(name: str) -> str:
    """A substance by identity: name, synonym and CAS number are one."""
    found = lookup(name)
    return normal_name(found.name) if isinstance(found, Chemical) else normal_name(name)


@cache
def _same(name: str) -> str:
    """A substance by its CAS number where any table or synonym has one, so that K3PO4 is tripotassium phosphate."""
    found = lookup(name)
    if isinstance(found, Chemical):
        return found.cas or normal_name(found.name)
    entry = listed(name)
    return entry.cas if entry else normal_name(name)


def _differs(wanted: Plain, vial: VialRecipe, made: Made) -> list[str]:
    """What one vial holds otherwise than is wanted; what is added in between, or given to the next of a series, may
    count or not."""
    states = [(later, left) for later in (False, True) for left in (False, True)]
    return min((_unlike_contents(wanted, vial, made, *state) for state in states), key=len)


def _held_by(vial: VialRecipe, amounts: Amounts, later: bool, left: bool) -> tuple[dict[str, float], float]:
    """Material to mg or uL, and uL of all liquids; a vial of a series holds part of what the one before holds."""
    held = {name: vial.added(name) if later else amount for name, amount in vial.additions.items()}
    held |= {name: vial.added(name) for name in vial.materials} if later else {}
    if vial.origin is not None:
        before, volume = _held_by(amounts.vials[vial.origin], amounts, False, False)
        for name, amount in before.items():
            held[name] = held.get(name, 0.0) + amount * vial.portion / volume
    volume = amounts.fullest(vial) if later else amounts.liquid(vial)
    given = sum(one.portion for one in amounts.vials if one.origin is not None and amounts.vials[one.origin] is vial)
    share = 1 - given / volume if left and volume else 1.0
    return {name: amount * share for name, amount in held.items()}, volume * share


def _unlike_contents(wanted: Plain, vial: VialRecipe, made: Made, later: bool, left: bool) -> list[str]:
    """What one vial holds otherwise than is wanted."""
    amounts, identity = made.amounts, _identities(made, wanted)
    held_by, total = _held_by(vial, amounts, later, left)
    masses: dict[str, float] = {}  # mg of each species, from all sources
    volumes: dict[str, float] = {}  # uL of each pure liquid, mg of each pure solid
    solutes: set[str] = set()
    for name, amount in held_by.items():
        material = amounts.cupboard.materials[name]
        pure = name in amounts.cupboard.species
        for species, share in material.composition.items():
            masses[identity[species]] = masses.get(identity[species], 0.0) + share * amount
        if pure:
            volumes[identity[name]] = volumes.get(identity[name], 0.0) + amount
        else:
            solutes |= {identity[one] for one in material.solutes}
            volumes[normal_name(name)] = amount
    found, named = [], set()
    for name, text in (wanted.get("holds") or {}).items():
        named.add(_same(name))
        quantity = parse_quantity(str(text))
        solute, solutions_ = _solution(str(name), made, identity)
        if solutions_ and quantity.unit in ("uL", "mL", "L"):
            named.add(solute)
            volumes[_same(name)] = sum(volumes.get(normal_name(each), 0.0) for each in solutions_)
        if (held := _held(_same(name), normal_name(name), quantity, masses, volumes, made, identity)) is None:
            found.append(f"{text} of {name}: not comparable")
        elif abs(held[0] - held[1]) > max(TOLERANCE * held[1], SMALLEST if volumes.get(_same(name)) else 0.0):
            found.append(f"{held[0]:.4g} instead of {held[1]:.4g} {held[2]} of {name}")
    there = {each for each in {*solutes, *(k for k in volumes if k in identity.values())} if masses.get(each, 0) > 0}
    found += [f"{name} is there, too" for name in sorted(there - named)]
    if "volume" in wanted:
        stated = parse_quantity(str(wanted["volume"])).to("uL")
        found += [f"{total:.4g} uL instead of {stated:.4g}"] if abs(total - stated) > TOLERANCE * stated else []
    return found


def _held(
    name: str, written: str, quantity: Any, masses: Plain, volumes: Plain, made: Made, identity: Mapping[str, str]
) -> tuple[float, float, str] | None:
    """(held, wanted, unit) of one substance; None if it cannot be compared."""
    species = next((each for use, each in made.amounts.cupboard.species.items() if identity[use] == name), None)
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


def _solution(name: str, made: Made, identity: Mapping[str, str]) -> tuple[str, list[str]]:
    """The solute and the solutions that a name with a strength means, such as ``0.1 M KCl``."""
    strength, rest = _strength(name)
    if strength is None:
        return "", []
    alike = [
        stock.name
        for stock in solutions(made.design)
        if identity.get(stock.solute) == _same(rest)
        and stock.concentration.measures == strength.measures
        and abs(stock.concentration.to(strength.unit) - strength.value) <= CLOSE * strength.value
    ]
    return _same(rest), alike


def _wells(expected: Plain, vials: Sequence[Any], made: Made) -> Iterator[str]:
    places = {well_name(*well): vial for vial, (plate, well) in vials if plate == "Plate 1"}
    for wanted in expected.get("vials", []):
        for well in wanted.get("wells", []):
            if well not in places or _differs(wanted, places[well], made):
                yield f"well {well} does not hold {wanted['holds']}"


def _treatments(expected: Plain, made: Made) -> Iterator[str]:
    kinds: dict[tuple[str, ...], list[VialRecipe]] = {}
    for vial in made.amounts.vials:
        degrees = (vial.levels.get(one.temperature_factor or "", "") for one in made.design.conditions)
        kinds.setdefault((vial.group, *degrees), []).append(vial)
    own = [each for each in expected.get("vials", []) if "treatments" in each]
    left = list(own)
    for (group, *_), members in kinds.items():
        conditions = conditions_of(made.design, members[0])
        done = [moved(each, made.amounts) for each in conditions]
        plain = expected.get("treatments") or []
        mine = [each for each in own if any(not _differs(each, vial, made) for vial in members)]
        wanted = [each["treatments"] or [] for each in mine] if len(kinds) > 1 else []
        found = [list(_sequence(each, done, group, members[0], made)) for each in wanted or [plain]]
        yield from min(found, key=len)
        left = [
            each
            for each in left
            if each not in mine or list(_sequence(each["treatments"], done, group, members[0], made))
        ]
    if len(kinds) > 1:
        yield from (f"no vial is treated with {each['treatments']}" for each in left)


def conditions_of(design: ExperimentDesign, vial: VialRecipe) -> list[Condition]:
    """What is done to a vial, its own temperatures put in."""
    found = []
    for one in (one for one in design.conditions if one.concerns(vial.group)):
        level = vial.levels.get(one.temperature_factor or "")
        update = {"temperature": Stated.model_validate(level), "temperature_factor": None} if level else {}
        found.append(warmed(one.model_copy(update=update)))
    return found


def _sequence(
    wanted: Sequence[Plain], conditions: Sequence[Condition], group: str, vial: VialRecipe, made: Made
) -> Iterator[str]:
    done = [each for each in conditions if each.kind in ("heat", "mix", "wait")]
    asked = [each for each in wanted if "cool" not in each and "add" not in each]
    if len(done) != len(asked):
        yield f"{len(done)} treatments of {group} instead of {len(asked)}"
        return
    for each, condition in zip(asked, done, strict=True):
        yield from (f"treatment {each}: {why}" for why in _unlike(each, condition))
    added = [{"holds": each["add"]} for each in wanted if "add" in each]
    later = [replace(vial, additions=one, later={}, origin=None, portion=0.0) for one in vial.later.values()]
    if added and len(added) != len(later):
        yield f"{len(later)} additions in between instead of {len(added)}"
    for each, one in zip(added, later, strict=False):
        yield from _unlike_contents(each, one, made, False, False)


def _samples(wanted: Sequence[Plain], made: Made) -> Iterator[str]:
    """Portions into the second plate: when, how much, and into what."""
    taken: list[tuple[tuple[float, ...], float, str, float]] = []
    passed = 0.0
    sampling, workup = made.design.sampling, made.design.workup
    for condition in made.design.conditions:
        for minute in condition.minutes if sampling else ():
            assert sampling is not None
            taken.append(((minute, passed + minute), sampling.portion, *sampling.ready))
        lasts = warmed(condition).lasts
        passed += lasts.to("min") if lasts and condition.kind != "cool" else 0.0
    if workup is not None:
        taken.append(((), workup.portion, *workup.ready))
    if len(taken) != len(wanted):
        yield f"{len(taken)} samples of every vial instead of {len(wanted)}"
        return
    for each, (times, volume, name, ready) in zip(wanted, taken, strict=True):
        at = parse_quantity(str(each["at"])).to("min") if "at" in each else None
        if at is not None and not any(abs(one - at) <= max(CLOSE * at, 0.01) for one in times):
            yield f"a sample at {times} min instead of {each['at']}"
        pairs = [(volume, each.get("volume"))]
        into = {_same(str(one)): amount for one, amount in (each.get("into") or {}).items()}
        # a mixture has no identity, so only its volume is compared
        mixture = len(into) == 1 and not any(is_cas(one) for one in into)
        if (set(into) - {_same(name)} and not (mixture and ready)) or (ready and each.get("into") and not into):
            yield f"a sample into {name} instead of {each['into']}"
        pairs += [(ready, amount) for amount in into.values()]
        for held, stated in pairs:
            asked = parse_quantity(str(stated)).to("uL") if stated is not None else held
            if abs(held - asked) > TOLERANCE * asked:
                yield f"{held:g} uL instead of {stated} in a sample"


def _unlike(wanted: Plain, condition: Condition) -> Iterator[str]:
    lasts = condition.lasts
    hot = ROOM if condition.temperature is None else condition.temperature.to("degC")
    if "temperature" in wanted:
        stated = str(wanted["temperature"])
        asked = ROOM if stated.lower() in ("rt", "room temperature") else parse_quantity(stated).to("degC")
        if abs(hot - asked) > 0.5:
            yield f"at {hot:g} degC"
    elif hot > ROOM + 0.5:
        yield f"at {hot:g} degC"
    if "time" in wanted and lasts is not None and not condition.time_factor:
        asked = parse_quantity(str(wanted["time"])).to("min")
        if abs(lasts.to("min") - asked) > CLOSE * asked:
            yield f"for {lasts}"
    elif "time" in wanted and lasts is None and not condition.time_factor:
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
            for name in (_same(step.subject), _same(solute)):
                firsts.setdefault(name, number)
    places = [firsts[_same(name)] for name in order if _same(name) in firsts]
    if places != sorted(places):
        yield f"added in another order than {', '.join(order)}"
