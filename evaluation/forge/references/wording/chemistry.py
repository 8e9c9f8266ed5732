"""Molecules of the set ``wording`` by PySCF called directly, kept in ``references/wording.json``.

``python -m labwright.evaluation.forge.references.wording.chemistry`` computes what is not there yet; with names, those.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from labwright.evaluation.forge.finding import ALL_OF_IT
from labwright.evaluation.forge.references.molecules import Species, compute
from labwright.evaluation.forge.references.wording.entries import Entry, Plain, entry, expectation
from labwright.evaluation.forge.units import HARTREE_CM, HARTREE_EV, HARTREE_KCAL, HARTREE_KJ

FILE = Path(__file__).parents[1] / "wording.json"
EV_NM = 1239.841984  # h c, CODATA 2018


def _small(smiles: str, charge: int = 0) -> Species:
    return Species(smiles, charge, "HF", basis="sto-3g")


SPECIES: dict[str, Species] = {
    "water": Species("O"),
    "hydrogen cyanide": Species("C#N"),
    "hydrogen isocyanide": Species("[C-]#[NH+]"),
    "nitrogen": Species("N#N"),
    "hydrogen": Species("[H][H]"),
    "ammonia": Species("N"),
    "borane": Species("B"),
    "borohydride": Species("[BH4-]", -1),
    "hydride": Species("[H-]", -1),
    "carbon dioxide, minimal": _small("O=C=O"),
    "cyclopropane, minimal": _small("C1CC1"),
    "ethane, minimal": _small("CC"),
    "propane, minimal": _small("CCC"),
    "formic acid, solvated": Species("OC=O", 0, "HF", dielectric=78.4),
    "formate, solvated": Species("[O-]C=O", -1, "HF", dielectric=78.4),
}


def run(species: Mapping[str, Species], names: Sequence[str], file: Path) -> None:
    """Compute species and put them into `file`; without names those that are not there."""
    for name in names or [one for one in species if one not in _read(file)]:
        entry = compute(name, species[name])
        file.write_text(json.dumps({**_read(file), name: entry}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        sys.stderr.write(f"{name}: {entry['energy']:.6f} hartree, {entry['seconds']} s\n")


def _read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


@cache
def table() -> dict[str, Any]:
    """What has been computed: species -> values."""
    return _read(FILE)


def _thermo(name: str, kind: str, temperature: str = "298.15") -> float:
    return float(table()[name]["thermo"][temperature][kind])


def _change(before: Mapping[str, int], after: Mapping[str, int], value: Callable[[str], float]) -> float:
    """Products minus reactants, hartree."""
    return sum(k * value(name) for name, k in after.items()) - sum(k * value(name) for name, k in before.items())


def _wavenumbers(kept: str, tolerance: float = 15.0) -> Entry:
    """All of them, sorted; the list may also run along an axis of modes."""
    values = sorted(table()[kept]["frequencies"])
    return entry("wavenumbers", "frequencies", values, unit="1/cm", axis=ALL_OF_IT, tolerance=tolerance)


def _zero_point(kept: str) -> float:
    """Half the sum of the wavenumbers, hartree."""
    return float(sum(table()[kept]["frequencies"])) / 2 / HARTREE_CM


def water_basics() -> Plain:
    """Structure, energy, dipole and vibrations."""
    kept = table()["water"]
    position = dict(zip("OAB", np.array(kept["positions"]), strict=True))
    one, other = position["A"] - position["O"], position["B"] - position["O"]
    length = float(np.linalg.norm(one))
    angle = float(np.degrees(np.arccos(one @ other / length / np.linalg.norm(other))))
    results = [
        entry("O-H", ["bond_length", "distance"], length, unit="angstrom", tolerance=2e-3),
        entry("H-O-H", ["bond_angle", "angle"], angle, tolerance=0.4),
        entry("energy", "energy", kept["energy"], unit="hartree", tolerance=1e-3, half=5e-3),
        entry("dipole", ["dipole", "dipole_moment"], kept["dipole"], unit="debye", tolerance=0.03),
        _wavenumbers("water"),
        entry("ZPE", "zero_point_energy", _zero_point("water") * HARTREE_KCAL, unit="kcal/mol", tolerance=0.05),
    ]
    return expectation(results, packages=[["pyscf"]])


def haber() -> Plain:
    """Ammonia from the elements at two temperatures."""
    before, after, results = {"nitrogen": 1, "hydrogen": 3}, {"ammonia": 2}, []
    for at in ("298.15", "500"):
        for name, kind, quantity in (("H", "enthalpy", "reaction_enthalpy"), ("G", "gibbs", "reaction_gibbs")):
            value = _change(before, after, lambda one, kind=kind, at=at: _thermo(one, kind, at)) * HARTREE_KJ  # type: ignore[misc]
            labels = {"temperature|T": [float(at)]}
            results.append(entry(f"{name} at {at} K", quantity, value, unit="kJ/mol", labels=labels, tolerance=1.5))
    return expectation(results, [{"kind": "bars", "show": [one["name"] for one in results]}])


def isomers() -> Plain:
    """HCN to HNC: electronic, at 0 K, and free energy."""
    before, after = {"hydrogen cyanide": 1}, {"hydrogen isocyanide": 1}
    electronic = _change(before, after, lambda name: float(table()[name]["energy"]))
    cold = electronic + _change(before, after, _zero_point)
    gibbs = _change(before, after, lambda name: _thermo(name, "gibbs"))
    more: Any = {"unit": "kcal/mol", "tolerance": 0.2}
    with_zero = ["reaction_energy", "electronic_energy_difference", "energy", "reaction_enthalpy", "difference"]
    how = ["zpe", "zero point", "0 K", 0.0, "0K", "zero", "zero_point", "zpe corrected", "with ZPE", "incl. ZPE"]
    cold_labels: Any = {"correction|kind|quantity|with|temperature|T": how}
    results = [
        entry("electronic", ["reaction_energy", "electronic_energy_difference"], electronic * HARTREE_KCAL, **more),
        entry("at 0 K", with_zero, cold * HARTREE_KCAL, labels=cold_labels, **more),
        entry("free energy", "reaction_gibbs", gibbs * HARTREE_KCAL, **more),
    ]
    return expectation(results)


def strained_triangle() -> Plain:
    """Cyclopropane and ethane to propane; the strain is minus the reaction's energy."""
    before, after = {"cyclopropane, minimal": 1, "ethane, minimal": 3}, {"propane, minimal": 3}
    electronic = -_change(before, after, lambda name: float(table()[name]["energy"])) * HARTREE_KCAL
    enthalpy = -_change(before, after, lambda name: _thermo(name, "enthalpy")) * HARTREE_KCAL
    names = ["ring_strain", "strain_energy", "strain", "ring_strain_energy"]
    results = [
        entry("electronic strain", names, electronic, unit="kcal/mol", tolerance=0.2,
              labels={"quantity|kind|from": ["energy", "electronic", "electronic energy"]}),
        entry("strain enthalpy", [*names, "ring_strain_enthalpy"], enthalpy, unit="kcal/mol", tolerance=0.3,
              labels={"quantity|kind|from": ["enthalpy", "H"]}),
    ]  # fmt: skip
    return expectation(results)


