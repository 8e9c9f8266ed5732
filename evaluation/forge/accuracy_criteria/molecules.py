"""Accuracy of the chemistry tasks: what their `expected.yaml` demands, against references of our own PySCF script.

The paper's table 7 gives 1, 0.5 or 0: a number is within the first of two tolerances, the second, or neither. A species
that has no reference yet leaves its criteria out; they are listed, and in no score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from labwright.evaluation.forge.criteria import Criterion, Missing, Seen, check, graded, left_out
from labwright.evaluation.forge.methodology import IMAGINARY, lowest_frequency
from labwright.evaluation.forge.references.molecules import COMMAND, HARTREE_KCAL, RINGS, table
from labwright.evaluation.forge.result_records import array, number, one
from labwright.evaluation.forge.workspace_contents import Workspace

STANDARD = "298.15"
Look = Callable[[], Seen]
Two = tuple[float, float]  # full points within the first, half within the second


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Properties(_Data):
    """Optimised molecules.

    Attributes:
        molecules: name in the task's text -> name of the reference.
        within: tolerance of each number, in hartree, debye, hartree, and e on average over the atoms.
    """

    molecules: dict[str, str]
    energy: Two
    dipole: Two
    homo_lumo_gap: Two
    mulliken_charges: Two


class Cations(_Data):
    """R-H -> R+ + H- of each parent; kcal/mol."""

    parents: list[str]
    within: Two


class Strain(_Data):
    """Gaps between each ring and the next smaller one, which do not depend on the zero; kcal/mol."""

    rings: list[int]
    within: Two


class Acid(_Data):
    """A pKa between two numbers, and the free energies behind it, hartree.

    Attributes:
        difference: G(A-) - G(HA).
        within: tolerance of both free energies.
        calibrated: acids of which two have a difference within `calibration`.
    """

    name: str
    pka: Two
    difference: Two
    within: float
    calibrated: list[str] = []
    calibration: float = 0.0


class Excited(_Data):
    """Vertical excitations; eV, and relative for the oscillator strength.

    Attributes:
        molecules: name in the task's text -> references that are right, of which the closest counts.
    """

    molecules: dict[str, list[str]]
    xc: str
    energy: Two
    gap: Two
    strength: Two


class Accuracy(_Data):
    """What an `expected.yaml` of a chemistry task demands of the numbers."""

    properties: Properties | None = None
    cations: Cations | None = None
    strain: Strain | None = None
    acid: Acid | None = None
    excited: Excited | None = None


def demanded(data: Accuracy, workspace: Workspace) -> list[Criterion]:
    """The criteria of a task."""
    parts: list[tuple[Any, Callable[..., list[Criterion]]]] = [
        (data.properties, properties), (data.cations, carbocations), (data.strain, ring_strain),
        (data.acid, pka), (data.excited, tddft),
    ]  # fmt: skip
    return [one for demand, criteria in parts if demand is not None for one in criteria(workspace, demand)]


def missing_reference(*names: str) -> str:
    """Which of the species have no reference, and how to make it; empty if all have."""
    absent = [name for name in names if name not in table()]
    quoted = " ".join(f'"{name}"' if " " in name else name for name in absent)
    return f"no reference yet: {COMMAND} {quoted}" if absent else ""


def against(name: str, demand: str, species: Sequence[str], look: Look) -> Criterion:
    """A criterion that needs references of these species."""
    if why := missing_reference(*species):
        return left_out(name, demand, why)
    return check(name, demand, look)


def properties(workspace: Workspace, data: Properties) -> list[Criterion]:
    """Energy, point group, dipole, gap and charges of optimised molecules."""
    criteria = []
    for name, reference in data.molecules.items():
        kept = table().get(reference, {})
        numbers = (("C1", "energy", data.energy), ("C3", "dipole", data.dipole),
                   ("C4", "homo_lumo_gap", data.homo_lumo_gap))  # fmt: skip
        for short, quantity, (full, half) in numbers:
            demand = f"{name}: {quantity} within {full:g} ({half:g}: half)"
            look = _number_look(workspace, quantity, name, kept, full, half)
            criteria.append(against(short, demand, [reference], look))
        criteria.append(against("C2", f"{name}: point group", [reference], partial(_group, workspace, name, kept)))
        full, half = data.mulliken_charges
        demand = f"{name}: Mulliken charges within {full:g} e on average ({half:g}: half)"
        criteria.append(against("C5", demand, [reference], partial(_charges, workspace, name, kept, full, half)))
        criteria.append(check("I1", f"{name}: a minimum", partial(_minimum, workspace, name)))
    return criteria


def _number_look(
    workspace: Workspace, quantity: str, name: str, kept: dict[str, Any], full: float, half: float
) -> Look:
    return lambda: graded(number(workspace, quantity, molecule=name), kept[quantity], full, half)


def _group(workspace: Workspace, name: str, kept: dict[str, Any]) -> Seen:
    said = str(one(workspace, "point_group", molecule=name).value)
    return said == kept["point_group"], f"{said}, reference {kept['point_group']}"


def _charges(workspace: Workspace, name: str, kept: dict[str, Any], full: float, half: float) -> Seen:
    """Charges sorted within each element: the order of atoms is the run's own."""
    charges = array(one(workspace, "mulliken_charges", molecule=name)).reshape(-1)
    symbols = _symbols(workspace, name)
    if sorted(symbols) != sorted(kept["symbols"]) or len(charges) != len(symbols):
        return False, f"{len(charges)} charges of {len(symbols)} atoms, {len(kept['symbols'])} wanted"
    ours = sorted(zip(kept["symbols"], kept["mulliken_charges"], strict=True))
    theirs = sorted(zip(symbols, charges.tolist(), strict=True))
    mad = float(np.mean([abs(a[1] - b[1]) for a, b in zip(theirs, ours, strict=True)]))
    return (1.0 if mad <= full else 0.5 if mad <= half else 0.0), f"mean difference {mad:.4f} e"


