"""What may happen when substances stand together in a vial: dangerous pairs, reactions, heat, pressure.

Every hazard says its rule, the numbers that decided, where the rule is published and what would cure it. What the chart
says of two groups counts unless the amounts rule it out:

- heat, fire and polymerisation, where the pair cannot warm the vial by 25 K (46 CFR 150, Appendix II, calls a mixture
  hazardous that warms by more, or makes gas); explosion too, but not where an explosive may come out of solution;
- gas, where it neither strains the cap nor carries liquid out of an open vial;
- an oxidiser at all, where it is peroxide below 8 %, or nitrate that water dissolves with a fifth to spare (UN Model
  Regulations, special provisions 65 and 270);
- toxic and flammable gas, where a partner is below 0.1 % (Regulation (EC) 1272/2008, Annex I, table 1.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from labwright.tools.chemistry.mixture_thermodynamics import (
    ACIDS,
    ATMOSPHERE,
    BASES,
    NEUTRALISATION,
    ROOM,
    Mixture,
    Place,
    Portion,
    volume_of,
)
from labwright.tools.chemistry.reactivity import (
    CHART,
    CONSEQUENCES,
    WATER,
    WATER_REACTIVE,
    Reaction,
    consequences,
    group_names,
    oxygen_of,
)

WARMS = 25.0  # K
REACTION = 200.0  # kJ/mol; the largest of Stoessel's table 2.1 but for the hydrogenation of nitro compounds
PER_OXYGEN = 210.0  # kJ/mol of oxygen atoms that a fuel takes up (C. Huggett, Fire and Materials 4 (1980) 61)
MUCH_WATER = 5.0  # mol for each mol of acid
CAP_HOLDS = 2.0  # bar above the air's pressure; our choice for a screw cap with septum, change it for other vials
FOAMS = 5.0  # volumes of the vial; our choice: more gas than that carries liquid out of an open vial
TOXIC_METAL = 24
OXIDISING = frozenset({2, 30, 104})
MAKES_EXPLOSIVES = frozenset({8, 21, 25, 30, 102})  # what they form may come out of a dilute solution
DRY_SOLVENTS = frozenset({14, 16, 17, 28, 29})  # in which reagents that react with water are sold
APART = "Keep them in separate vials, or take less."
Cell = tuple[int, int]


WORST_FIRST = ("E", "GT", "F", "GF", "P", "R", "G", "U", "H")
SOURCES = {
    "PP": "Prudent Practices in the Laboratory",
    "GC": "stoichiometry; Greenwood and Earnshaw, Chemistry of the Elements",
}


@dataclass(frozen=True, slots=True)
class Hazard:
    """What was found. `person`: a named person must accept it before the vial is filled; `codes` as in the chart."""

    rule: str
    about: tuple[str, ...]
    text: str
    source: str
    cure: str
    person: bool = True
    codes: frozenset[str] = frozenset()

    @property
    def order(self) -> tuple[bool, int]:
        """What needs a person first, the worst of it on top."""
        ranks = [WORST_FIRST.index(code) for code in self.codes if code in WORST_FIRST]
        return not self.person, min(ranks, default=len(WORST_FIRST))


def judge(portions: list[Portion], place: Place) -> list[Hazard]:
    """Everything that the rules find in one vial, what needs a person first."""
    mixture = Mixture([one for one in portions if one.mg > 0], place)
    found = [*_pairs(mixture), *_reactions(mixture), *_heat(mixture), *_pressure(mixture), *_notes(mixture)]
    return sorted(found, key=lambda one: one.order)


def _pairs(mixture: Mixture) -> Iterator[Hazard]:
    for one, other in combinations(sorted(mixture.mg), 2):
        cells = {
            (a, b): _left(mixture, one, other, (a, b), found)
            for a in mixture.groups[one]
            for b in mixture.groups[other]
            if (found := consequences(a, b))
        }
        left = frozenset[str]().union(*cells.values())
        if left - {"S"}:
            yield _pair(mixture, one, other, [cell for cell, found in cells.items() if found - {"S"}], left - {"S"})
        elif left:
            toxic = one if TOXIC_METAL in mixture.kinds[one].groups else other
            text = f"{toxic!r} is a toxic metal or its compound and dissolves."
            yield Hazard("waste", (toxic,), text, CHART, "Collect the vial's contents as toxic waste.", person=False)


def _left(mixture: Mixture, one: str, other: str, cell: Cell, found: frozenset[str]) -> frozenset[str]:
    """The consequences of one cell that the amounts do not rule out."""
    left, groups = set(found), set(cell)
    if groups & ACIDS and groups & (BASES | {WATER}):
        left.discard("H")  # `_heat` counts it for the whole vial
    if mixture.one_stock(one, other):
        left.discard("H")  # it was given off when the stock was made
        if WATER_REACTIVE in groups and DRY_SOLVENTS & groups:
            left.discard("R")
    if _bound(mixture, one, other, cell) < WARMS:
        left -= {"H", "P", "F"}
        if not MAKES_EXPLOSIVES & groups:
            left.discard("E")
    if not _much_gas(mixture.place, min(mixture.mmol[one], mixture.mmol[other])):
        left.discard("G")
    if mixture.trace(one) or mixture.trace(other):
        left -= {"GT", "GF", "U", "R"}
    return frozenset(left)


def _bound(mixture: Mixture, one: str, other: str, cell: Cell) -> float:
    """K by which the pair can warm the vial at most."""
    groups, scarcer = set(cell), min(mixture.mmol[one], mixture.mmol[other])
    if groups & ACIDS and groups & (BASES | {WATER}):
        return mixture.warming
    if groups & OXIDISING:
        oxidiser = one if cell[0] in OXIDISING else other
        heat = mixture.mmol[oxidiser] * oxygen_of(mixture.known[oxidiser]) * PER_OXYGEN
    elif groups & ACIDS and mixture.water >= MUCH_WATER * mixture.mmol[one if cell[0] in ACIDS else other]:
        # Nothing takes up a proton with more heat than hydroxide, and the water has taken it up already.
        heat = scarcer * NEUTRALISATION
    else:
        heat = scarcer * REACTION
    return heat / mixture.heat_capacity if mixture.heat_capacity > 0 else 0.0


def _much_gas(place: Place, mmol: float) -> bool:
    """Whether so much gas would strain a cap, or carry the liquid out of an open vial."""
    if place.capped_at is not None:
        return place.gas_pressure(mmol) > CAP_HOLDS
    return volume_of(mmol) > FOAMS * place.vial / 1000


def _pair(mixture: Mixture, one: str, other: str, cells: list[Cell], left: frozenset[str]) -> Hazard:
    names = group_names()
    first, second = (", ".join(dict.fromkeys(names[cell[index]] for cell in cells)) for index in (0, 1))
    text = (
        f"{one!r} ({first}) meets {other!r} ({second}): {_words(left)}."
        f" The vial holds {_amount(mixture, one)} and {_amount(mixture, other)}."
    )
    where = ", ".join(f"{min(cell)}-{max(cell)}" for cell in sorted(cells))
    return Hazard("pair", (one, other), text, f"{CHART}, groups {where}", APART, codes=left)


def _words(found: frozenset[str]) -> str:
    return ", ".join(words for code, words in CONSEQUENCES.items() if code in found)


def _amount(mixture: Mixture, name: str) -> str:
    return f"{mixture.mg[name]:.3g} mg ({mixture.mmol[name]:.3g} mmol) of {name}"


def _reactions(mixture: Mixture) -> Iterator[Hazard]:
    for row, first, partners in mixture.reacting():
        gas, left = mixture.gas(row, first, partners), set(row.consequences) - {"G", "H"}
        if mixture.trace(first):
            left -= {"GT", "GF", "E"}
        if "G" in row.consequences and mixture.place.capped_at is None and _much_gas(mixture.place, gas):
            left.add("G")
        if left:
            yield _reaction(mixture, row, first, list(partners), gas, frozenset(left))


def _reaction(
    mixture: Mixture, row: Reaction, first: str, partners: list[str], gas: float, left: frozenset[str]
) -> Hazard:
    met = f" with {', '.join(map(repr, partners))}" if partners else f" at {mixture.place.hottest:g} degC"
    made = f"; up to {gas:.3g} mmol of {row.gas}, {volume_of(gas):.3g} mL" if gas else ""
    text = f"{first!r} ({row.first}){met}: {_words(left)}{made}."
    source = SOURCES.get(row.source, row.source)
    return Hazard("reaction", (first, *partners), text, source, APART, codes=left)


def _heat(mixture: Mixture) -> Iterator[Hazard]:
    if mixture.warming >= WARMS:
        about = tuple(name for name, kind in mixture.kinds.items() if kind.groups & (ACIDS | BASES))
        text = (
            f"Dissolving and neutralising {', '.join(map(repr, about))} warms the vial by up to {mixture.warming:.0f} K"
            f" if no heat leaves it; {WARMS:g} K is the limit."
        )
        cure = "Take more dilute solutions, or less of them."
        yield Hazard("heat", about, text, "46 CFR 150, Appendix II", cure, codes=frozenset("H"))


def _pressure(mixture: Mixture) -> Iterator[Hazard]:
    """Air, vapour and gas under a cap."""
    place, hot = mixture.place, mixture.place.capped_at
    if hot is None:
        return
    gases = [
        (mixture.gas(row, first, partners), row.gas, first)
        for row, first, partners in mixture.reacting()
        if row.per_first
    ]
    made, what, maker = max(gases, default=(0.0, "", ""))
    vapour, air = mixture.vapour(hot), ATMOSPHERE * (hot + 273.15) / (ROOM + 273.15)
    above = air + vapour + place.gas_pressure(made) - ATMOSPHERE
    unknown = tuple(dict.fromkeys(one.name for one in mixture.portions if one.liquid and one.boiling_point is None))
    if unknown and hot > ROOM:
        which = ", ".join(map(repr, unknown))
        text = f"The pressure in capped vials at {hot:g} degC is not known, as the boiling point of {which} is not."
        cure = "Keep well below the boiling points, or leave the vials open."
        yield Hazard("pressure", unknown, text, "no data", cure, person=False)
    if above <= CAP_HOLDS / 2:  # more is near or above boiling, or gas
        return
    gas = f", {what} from {maker!r} {place.gas_pressure(made):.2g} bar ({made:.3g} mmol)" if made else ""
    text = (
        f"At {hot:g} degC a capped vial with {place.headspace / 1000:.2g} mL of headspace stands {above:.2g} bar above"
        f" the air (vapour {vapour:.2g} bar, air {air:.2g} bar{gas}); {CAP_HOLDS:g} bar is the limit."
    )
    source = "ideal gas; vapour by Clausius-Clapeyron with Trouton's rule"
    cure = "Heat less, fill less, take smaller amounts, or leave the vial open."
    yield Hazard("pressure", tuple(sorted(mixture.mg)), text, source, cure, above > CAP_HOLDS, frozenset("G"))


def _notes(mixture: Mixture) -> Iterator[Hazard]:
    for name in mixture.sites("ether that peroxidises"):
        if 3 * mixture.mg[name] > mixture.mass:
            text = f"{name!r} forms explosive peroxides in air and light."
            cure = "Store it with its opening date, test it before use, never evaporate it to dryness."
            yield Hazard("peroxide former", (name,), text, "Prudent Practices (2011), chapter 4", cure, person=False)
    if unknown := tuple(name for name, kind in mixture.kinds.items() if not kind.judged):
        text = f"Not judged: {', '.join(map(repr, unknown))} could not be put into a group of reactivity."
        cure = "Read the safety data sheet; give a name or CAS number that is known."
        yield Hazard("not judged", unknown, text, CHART, cure, person=False)
