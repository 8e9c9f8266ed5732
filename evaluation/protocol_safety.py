"""Safety of mixtures: pairs drawn over all groups of the chart, and mixtures whose outcome was written down."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path

from labwright.tools.chemistry.chemical_table import Chemical, lookup
from labwright.tools.chemistry.formulas import molecular_weight
from labwright.tools.chemistry.mixing_hazards import Hazard, judge
from labwright.tools.chemistry.mixture_thermodynamics import Place, Portion
from labwright.tools.chemistry.reactivity import consequences, group_names, kind_of, rows

MIXTURES = Path(__file__).parent / "cases" / "protocol_mixtures.csv"
LISTED = Path(__file__).parent / "cases" / "incompatible_chemicals.csv"
VIAL = 2000.0  # uL
EACH = 500.0  # mg of both substances of a pair
NOTED = frozenset("S")  # what only concerns the waste
# Bought in water, w/w; everything else is taken as it is.
IN_WATER = {
    "hydrogen chloride": 0.37, "hydrobromic acid": 0.48, "hydrofluoric acid": 0.48, "nitric acid": 0.7,
    "perchloric acid": 0.7, "ammonia": 0.25, "formaldehyde": 0.37, "hydrogen peroxide": 0.3, "sodium hypochlorite": 0.1,
}  # fmt: skip
_PART = re.compile(
    r"(?P<name>.+?)(?: (?P<strength>[\d.]+) (?P<unit>%|M)(?: in (?P<in>.+?))?)? (?P<amount>[\d.]+) (?P<of>mg|uL)"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules said of one mixture."""

    contents: str
    expected: str
    found: tuple[Hazard, ...] = field(repr=False)
    why: str = ""

    @property
    def stopped(self) -> bool:
        """Whether a named person is asked for."""
        return any(one.person for one in self.found)

    @property
    def right(self) -> bool:
        """Whether it went as expected."""
        return self.stopped == (self.expected == "stop")


