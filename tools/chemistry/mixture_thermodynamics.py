"""The contents of one vial, and the physics of putting them together: heat, gas, vapour.

Amounts in mg and mmol, volumes in uL, heat in J, temperatures in degC, pressures in bar.
Sources: enthalpies of solution and neutralisation, CRC Handbook of Chemistry and Physics; heat capacities and heats of
reaction, F. Stoessel, Thermal Safety of Chemical Processes (2008), chapter 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from labwright.tools.chemistry.chemical_table import Chemical, lookup
from labwright.tools.chemistry.reactivity import WATER, Kind, Reaction, kind_of, reactions, rows

ROOM = 25.0  # degC
TRACE = 0.001  # share of the vial's mass
NEUTRALISATION = 57.0  # kJ/mol of acid or base; 55.8 for strong ones in water, less for weak
WATER_HEAT, OTHER_HEAT = 4.18, 1.7  # J/(g K); organic liquids have 1.7 to 2.4
THOMSEN = 1.8  # in n mol of water an acid gives n/(n + 1.8) of its heat: sulfuric acid; most others give more
ATMOSPHERE, GAS = 1.01325, 0.083145  # bar; bar mL/(mmol K)
TROUTON, ASSOCIATED = 88.0, 109.0  # J/(mol K), entropy of vaporisation at the boiling point; the second with O-H
DISSOLVED_GAS = -30.0  # degC; a substance that boils below is there in solution, without a vapour of its own
WEAK_PEROXIDE, UNSATURATED = 0.08, 0.8  # share of peroxide and water; share of what the water can dissolve
ALCOHOL, CAUSTIC, OXIDISER = 4, 10, 104
ACIDS, BASES = frozenset({1, 2, 3}), frozenset({7, CAUSTIC})


@dataclass(frozen=True, slots=True)
class Portion:
    """A substance in a vial, from one source. `identity`: another name of it; `boiling_point` in degC if known;
    `liquid`: it is one by itself, so that it has a vapour."""

    name: str
    mg: float
    molar_mass: float
    source: str = ""
    identity: str = ""
    boiling_point: float | None = None
    liquid: bool = False

    @property
    def mmol(self) -> float:
        """0 where the molar mass is not known."""
        return self.mg / self.molar_mass if self.molar_mass else 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the portions stand: uL of vial and liquid, the highest temperature, and the highest under a cap."""

    vial: float
    liquid: float
    hottest: float = ROOM
    capped_at: float | None = None

    @property
    def headspace(self) -> float:
        """uL of gas; never less than a twentieth of the vial."""
        return max(self.vial - self.liquid, 0.05 * self.vial)

    def gas_pressure(self, mmol: float) -> float:
        """bar that a gas adds under the cap."""
        return mmol * GAS * ((ROOM if self.capped_at is None else self.capped_at) + 273.15) / (self.headspace / 1000)


