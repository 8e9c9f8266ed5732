"""Results by meaning, whatever they are called: records of results.json and columns of CSV files as candidates."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.forge.criteria import Missing
from labwright.evaluation.forge.expected import Expected
from labwright.evaluation.forge.records import same
from labwright.evaluation.forge.units import factor
from labwright.evaluation.forge.workspace import Workspace
from labwright.tools.forge.tasks.results import Axis, Record

Array = NDArray[np.float64]
ALL_OF_IT = "sorted"  # in place of an axis: all numbers of a record in rising order, such as wavenumbers
# What different hands call the same quantity.
SYNONYMS: tuple[frozenset[str], ...] = (
    frozenset({"population", "populations", "occupation", "occupancy", "probability", "occupation_probability"}),
    frozenset({"expectation", "expectation_value", "correlator", "correlation", "magnetisation", "magnetization",
               "polarisation", "polarization", "average", "mean"}),
    frozenset({"coherence", "coherence_magnitude", "off_diagonal"}),
    frozenset({"energy", "total_energy", "ground_state_energy", "ground_energy", "electronic_energy"}),
    frozenset({"entropy", "entanglement_entropy", "von_neumann_entropy", "half_chain_entropy"}),
    frozenset({"return_probability", "survival_probability", "loschmidt_echo", "echo", "fidelity"}),
    frozenset({"equilibrium_distance", "bond_length", "equilibrium_bond_length", "optimal_distance"}),
    frozenset({"well_depth", "binding_energy", "dissociation_energy"}),
    frozenset({"reaction_enthalpy", "enthalpy_change", "delta_h", "enthalpy"}),
    frozenset({"reaction_gibbs", "gibbs_change", "delta_g", "reaction_free_energy", "free_energy", "gibbs"}),
    frozenset({"reaction_energy", "energy_change", "delta_e"}),
    frozenset({"frequencies", "frequency", "wavenumbers", "harmonic_frequencies", "wavenumber"}),
    frozenset({"zero_point_energy", "zpe", "zpve"}),
    frozenset({"homo_lumo_gap", "gap", "orbital_gap"}),
    frozenset({"excitation_energy", "excitation_energies", "vertical_excitation_energy"}),
    frozenset({"double_occupancy", "doublons", "double_occupation"}),
    frozenset({"pka", "pk_a"}),
    frozenset({"time", "times", "t"}),
    frozenset({"site", "sites", "qubit", "spin", "position", "index"}),
    frozenset({"period", "periods", "cycle", "cycles", "kick", "kicks", "step", "steps", "pulse_number", "round"}),
    frozenset({"distance", "separation", "bond_length", "r", "bond_distance"}),
    frozenset({"beta", "inverse_temperature"}),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number, a text, or a series along one axis, with all that tells it from its like.

    Attributes:
        value: ``(n,)`` along `x`; or the bare value where `x` is None.
        rank: 0 if every label is met word for word; more if a label only holds the word.
    """

    value: Any
    x: Array | None = None
    rank: int = 0
    unmatched: int = 0
    named: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Records of one place: ``results.json`` or a CSV file."""

    name: str
    records: list[Record] = field(default_factory=list)


def _joined(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _words(value: Any) -> list[str]:
    return re.findall(r"[a-z0-9.+-]+", str(value).lower())


def names_same(have: str, wanted: str) -> bool:
    """Whether two names mean the same thing, synonyms of the field included."""
    one, other = _joined(have), _joined(wanted)
    return one == other or any(one in group and other in group for group in SYNONYMS)


def _quantity_fits(record: Record, expected: Expected) -> bool:
    """Its name is a wanted one, or holds it as words, such as ``excited_population``."""
    have = _joined(record.quantity)
    for wanted in expected.quantity:
        if names_same(have, wanted):
            return True
        group: frozenset[str] = next((one for one in SYNONYMS if _joined(wanted) in one), frozenset({_joined(wanted)}))
        if any(f"_{one}_" in f"_{have}_" for one in group if len(one) > 2):
            return True
    return False


def _label_rank(labels: Mapping[str, Any], record: Record, key: str, accepted: list[str | float]) -> int | None:
    """0 word for word, 1 as a part, None not at all. A label of that key decides; without one any label may."""
    keys = key.split("|")
    own = [value for name, value in labels.items() if any(names_same(name, one) for one in keys)]
    for value in own or labels.values():
        if any(same(value, one) for one in accepted):
            return 0
    texts = [" ".join(_words(value)) for value in own or [*labels.values(), record.quantity.replace("_", " ")]]
    parts = [" ".join(_words(one)) for one in accepted if isinstance(one, str)]
    return 1 if any(f" {part} " in f" {text} " for part in parts for text in texts if part) else None


def _slices(record: Record, axis: str) -> Iterator[tuple[dict[str, Any], Array | None, Any, Axis | None]]:
    """Labels with the other axes' positions, places along `axis`, values; numbers one by one where `axis` is empty."""
    try:
        values = np.array(record.value, dtype=float)
    except (TypeError, ValueError):
        values = None
    if values is not None and axis == ALL_OF_IT:
        yield dict(record.labels), None, np.sort(values.reshape(-1)), None
        return
    if values is None or values.shape != tuple(len(one.values) for one in record.axes):
        if not axis and not record.axes:
            yield dict(record.labels), None, record.value, None
        return
    names = [one.name for one in record.axes]
    along = [k for k, name in enumerate(names) if any(names_same(name, one) for one in axis.split("|"))] if axis else []
    if axis and not along:
        return
    kept = along[0] if along else None
    others = [k for k in range(len(names)) if k != kept]
    for places in product(*(range(len(record.axes[k].values)) for k in others)):
        at: list[Any] = [slice(None)] * len(names)
        labels = dict(record.labels)
        for k, place in zip(others, places, strict=True):
            at[k] = place
            labels[names[k]] = record.axes[k].values[place]
        found = values[tuple(at)]
        run = None if kept is None else record.axes[kept]
        yield labels, None if run is None else np.array(run.values), found, run


