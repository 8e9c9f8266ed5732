"""Which kinds of substances must not meet: the EPA's compatibility chart, and what puts a substance into its groups.

Groups, pairs and reactions are data (``reactive_*.csv``, ``reactions.csv``), each file with its source. A substance
gets its groups from its structure. ``reactive_substances.csv`` holds structures, and the groups worked out beforehand
for those who have no RDKit. A substance whose structure is not known gets no group, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from labwright.tools.chemistry.chemical_table import Chemical, data_rows, lookup, normal_name
from labwright.tools.chemistry.chemicals_package_data import listed

CHART = "EPA-600/2-80-076"
CONSEQUENCES = {
    "H": "heat", "F": "fire", "G": "gas", "GT": "toxic gas", "GF": "flammable gas", "E": "explosion",
    "P": "violent polymerisation", "S": "dissolves a toxic metal", "U": "may be hazardous",
    "R": "reacts with water and much else",
}  # fmt: skip
WATER, WATER_REACTIVE = 106, 107

Known = Literal["structure", "table", ""]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a substance is to the chart: groups, and how often it has each feature. `known`: how that was found out."""

    groups: frozenset[int] = frozenset()
    features: dict[str, int] = field(default_factory=dict)
    known: Known = ""

    @property
    def judged(self) -> bool:
        """Whether it has groups, or is known to react with nothing in the chart."""
        return bool(self.groups) or (bool(self.known) and "harmless" in self.features)


@dataclass(frozen=True, slots=True)
class Reaction:
    """One row of ``reactions.csv``. `partner` is empty where the first needs none; `start` in degC."""

    first: str
    partner: str
    partner_groups: frozenset[int]
    start: float
    consequences: frozenset[str]
    gas: str
    per_first: float
    per_partner: float
    source: str


def consequences(one: int, other: int) -> frozenset[str]:
    """What the chart says of two groups; empty where it says nothing."""
    if one != other and WATER_REACTIVE in (one, other):
        return frozenset("R")
    return _pairs().get((min(one, other), max(one, other)), frozenset())


@cache
def group_names() -> dict[int, str]:
    """Names of the groups by their numbers."""
    return {int(row["number"]): row["name"] for row in rows("reactive_groups.csv")}


@cache
def reactions() -> tuple[Reaction, ...]:
    """What the chart leaves blank, or what makes a gas that has to be counted."""
    return tuple(_reaction(row) for row in rows("reactions.csv"))


@cache
def kind_of(name: str) -> Kind:
    """Groups and features of the substance that a name, synonym or CAS number means."""
    row = _row(name)
    if row:
        return Kind(frozenset(map(int, row["groups"].split())), _counted(row["features"]), "table")
    smiles = structure_of(name)
    return kind_of_structure(smiles) if smiles else Kind()


def oxygen_of(name: str) -> float:
    """Atoms of oxygen that one formula of an oxidiser gives away; where no row says, 8/3, more than nearly all give."""
    return float(_row(name).get("oxygen") or 8 / 3)


def structure_of(name: str) -> str:
    """The SMILES of a named substance: from our rows, or the package `chemicals`; empty if neither has it."""
    if row := _row(name):
        return row["smiles"]
    found = lookup(name)
    entry = listed(found.cas if isinstance(found, Chemical) else name)
    return entry.smiles if entry else ""


def kind_of_structure(smiles: str) -> Kind:
    """Groups and features of a structure.

    A structure without a group is known to be harmless only if every part of it is.
    """
    try:
        from rdkit import Chem, rdBase
    except ImportError:
        return Kind()
    with rdBase.BlockLogs():
        molecule: Any = Chem.MolFromSmiles(smiles)
    if molecule is None:
        return Kind()
    groups = frozenset(
        number
        for number, (has, unless) in _patterns().items()
        if any(map(molecule.HasSubstructMatch, has)) and not any(map(molecule.HasSubstructMatch, unless))
    )
    features = {
        name: count
        for name, has in _features().items()
        if not name.startswith("harmless")
        if (count := sum(len(molecule.GetSubstructMatches(each)) for each in has))
    }
    harmless = [each for name, has in _features().items() if name.startswith("harmless") for each in has]
    covered = {atom for each in harmless for match in molecule.GetSubstructMatches(each) for atom in match}
    if all(atom.GetIdx() in covered for atom in molecule.GetAtoms() if atom.GetAtomicNum() not in (1, 6)):
        features["harmless"] = 1
    return Kind(groups, features, "structure")


def rows(name: str) -> Iterator[dict[str, str]]:
    """The rows of a data file beside this module."""
    return data_rows("labwright.tools.chemistry", name)


@cache
def _pairs() -> dict[tuple[int, int], frozenset[str]]:
    return {(int(r["one"]), int(r["other"])): frozenset(r["consequences"].split()) for r in rows("reactive_pairs.csv")}


@cache
def _substances() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for row in rows("reactive_substances.csv"):
        for key in (row["name"], *filter(None, row["synonyms"].split("|")), row["cas"]):
            found.setdefault(normal_name(key), row)
    return found


def _row(name: str) -> dict[str, str]:
    """The row of a name, a synonym of ours or of `chemicals`, or a CAS number; empty if there is none."""
    found = lookup(name)
    keys = [normal_name(name)] + ([normal_name(found.name), found.cas] if isinstance(found, Chemical) else [])
    return next((_substances()[key] for key in keys if key in _substances()), {})


def _counted(text: str) -> dict[str, int]:
    """``acid site 2|boc 1`` as numbers by name."""
    parts = [part.rpartition(" ") for part in text.split("|") if part]
    return {name: int(count) for name, _, count in parts}


def _reaction(row: dict[str, str]) -> Reaction:
    by_group = row["partner"].startswith("group ")
    return Reaction(
        first=row["first"],
        partner="" if by_group or row["partner"] == "-" else row["partner"],
        partner_groups=frozenset(map(int, row["partner"].split()[1:])) if by_group else frozenset(),
        start=float(row["from"] or "-inf"),
        consequences=frozenset(row["consequences"].split()),
        gas=row["gas"],
        per_first=float(row["per_first"] or 0),
        per_partner=float(row["per_partner"] or 0),
        source=row["source"],
    )


@cache
def _patterns() -> dict[int, tuple[list[Any], list[Any]]]:
    return {int(r["number"]): (_smarts(r["has"]), _smarts(r["unless"])) for r in rows("reactive_groups.csv")}


@cache
def _features() -> dict[str, list[Any]]:
    return {row["feature"]: _smarts(row["has"]) for row in rows("reactive_features.csv")}


def _smarts(text: str) -> list[Any]:
    from rdkit import Chem

    return [Chem.MolFromSmarts(each) for each in text.split("|") if each]