class Mixture:
    """The portions of one vial, summed by substance."""

    def __init__(self, portions: list[Portion], place: Place) -> None:
        self.portions, self.place = portions, place
        self.mg: dict[str, float] = {}
        self.mmol: dict[str, float] = {}
        for one in portions:
            self.mg[one.name] = self.mg.get(one.name, 0.0) + one.mg
            self.mmol[one.name] = self.mmol.get(one.name, 0.0) + one.mmol
        self.known = {one.name: one.identity or one.name for one in portions}
        self.kinds = {name: _kind(name, known) for name, known in self.known.items()}
        self.mass = sum(self.mg.values())
        self.water = sum(n for name, n in self.mmol.items() if WATER in self.kinds[name].groups)

    @cached_property
    def groups(self) -> dict[str, frozenset[int]]:
        """Groups of every substance; an oxidiser that water dilutes enough is not one any more."""
        wet = sum(mg for name, mg in self.mg.items() if WATER in self.kinds[name].groups)
        return {
            name: kind.groups - {OXIDISER} if self._diluted(name, kind, wet) else kind.groups
            for name, kind in self.kinds.items()
        }

    def _diluted(self, name: str, kind: Kind, wet: float) -> bool:
        """UN Model Regulations and ADR, special provisions 65 (peroxide) and 270 (nitrates dissolved in water)."""
        if "hydrogen peroxide" in kind.features:
            return self.mg[name] < WEAK_PEROXIDE * (self.mg[name] + wet)
        found = lookup(self.known[name])
        dissolves = found.solubility_in_water if isinstance(found, Chemical) else None
        # g/L of water is mg/mL; water has 1 g/mL here, which is exact enough for four fifths.
        return (
            "nitrate" in kind.features
            and bool(dissolves)
            and 1000 * self.mg[name] <= UNSATURATED * (dissolves or 0) * wet
        )

    @cached_property
    def heat_capacity(self) -> float:
        """J/K."""
        wet = sum(mg for name, mg in self.mg.items() if WATER in self.kinds[name].groups)
        return (WATER_HEAT * wet + OTHER_HEAT * (self.mass - wet)) / 1000

    @cached_property
    def warming(self) -> float:
        """K by which dissolving and neutralising warm the vial if no heat leaves it."""
        # An inner salt has both sites and neither group: it has neutralised itself.
        acid = sum(n for name, n in self.sites("acid site").items() if self.kinds[name].groups & ACIDS)
        base = sum(n for name, n in self.sites("base site").items() if self.kinds[name].groups & BASES)
        heat = min(acid, base) * NEUTRALISATION + sum(self._dissolving(one, bool(base)) for one in self.portions)
        return heat / self.heat_capacity if self.heat_capacity > 0 else 0.0  # a faulty file may leave nothing

    def _dissolving(self, one: Portion, neutralised: bool) -> float:
        """J that an acid or a caustic gives off on the way from its own stock into all the water that is here."""
        groups = self.kinds[one.name].groups
        if not groups & (ACIDS | {CAUSTIC}) or not one.mmol:
            return 0.0
        takes = {WATER, ALCOHOL} if groups & ACIDS else {WATER}
        takers = [p for p in self.portions if self.kinds[p.name].groups & takes and p.name != one.name]
        own = sum(p.mmol for p in takers if one.source and p.source == one.source)
        now, before = sum(p.mmol for p in takers) / one.mmol, own / one.mmol
        dissolved = 1.0 if neutralised and groups & ACIDS else now / (now + THOMSEN)
        return (
            one.mmol
            * _solution_heat(self.known[one.name], self.kinds[one.name])
            * (dissolved - before / (before + THOMSEN))
        )

    def sites(self, feature: str, but: str = "") -> dict[str, float]:
        """mmol of a feature, by substance."""
        found = {name: n * self.kinds[name].features.get(feature, 0) for name, n in self.mmol.items() if name != but}
        return {name: n for name, n in found.items() if n > 0}

    def reacting(self) -> Iterator[tuple[Reaction, str, dict[str, float]]]:
        """Reactions whose partners are here: the row, the first substance, and mmol of each partner."""
        for row in reactions():
            for first in self.sites(row.first):
                partners = self._partners(row, first)
                if self.place.hottest >= row.start and partners is not None:
                    yield row, first, partners

    def _partners(self, row: Reaction, first: str) -> dict[str, float] | None:
        if row.partner:
            return self.sites(row.partner, but=first) or None
        if row.partner_groups:
            met = {n: self.mmol[n] for n, kind in self.kinds.items() if n != first and kind.groups & row.partner_groups}
            return met or None
        return {}

    def gas(self, row: Reaction, first: str, partners: dict[str, float]) -> float:
        """mmol of gas that the amounts at hand can make."""
        most = self.sites(row.first)[first]
        if row.per_partner and partners:
            most = min(most, sum(partners.values()) / row.per_partner)
        return most * row.per_first

    def trace(self, name: str) -> bool:
        """Whether there is too little of it to make the mixture toxic."""
        return self.mg[name] < TRACE * self.mass

    def one_stock(self, one: str, other: str) -> bool:
        """Whether both come from one and the same source only, so that they met long before."""
        of = [{p.source for p in self.portions if p.name == name} for name in (one, other)]
        return of[0] == of[1] and len(of[0]) == 1 and of[0] != {""}

    def vapour(self, temperature: float) -> float:
        """bar above the liquid: by Raoult's law, or that of one pure liquid if more, as where two layers form."""
        total, mixed, alone = sum(self.mmol.values()), 0.0, 0.0
        for one in self.portions:
            if one.boiling_point is None or one.boiling_point < DISSOLVED_GAS:
                continue
            hydroxyl = bool(self.kinds[one.name].groups & {ALCOHOL, WATER})
            pure = vapour_pressure(one.boiling_point, temperature, associated=hydroxyl)
            mixed += one.mmol / total * pure
            if one.boiling_point > ROOM or not self._sold_dissolved(one):  # a gas in solution forms no layer
                alone = max(alone, min(pure, self.place.gas_pressure(one.mmol)))
        return max(mixed, alone)

    def _sold_dissolved(self, one: Portion) -> bool:
        """Whether it came in a solution, as 37 % formaldehyde does."""
        return bool(one.source) and any(each.source == one.source and each.name != one.name for each in self.portions)


def vapour_pressure(boiling_point: float, temperature: float, *, associated: bool) -> float:
    """bar of a liquid by Clausius and Clapeyron, with Trouton's rule; good to a tenth up to 150 degC."""
    boils, now = boiling_point + 273.15, temperature + 273.15
    return ATMOSPHERE * math.exp((ASSOCIATED if associated else TROUTON) * boils / 8.314 * (1 / boils - 1 / now))


def volume_of(mmol: float) -> float:
    """mL of a gas at 25 degC and the air's pressure."""
    return mmol * GAS * (ROOM + 273.15) / ATMOSPHERE


def _kind(name: str, identity: str) -> Kind:
    """By both names, where there are two: a wrong one hides nothing."""
    kind, other = kind_of(name), kind_of(identity)
    return kind if kind == other else Kind(kind.groups | other.groups, kind.features | other.features, other.known)


@cache
def _solution_heats() -> dict[str, float]:
    return {row["name"]: float(row["heat"]) for row in rows("solution_heats.csv")}


def _solution_heat(name: str, kind: Kind) -> float:
    """kJ/mol; the largest in the table for a mineral acid that is not in it."""
    found = lookup(name)
    heats, known = _solution_heats(), found.name if isinstance(found, Chemical) else name
    return heats.get(known, max(heats.values()) if kind.groups & {1, 2} else 0.0)