def formic_acid() -> Plain:
    """Direct pKa with a given proton."""
    acid, base = _thermo("formic acid, solvated", "gibbs"), _thermo("formate, solvated", "gibbs")
    change = (base - acid) * HARTREE_KCAL - 270.3
    pka = change / (1.987204259e-3 * 298.15 * np.log(10))
    results = [
        entry("pKa", "pka", pka, tolerance=0.4, half=0.8),
        entry("G of the acid", "gibbs", acid, unit="hartree", tolerance=1.5e-3,
              labels={"molecule|species": ["formic acid", "HA", "acid", "HCOOH"]}),
        entry("G of the base", "gibbs", base, unit="hartree", tolerance=1.5e-3,
              labels={"molecule|species": ["formate", "A-", "base", "formic acid anion", "HCOO-", "formate anion"]}),
    ]  # fmt: skip
    return expectation(results)


FORMALDEHYDE = "C 0 0 -0.53; O 0 0 0.67; H 0 0.94 -1.11; H 0 -0.94 -1.11"


def excitations(atoms: str, functional: str, roots: int) -> dict[str, list[float]]:
    """Full TD-DFT at a structure: singlets and triplets in eV, oscillator strengths of the singlets."""
    from pyscf import dft, gto

    mean_field = dft.RKS(gto.M(atom=atoms, basis="def2-svp", verbose=0), xc=functional)
    mean_field.set(conv_tol=1e-10).grids.level = 4
    mean_field.kernel()
    singlets = mean_field.TDDFT().set(nstates=roots + 3, conv_tol=1e-7).run()
    triplets = mean_field.TDDFT().set(nstates=roots + 3, singlet=False, conv_tol=1e-7).run()
    return {
        "singlets": [float(e) * HARTREE_EV for e in singlets.e[:roots]],
        "triplets": [float(e) * HARTREE_EV for e in triplets.e[:roots]],
        "strengths": [float(f) for f in singlets.oscillator_strength(gauge="length")[:roots]],
    }