def written() -> list[Outcome]:
    """The mixtures of ``cases/protocol_mixtures.csv``."""
    lines = [line for line in MIXTURES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    outcomes = []
    for contents, conditions, expected, why, _ in (line.split(";") for line in lines[1:]):
        capped, temperature = conditions.split()[0] == "capped", float(conditions.split()[1])
        parts = [portion for number, part in enumerate(contents.split(" + ")) for portion in _read(part, f"{number}")]
        liquid = sum(
            float(found["amount"])
            for found in map(_PART.fullmatch, contents.split(" + "))
            if found and found["of"] == "uL"
        )
        place = Place(VIAL, liquid, temperature, temperature if capped else None)
        outcomes.append(Outcome(f"{contents}; {conditions}", expected, tuple(judge(parts, place)), why))
    return outcomes


def listed() -> list[Outcome]:
    """The pairs of ``cases/incompatible_chemicals.csv``, as bought, in an open vial."""
    lines = [line for line in LISTED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    pairs = [(one, other) for one, others in (line.split(";") for line in lines[1:]) for other in others.split("|")]
    return [_outcome(pair, "stop", "Prudent Practices") for pair in dict.fromkeys(pairs)]


def _outcome(pair: tuple[str, str], expected: str, why: str) -> Outcome:
    parts = [*_as_bought(pair[0], "0"), *_as_bought(pair[1], "1")]
    return Outcome(" + ".join(pair), expected, tuple(judge(parts, Place(VIAL, 2 * EACH))), why)


def drawn(of_each: int = 3, seed: int = 0) -> tuple[list[Outcome], list[Outcome], list[tuple[int, int]]]:
    """Pairs of real substances over all pairs of groups: those the chart calls dangerous, those it calls nothing of.

    Args:
        of_each: substances drawn for every group, all where there are fewer.

    Returns:
        Dangerous pairs, harmless pairs, and the pairs of groups with a dangerous cell that no pair stands for.
    """
    random_state, members = random.Random(seed), _members()
    chosen = {number: random_state.sample(names, min(of_each, len(names))) for number, names in members.items()}
    dangerous: list[Outcome] = []
    harmless: list[Outcome] = []
    seen: set[frozenset[str]] = set()
    covered: set[tuple[int, int]] = set()
    for one, other in combinations(chosen, 2):
        for pair in product(chosen[one], chosen[other]):
            if len(set(pair)) == 1:
                continue
            cells = _cells(*pair)
            covered |= {cell for cell, found in cells.items() if found - NOTED}
            if frozenset(pair) in seen:
                continue
            seen.add(frozenset(pair))
            made = {cell: found for cell, found in cells.items() if cell not in _met(*pair)}
            said = frozenset[str]().union(*made.values())
            if said - NOTED:
                dangerous.append(_outcome(pair, "stop", " ".join(sorted(said))))
            elif not any(cells.values()):
                harmless.append(_outcome(pair, "pass", ""))
    wanted = {(a, b) for a, b in combinations(group_names(), 2) if consequences(a, b) - NOTED}
    return dangerous, harmless, sorted(wanted - covered)


def _members() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {number: [] for number in group_names()}
    for row in rows("reactive_substances.csv"):
        for number in kind_of(row["name"]).groups:
            found[number].append(row["name"])
    return found


def _cells(one: str, other: str) -> dict[tuple[int, int], frozenset[str]]:
    """Every cell of the chart between two substances as bought, the water that they are bought in included."""
    sides = [frozenset().union(*(kind_of(p.name).groups for p in _as_bought(name, ""))) for name in (one, other)]
    return {(min(a, b), max(a, b)): consequences(a, b) for a, b in product(*sides)}


def _met(one: str, other: str) -> set[tuple[int, int]]:
    """Cells whose two groups stand together in one of the bottles already, such as an acid and its water."""
    inside: set[tuple[int, int]] = set()
    for name in (one, other):
        held = [kind_of(portion.name).groups for portion in _as_bought(name, "")]
        inside |= {(min(a, b), max(a, b)) for left, right in combinations(held, 2) for a in left for b in right}
    return inside


def _as_bought(name: str, source: str) -> list[Portion]:
    share = IN_WATER.get(name, 1.0)
    water = [_portion("water", EACH * (1 - share), source)] if share < 1 else []
    return [_portion(name, EACH * share, source), *water]


def _read(part: str, source: str) -> Iterator[Portion]:
    """``hydrochloric acid 37 % 200 uL``: the substance and what it is dissolved in."""
    found = _PART.fullmatch(part)
    assert found is not None, part
    name, amount = found["name"], float(found["amount"])
    if found["strength"] is None:
        yield _portion(name, amount * (1.0 if found["of"] == "mg" else _density(name)), source)
        return
    solvent = found["in"] or "water"
    total, strength = amount * _density(solvent), float(found["strength"])
    mg = total * strength / 100 if found["unit"] == "%" else strength * amount / 1000 * _molar_mass(name)
    yield _portion(name, mg, source)
    yield _portion(solvent, max(0.0, total - mg), source)


def _portion(name: str, mg: float, source: str) -> Portion:
    found = lookup(name)
    boils = found.boiling_point if isinstance(found, Chemical) else None
    return Portion(name, mg, _molar_mass(name), source, "", boils)


def _density(name: str) -> float:
    """g/mL from our table; 1 where it has none, which only shifts the amounts."""
    found = lookup(name)
    return (found.density if isinstance(found, Chemical) else None) or 1.0


def _molar_mass(name: str) -> float:
    found = lookup(name)
    if isinstance(found, Chemical):
        return found.molar_mass
    from rdkit import Chem
    from rdkit.Chem.rdMolDescriptors import CalcMolFormula

    from labwright.tools.chemistry.reactivity import structure_of

    formula = CalcMolFormula(Chem.MolFromSmiles(structure_of(name)), separateIsotopes=False)
    return molecular_weight(re.sub(r"[+-]\d*$", "", formula))