def _symbols(workspace: Workspace, name: str) -> list[str]:
    value = one(workspace, "coordinates", molecule=name).value
    if not isinstance(value, dict) or not isinstance(value.get("symbols"), list):
        raise Missing(f"coordinates of {name} hold no symbols")
    return [str(symbol) for symbol in value["symbols"]]


def _minimum(workspace: Workspace, name: str) -> Seen:
    lowest = lowest_frequency(workspace, name)
    return lowest > IMAGINARY, f"lowest frequency {lowest:.1f} 1/cm"


def gibbs_of(species: str, kind: str = "gibbs") -> float:
    """Reference enthalpy or free energy of a species, hartree."""
    return float(table()[species]["thermo"][STANDARD][kind])


def reaction(before: Sequence[str], after: Sequence[str], kind: str) -> float:
    """Reference enthalpy or free energy of a reaction, kcal/mol."""
    total = sum(gibbs_of(name, kind) for name in after)
    return (total - sum(gibbs_of(name, kind) for name in before)) * HARTREE_KCAL


def nearest(value: float, references: Sequence[float], full: float, half: float) -> Seen:
    """Graded against the closest of several conventions."""
    return graded(value, min(references, key=lambda reference: abs(reference - value)), full, half)


def carbocations(workspace: Workspace, data: Cations) -> list[Criterion]:
    """Enthalpies and free energies; the latter with and without rotational symmetry are both right."""
    criteria = []
    for name in data.parents:
        for short, said, quantity, kinds in (
            ("C1", "enthalpy", "reaction_enthalpy", ("enthalpy",)),
            ("C2", "free energy", "reaction_gibbs", ("gibbs", "gibbs_sigma_1")),
        ):
            demand = f"{name}: {said} within {data.within[0]:g} kcal/mol ({data.within[1]:g}: half)"
            look = _cation_look(workspace, name, quantity, kinds, data.within)
            criteria.append(against(short, demand, [name, f"{name} cation", "hydride"], look))
    return criteria


def _cation_look(workspace: Workspace, name: str, quantity: str, kinds: Sequence[str], within: Two) -> Look:
    label = (name, f"{name} -> {name} cation + hydride", name.replace(" ", "_"))
    after = [f"{name} cation", "hydride"]
    return lambda: nearest(
        number(workspace, quantity, reaction=label), [reaction([name], after, kind) for kind in kinds], *within
    )


def ring_strain(workspace: Workspace, data: Strain) -> list[Criterion]:
    """Enthalpies and free energies of the gaps."""
    criteria, (full, half) = [], data.within
    for n in data.rings:
        species = [RINGS[n], f"methyl{RINGS[n - 1]}"]
        for short, quantity in (("C1", "enthalpy"), ("C2", "gibbs")):
            demand = f"strain of C{n - 1} above C{n}, {quantity}, within {full:g} kcal/mol ({half:g}: half)"
            look = partial(_ring, workspace, n, quantity, data.within)
            criteria.append(against(short, demand, species, look))
    return criteria


