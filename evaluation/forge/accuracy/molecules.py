"""Accuracy of the chemistry tasks: the paper's table 7 (1, 0.5, 0) against references of our own PySCF script.

A species that has no reference yet leaves its criteria out; they are listed, and in no score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from labwright.evaluation.forge.criteria import Criterion, Missing, Seen, check, graded, left_out
from labwright.evaluation.forge.methodology import IMAGINARY, lowest_frequency
from labwright.evaluation.forge.records import array, number, one
from labwright.evaluation.forge.references.molecules import COMMAND, HARTREE_KCAL, RINGS, table
from labwright.evaluation.forge.structures import PARENTS
from labwright.evaluation.forge.workspace import Workspace

STANDARD = "298.15"
# The name of a species in a task's text -> in the reference table.
ORGANIC = {
    "caffeine": "caffeine_openbabel",
    "theobromine": "theobromine_openbabel",
    "acetylsalicylic_acid": "aspirin_openbabel",
}
ORGANIC_FILES = (
    "caffeine_openbabel", "theobromine_openbabel", "aspirin_openbabel", "methyl_salicylate_openbabel",
    "diisopropylamide_anion_openbabel", "diisopropylammonium_cation_openbabel",
)  # fmt: skip
INORGANIC = {
    "chromium_hexacarbonyl": "chromium_hexacarbonyl",
    "chlorine_trifluoride": "chlorine_trifluoride",
    "fluorophosphoric_acid": "fluorophosphoric_acid_singly_deprotonated_form",
}
INORGANIC_FILES = (
    "chromium_hexacarbonyl", "chlorine_trifluoride", "fluorophosphoric_acid_singly_deprotonated_form",
    "trifluoromethane_sulfonate", "cyclohexyldimethylphosphine", "t-butylisothiocyanate",
)  # fmt: skip
Look = Callable[[], Seen]


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


def properties(workspace: Workspace, molecules: dict[str, str]) -> list[Criterion]:
    """Energy, point group, dipole, gap and charges of optimised molecules; name -> name of the reference."""
    criteria = []
    for name, reference in molecules.items():
        kept = table().get(reference, {})
        for short, quantity, full, half in (
            ("C1", "energy", 0.001, 0.010),
            ("C3", "dipole", 0.05, 0.20),
            ("C4", "homo_lumo_gap", 0.002, 0.010),
        ):
            demand = f"{name}: {quantity} within {full:g} ({half:g}: half)"
            look = _number_look(workspace, quantity, name, kept, full, half)
            criteria.append(against(short, demand, [reference], look))
        criteria.append(against("C2", f"{name}: point group", [reference], _group_look(workspace, name, kept)))
        demand = f"{name}: Mulliken charges within 0.02 e on average (0.05: half)"
        criteria.append(against("C5", demand, [reference], _charges_look(workspace, name, kept)))
        criteria.append(check("I1", f"{name}: a minimum", _minimum_look(workspace, name)))
    return criteria


def _number_look(
    workspace: Workspace, quantity: str, name: str, kept: dict[str, Any], full: float, half: float
) -> Look:
    return lambda: graded(number(workspace, quantity, molecule=name), kept[quantity], full, half)


def _group_look(workspace: Workspace, name: str, kept: dict[str, Any]) -> Look:
    def look() -> Seen:
        said = str(one(workspace, "point_group", molecule=name).value)
        return said == kept["point_group"], f"{said}, reference {kept['point_group']}"

    return look


def _charges_look(workspace: Workspace, name: str, kept: dict[str, Any]) -> Look:
    """Charges sorted within each element: the order of atoms is the run's own."""

    def look() -> Seen:
        charges = array(one(workspace, "mulliken_charges", molecule=name)).reshape(-1)
        symbols = _symbols(workspace, name)
        if sorted(symbols) != sorted(kept["symbols"]) or len(charges) != len(symbols):
            return False, f"{len(charges)} charges of {len(symbols)} atoms, {len(kept['symbols'])} wanted"
        ours = sorted(zip(kept["symbols"], kept["mulliken_charges"], strict=True))
        theirs = sorted(zip(symbols, charges.tolist(), strict=True))
        mad = float(np.mean([abs(a[1] - b[1]) for a, b in zip(theirs, ours, strict=True)]))
        return (1.0 if mad <= 0.02 else 0.5 if mad <= 0.05 else 0.0), f"mean difference {mad:.4f} e"

    return look