def given_structure() -> Plain:
    """Three singlets and three triplets at a structure that stands in the text."""
    found, results = excitations(FORMALDEHYDE, "PBE0", 3), []
    names: Any = ["excitation_energy"]
    for letter, values in (("S", found["singlets"]), ("T", found["triplets"])):
        for k, value in enumerate(values, 1):
            state = f"{letter}{k}"
            labels: Any = {"state": [state]}
            results.append(entry(state, names, value, unit="eV", labels=labels, tolerance=0.02, half=0.05))
    for k, value in enumerate(found["strengths"], 1):
        labels = {"state": [f"S{k}"]}
        results.append(entry(f"f of S{k}", ["oscillator_strength", "f"], value, labels=labels, tolerance=3e-3))
    wavelength = EV_NM / found["singlets"][0]
    results.append(entry("wavelength", ["wavelength", "lambda"], wavelength, unit="nm", tolerance=2.0))
    return expectation(results, packages=[["pyscf"]])


def hydride_to_borane() -> Plain:
    """Minus the enthalpy of attaching a hydride."""
    before, after = {"borane": 1, "hydride": 1}, {"borohydride": 1}
    enthalpy = _change(before, after, lambda name: _thermo(name, "enthalpy")) * HARTREE_KCAL
    gibbs = _change(before, after, lambda name: _thermo(name, "gibbs")) * HARTREE_KCAL
    results = [
        entry("affinity", ["hydride_affinity", "affinity"], -enthalpy, unit="kcal/mol", tolerance=0.4, half=1.0),
        entry("free energy", "reaction_gibbs", gibbs, unit="kcal/mol", tolerance=0.5, half=1.0),
    ]
    return expectation(results)


def minimal_co2() -> Plain:
    """Four modes and their zero-point energy."""
    kept = "carbon dioxide, minimal"
    one = _wavenumbers(kept)
    zero = entry("ZPE", "zero_point_energy", _zero_point(kept) * HARTREE_KJ, unit="kJ/mol", tolerance=0.2)
    return expectation([one, zero], packages=[["pyscf"]])


TASKS: dict[str, Callable[[], Plain]] = {
    "23_water_basics": water_basics,
    "24_haber": haber,
    "25_isomers": isomers,
    "26_strained_triangle": strained_triangle,
    "27_formic_acid": formic_acid,
    "28_given_structure": given_structure,
    "29_hydride_to_borane": hydride_to_borane,
    "30_minimal_co2": minimal_co2,
}

if __name__ == "__main__":
    run(SPECIES, sys.argv[1:], FILE)