def _ring(workspace: Workspace, n: int, quantity: str, within: Two) -> Seen:
    record = one(workspace, "ring_strain", quantity=quantity)
    sizes = {round(size): k for k, size in enumerate(record.axes[0].values)} if record.axes else {}
    if n not in sizes or n - 1 not in sizes:
        raise Missing(f"no strain of both C{n} and C{n - 1}")
    values = array(record)
    gap = float(values[sizes[n - 1]] - values[sizes[n]])
    kinds = ("enthalpy",) if quantity == "enthalpy" else ("gibbs", "gibbs_sigma_1")
    return nearest(gap, [reaction([RINGS[n]], [f"methyl{RINGS[n - 1]}"], kind) for kind in kinds], *within)


def pka(workspace: Workspace, data: Acid) -> list[Criterion]:
    """pKa within the paper's window, and the free energies behind it."""
    acid, window, difference = data.name, data.pka, data.difference
    anion = f"{acid} anion"

    def value() -> Seen:
        said = number(workspace, "pka", acid=(acid, acid.replace(" ", "_")))
        return window[0] <= said <= window[1], f"pKa = {said:.2f}"

    def gap() -> Seen:
        found = _gibbs(workspace, anion) - _gibbs(workspace, acid)
        return difference[0] <= found <= difference[1], f"G(A-) - G(HA) = {found:.5f} hartree"

    def both() -> Seen:
        right = [abs(_gibbs(workspace, name) - gibbs_of(name)) <= data.within for name in (acid, anion)]
        said = f"{_gibbs(workspace, acid):.5f} and {_gibbs(workspace, anion):.5f}"
        return sum(right) / 2, f"{said}, references {gibbs_of(acid):.5f} and {gibbs_of(anion):.5f} hartree"

    demand = f"both free energies within {data.within:g} hartree (one: half)"
    criteria = [
        check("C1", f"pKa between {window[0]:g} and {window[1]:g}", value),
        check("C2", f"G(A-) - G(HA) between {difference[0]:g} and {difference[1]:g} hartree", gap),
        against("C3", demand, [acid, anion], both),
    ]
    return [*criteria, *([_calibration(workspace, data)] if data.calibrated else [])]


def _gibbs(workspace: Workspace, name: str) -> float:
    return number(workspace, "gibbs", molecule=(name, name.replace(" ", "_")))


def _calibration(workspace: Workspace, data: Acid) -> Criterion:
    def calibration() -> Seen:
        right = []
        for acid in data.calibrated:
            try:
                ours = gibbs_of(f"{acid} anion") - gibbs_of(acid)
                theirs = _gibbs(workspace, f"{acid} anion") - _gibbs(workspace, acid)
            except Missing:
                continue
            if abs(ours - theirs) <= data.calibration:
                right.append(acid)
        return len(right) >= 2, f"within {data.calibration:g} hartree: {', '.join(right) or 'none'}"

    needed = [name for acid in data.calibrated for name in (acid, f"{acid} anion")]
    demand = f"two calibrating acids or more within {data.calibration:g} hartree"
    return against("C4", demand, needed, calibration)


def tddft(workspace: Workspace, data: Excited) -> list[Criterion]:
    """S1, T1, gap and oscillator strength of each structure."""
    return [one for name in data.molecules for one in _excited(workspace, name, data)]


def _excited(workspace: Workspace, name: str, data: Excited) -> list[Criterion]:
    species = data.molecules[name]

    def kept() -> list[dict[str, float]]:
        return [table()[one]["excited"][data.xc] for one in species]

    def energy(state: str) -> float:
        return number(workspace, "excitation_energy", molecule=name, state=state)

    def strength() -> Seen:
        said = number(workspace, "oscillator_strength", molecule=name, state="S1")
        reference = min((one["oscillator_strength"] for one in kept()), key=lambda f: abs(f - said))
        error = abs(said - reference) / max(reference, 1e-4)  # a forbidden transition has none to compare with
        score = 1.0 if error <= data.strength[0] else 0.5 if error <= data.strength[1] else 0.0
        return score, f"{said:.5f}, reference {reference:.5f}"

    def gap() -> Seen:
        said = number(workspace, "singlet_triplet_gap", molecule=name)
        return nearest(said, [one["S1"] - one["T1"] for one in kept()], *data.gap)

    def state_look(state: str) -> Look:
        return lambda: nearest(energy(state), [one[state] for one in kept()], *data.energy)

    within = f"{data.energy[0]:g} eV ({data.energy[1]:g}: half)"
    share = f"{data.strength[0]:.0%} ({data.strength[1]:.0%}: half)"
    return [
        against("C1", f"{name}: S1 within {within}", species, state_look("S1")),
        against("C2", f"{name}: T1 within {within}", species, state_look("T1")),
        against("C3", f"{name}: S1 - T1 within {data.gap[0]:g} eV ({data.gap[1]:g}: half)", species, gap),
        against("C4", f"{name}: oscillator strength within {share}", species, strength),
    ]