def _symbols(workspace: Workspace, name: str) -> list[str]:
    value = one(workspace, "coordinates", molecule=name).value
    if not isinstance(value, dict) or not isinstance(value.get("symbols"), list):
        raise Missing(f"coordinates of {name} hold no symbols")
    return [str(symbol) for symbol in value["symbols"]]


def _minimum_look(workspace: Workspace, name: str) -> Look:
    def look() -> Seen:
        lowest = lowest_frequency(workspace, name)
        return lowest > IMAGINARY, f"lowest frequency {lowest:.1f} 1/cm"

    return look


def gibbs_of(species: str, kind: str = "gibbs", temperature: str = STANDARD) -> float:
    """Reference enthalpy or free energy of a species, hartree."""
    return float(table()[species]["thermo"][temperature][kind])


def reaction(before: Sequence[str], after: Sequence[str], kind: str, temperature: str = STANDARD) -> float:
    """Reference enthalpy or free energy of a reaction, kcal/mol."""
    total = sum(gibbs_of(name, kind, temperature) for name in after)
    return (total - sum(gibbs_of(name, kind, temperature) for name in before)) * HARTREE_KCAL


def nearest(value: float, references: Sequence[float], full: float, half: float) -> Seen:
    """Graded against the closest of several conventions."""
    return graded(value, min(references, key=lambda reference: abs(reference - value)), full, half)


def reaction_criteria(
    workspace: Workspace, label: str | tuple[str, ...], before: Sequence[str], after: Sequence[str], **more: float
) -> list[Criterion]:
    """Enthalpy and free energy of one reaction; free energies with and without rotational symmetry are both right."""
    at = f"{more.get('temperature', 298.15):g}"
    shown = label if isinstance(label, str) else label[0]
    name = shown if not more else f"{shown}, {at} K"
    labels: dict[str, Any] = {"reaction": label, **more}

    def enthalpy() -> Seen:
        value = number(workspace, "reaction_enthalpy", **labels)
        return graded(value, reaction(before, after, "enthalpy", at), 2.0, 5.0)

    def gibbs() -> Seen:
        value = number(workspace, "reaction_gibbs", **labels)
        return nearest(value, [reaction(before, after, kind, at) for kind in ("gibbs", "gibbs_sigma_1")], 2.0, 5.0)

    species = [*before, *after]
    return [
        against("C1", f"{name}: enthalpy within 2 kcal/mol (5: half)", species, enthalpy),
        against("C2", f"{name}: free energy within 2 kcal/mol (5: half)", species, gibbs),
    ]


def carbocations(workspace: Workspace) -> list[Criterion]:
    """R-H -> R+ + H- of nine compounds."""
    criteria = []
    for name in PARENTS:
        label = (name, f"{name} -> {name} cation + hydride", name.replace(" ", "_"))
        criteria += reaction_criteria(workspace, label, [name], [f"{name} cation", "hydride"])
    return criteria


def ring_strain(workspace: Workspace) -> list[Criterion]:
    """Gaps between consecutive rings, which do not depend on the zero."""
    criteria = []
    for n in range(4, 9):
        species = [RINGS[n], f"methyl{RINGS[n - 1]}"]
        for short, quantity, kind in (("C1", "enthalpy", "enthalpy"), ("C2", "gibbs", "gibbs")):
            demand = f"strain of C{n - 1} above C{n}, {quantity}, within 1 kcal/mol (3: half)"
            criteria.append(against(short, demand, species, _ring_look(workspace, n, quantity, kind)))
    return criteria


def _ring_look(workspace: Workspace, n: int, quantity: str, kind: str) -> Look:
    def look() -> Seen:
        record = one(workspace, "ring_strain", quantity=quantity)
        sizes = {round(size): k for k, size in enumerate(record.axes[0].values)} if record.axes else {}
        if n not in sizes or n - 1 not in sizes:
            raise Missing(f"no strain of both C{n} and C{n - 1}")
        values = array(record)
        gap = float(values[sizes[n - 1]] - values[sizes[n]])
        kinds = ("enthalpy",) if kind == "enthalpy" else ("gibbs", "gibbs_sigma_1")
        return nearest(gap, [reaction([RINGS[n]], [f"methyl{RINGS[n - 1]}"], one, STANDARD) for one in kinds], 1.0, 3.0)

    return look