def candidates(source: Source, expected: Expected) -> list[Candidate]:
    """What may be meant by `expected`, in its units; only those that fit best."""
    found = []
    for record in source.records:
        if not _quantity_fits(record, expected):
            continue
        scale = factor(record.unit, expected.unit)
        for labels, x, value, run in _slices(record, expected.axis):
            ranks = [_label_rank(labels, record, key, accepted) for key, accepted in expected.labels.items()]
            along = 1.0 if run is None else factor(run.unit, expected.axis_unit)
            if scale is None or along is None or any(rank is None for rank in ranks):
                continue
            shown = value if isinstance(value, str | dict | list) or value is None else np.asarray(value) * scale
            spare = max(0, len(labels) - len(expected.labels))
            total = sum(rank or 0 for rank in ranks)
            found.append(Candidate(shown, None if x is None else x * along, total, spare, record.quantity))
    best = min((one.rank for one in found), default=0)
    return sorted((one for one in found if one.rank == best), key=lambda one: one.unmatched)


def in_results(workspace: Workspace) -> Source:
    """The records of results.json.

    Raises:
        Missing: it cannot be read.
    """
    if workspace.problem:
        raise Missing(workspace.problem)
    return Source("results.json", workspace.results.records)


def in_file(path: Path) -> Source:
    """A CSV file: each column a record along the first, named by its heading; rows as single numbers with labels, too.

    A heading such as ``P_1 (%)`` or ``time [us]`` gives the unit.
    """
    lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    if len(rows) < 2:
        return Source(path.name)
    heads = [_heading(text) for text in rows[0]]
    body = [row for row in rows[1:] if len(row) == len(heads)]
    columns = [[_number(row[k]) for row in body] for k in range(len(heads))]
    numeric = [all(isinstance(value, float) for value in column) for column in columns]
    found: list[Record] = []
    if body and numeric[0]:
        axis = Axis(name=heads[0][0], values=[float(v) for v in columns[0]], unit=heads[0][1])
        for (name, unit), column, is_numeric in zip(heads[1:], columns[1:], numeric[1:], strict=True):
            if is_numeric:
                found.append(Record(quantity=name, axes=[axis], value=column, unit=unit, labels={"column": name}))
    for row in range(len(body)):
        for k, (name, unit) in enumerate(heads):
            labels = {heads[j][0]: columns[j][row] for j in range(len(heads)) if j != k}
            found.append(Record(quantity=name, labels=labels, value=columns[k][row], unit=unit))
    return Source(path.name, found)


def _heading(text: str) -> tuple[str, str]:
    match = re.fullmatch(r"\s*(.*?)\s*(?:[(\[]([^()\[\]]*)[)\]]|/\s*(\S+))?\s*", text)
    return (match[1], match[2] or match[3] or "") if match else (text, "")


def _number(text: str) -> float | str:
    try:
        value = float(text)
    except ValueError:
        return text.strip()
    return value if math.isfinite(value) else text.strip()