def pka(
    workspace: Workspace, acid: str, window: tuple[float, float], difference: tuple[float, float]
) -> list[Criterion]:
    """pKa within the paper's window, and the free energies behind it."""
    anion = f"{acid} anion"

    def value() -> Seen:
        said = number(workspace, "pka", acid=(acid, acid.replace(" ", "_")))
        return window[0] <= said <= window[1], f"pKa = {said:.2f}"

    def gap() -> Seen:
        found = _gibbs(workspace, anion) - _gibbs(workspace, acid)
        return difference[0] <= found <= difference[1], f"G(A-) - G(HA) = {found:.5f} hartree"

    def both() -> Seen:
        right = [abs(_gibbs(workspace, name) - gibbs_of(name)) <= 0.005 for name in (acid, anion)]
        said = f"{_gibbs(workspace, acid):.5f} and {_gibbs(workspace, anion):.5f}"
        return sum(right) / 2, f"{said}, references {gibbs_of(acid):.5f} and {gibbs_of(anion):.5f} hartree"

    return [
        check("C1", f"pKa between {window[0]:g} and {window[1]:g}", value),
        check("C2", f"G(A-) - G(HA) between {difference[0]:g} and {difference[1]:g} hartree", gap),
        against("C3", "both free energies within 0.005 hartree (one: half)", [acid, anion], both),
    ]


def _gibbs(workspace: Workspace, name: str) -> float:
    return number(workspace, "gibbs", molecule=(name, name.replace(" ", "_")))


def pka_l1(workspace: Workspace) -> list[Criterion]:
    """Acetic acid; without calibration the method is far from 4.76, and the paper's window says so."""
    return pka(workspace, "acetic acid", (19.0, 25.0), (0.469, 0.477))


def pka_l2(workspace: Workspace) -> list[Criterion]:
    """Chlorofluoroacetic acid, calibrated."""
    acids = ("acetic acid", "fluoroacetic acid", "chloroacetic acid")

    def calibration() -> Seen:
        right = []
        for acid in acids:
            try:
                ours = gibbs_of(f"{acid} anion") - gibbs_of(acid)
                theirs = _gibbs(workspace, f"{acid} anion") - _gibbs(workspace, acid)
            except Missing:
                continue
            if abs(ours - theirs) <= 0.004:
                right.append(acid)
        return len(right) >= 2, f"within 0.004 hartree: {', '.join(right) or 'none'}"

    needed = [name for acid in acids for name in (acid, f"{acid} anion")]
    return [
        *pka(workspace, "chlorofluoroacetic acid", (-2.70, 1.50), (0.451, 0.458)),
        against("C4", "two calibrating acids or more within 0.004 hartree", needed, calibration),
    ]


def tddft(workspace: Workspace, optimised: bool) -> list[Criterion]:
    """S1, T1, gap and oscillator strength of three structures; unoptimised ones are right unless asked for."""
    criteria = []
    for name in ("2", "3", "5"):
        species = [f"chromophore {name}"] + ([] if optimised else [f"chromophore {name} as given"])
        criteria += excited_criteria(workspace, name, species, "B3LYP")
    return criteria


def excited_criteria(
    workspace: Workspace, name: str, species: Sequence[str], xc: str, /, **more: str
) -> list[Criterion]:
    """The paper's four criteria of one structure; `species` are the references that are right, the closest counts."""
    shown = " ".join([name, *more.values()])

    def kept() -> list[dict[str, float]]:
        return [table()[one]["excited"][xc] for one in species]

    def energy(state: str) -> float:
        return number(workspace, "excitation_energy", molecule=name, state=state, **more)

    def strength() -> Seen:
        said = number(workspace, "oscillator_strength", molecule=name, state="S1", **more)
        reference = min((one["oscillator_strength"] for one in kept()), key=lambda f: abs(f - said))
        error = abs(said - reference) / max(reference, 1e-4)  # a forbidden transition has none to compare with
        score = 1.0 if error <= 0.2 else 0.5 if error <= 0.5 else 0.0
        return score, f"{said:.5f}, reference {reference:.5f}"

    def gap() -> Seen:
        said = number(workspace, "singlet_triplet_gap", molecule=name, **more)
        return nearest(said, [one["S1"] - one["T1"] for one in kept()], 0.03, 0.10)

    def state_look(state: str) -> Look:
        return lambda: nearest(energy(state), [one[state] for one in kept()], 0.05, 0.15)

    return [
        against("C1", f"{shown}: S1 within 0.05 eV (0.15: half)", species, state_look("S1")),
        against("C2", f"{shown}: T1 within 0.05 eV (0.15: half)", species, state_look("T1")),
        against("C3", f"{shown}: S1 - T1 within 0.03 eV (0.10: half)", species, gap),
        against("C4", f"{shown}: oscillator strength within 20 % (50 %: half)", species, strength),
    ]
