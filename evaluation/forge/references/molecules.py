"""Reference values of molecules, by PySCF called directly: nothing here is shared with recipes or tools.

``python -m labwright.evaluation.forge.references.molecules methane ethane hydride`` computes species and puts them into
``molecules.json``; ``--group carbocations`` all of a group, ``--missing`` only what is not there yet, ``--gpu`` with
GPU4PySCF, the same authors' engine for a graphics card (`pip install gpu4pyscf-cuda13x`). Needs the extra `chem`.
A species that has not been run is not in the file, and its criteria are left out of the score and named.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from labwright.evaluation.forge.smiles_geometries import CATIONS, CHROMOPHORES, INORGANIC, ORGANIC, PARENTS, coordinates

FILE = Path(__file__).with_name("molecules.json")
COMMAND = "python -m labwright.evaluation.forge.references.molecules"
TEMPERATURES = (298.15, 500.0)
ATMOSPHERE = 101325.0  # Pa
HARTREE_KCAL = 627.5094740631  # CODATA 2018
HARTREE_EV = 27.211386245988
BOLTZMANN = 3.166811563e-6  # hartree/K, CODATA 2018
IMAGINARY = -20.0  # 1/cm, below the noise of flat coordinates
BASES = {"def2-svp": "def2-SVP", "sto-3g": "STO-3G"}  # as they are printed
DISPLACEMENT = 0.25  # bohr along an imaginary mode


@dataclass(frozen=True, slots=True)
class Species:
    """One calculation: an optimised structure with frequencies, and what else is asked.

    Attributes:
        functional: ``HF`` or a functional's name.
        dielectric: of C-PCM water; None in the gas phase.
        excited: functionals of TD-DFT at the optimised structure.
        fitted: optimise and differentiate with density fitting; energies and properties stay conventional.
        given: at the structure as it is, without optimisation and frequencies.
        basis: as PySCF names it.
        gpu: energies and their derivatives on a graphics card.
    """

    smiles: str
    charge: int = 0
    functional: str = "B3LYP"
    dielectric: float | None = None
    excited: tuple[str, ...] = ()
    fitted: bool = False
    given: bool = False
    basis: str = "def2-svp"
    gpu: bool = False


def _water(smiles: str, charge: int = 0) -> Species:
    return Species(smiles, charge, dielectric=78.4)


def _hf(smiles: str, charge: int = 0) -> Species:
    return Species(smiles, charge, "HF", fitted=True)


RINGS = {3: "cyclopropane", 4: "cyclobutane", 5: "cyclopentane", 6: "cyclohexane", 7: "cycloheptane", 8: "cyclooctane"}
GROUPS: dict[str, dict[str, Species]] = {
    "carbocations": {
        "hydride": Species("[H-]", -1),
        **{name: Species(smiles) for name, smiles in PARENTS.items()},
        **{f"{name} cation": Species(smiles, 1) for name, smiles in CATIONS.items()},
    },
    "small": {"ethylene": Species("C=C", excited=("B3LYP",))},
    "acids": {
        "acetic acid": _water("CC(=O)O"),
        "acetic acid anion": _water("CC(=O)[O-]", -1),
        "fluoroacetic acid": _water("OC(=O)CF"),
        "fluoroacetic acid anion": _water("[O-]C(=O)CF", -1),
        "chloroacetic acid": _water("OC(=O)CCl"),
        "chloroacetic acid anion": _water("[O-]C(=O)CCl", -1),
        "chlorofluoroacetic acid": _water("OC(=O)C(F)Cl"),
        "chlorofluoroacetic acid anion": _water("[O-]C(=O)C(F)Cl", -1),
    },
    "chromophores": {
        **{f"chromophore {name}": Species(smiles, excited=("B3LYP",)) for name, smiles in CHROMOPHORES.items()},
        **{
            f"chromophore {name} as given": Species(smiles, excited=("B3LYP",), given=True)
            for name, smiles in CHROMOPHORES.items()
        },
    },
    "rings": {
        **{name: Species("C1" + "C" * (n - 1) + "1") for n, name in RINGS.items()},
        **{f"methyl{RINGS[n]}": Species("CC1" + "C" * (n - 1) + "1") for n in RINGS if n < 8},
    },
    "organic": {
        name: _hf(
            smiles, {"diisopropylamide_anion_openbabel": -1, "diisopropylammonium_cation_openbabel": 1}.get(name, 0)
        )
        for name, smiles in ORGANIC.items()
    },
    "inorganic": {
        **{name: _hf(smiles, -1 if "[O-]" in smiles else 0) for name, smiles in INORGANIC.items()},
        "chromium_hexacarbonyl": _hf("Cr(CO)6"),
        "chlorine_trifluoride": _hf("FCl(F)F"),
    },
}
SPECIES = {name: species for group in GROUPS.values() for name, species in group.items()}


def compute(name: str, species: Species, gpu: bool = False) -> dict[str, Any]:
    """Everything of one species: optimise, differentiate twice, remove imaginary modes, thermochemistry, properties."""
    species = replace(species, gpu=gpu)
    begun = time.monotonic()
    molecule = _molecule(name, species)
    if molecule.natm == 1:
        return _atom(molecule, species, begun)
    modes: dict[str, Any] = {}
    for _ in range(0 if species.given else 4):
        molecule = _optimised(molecule, species)
        modes = _modes(molecule, species)
        if modes["lowest"] > IMAGINARY:
            break
        moved = molecule.atom_coords() + DISPLACEMENT * modes["vector"]
        molecule = molecule.set_geom_(moved, unit="Bohr", inplace=False)
    mean_field = _mean_field(molecule, species)
    entry = _properties(molecule, mean_field.to_cpu() if species.gpu else mean_field)
    if modes:
        entry |= {"frequencies": modes["frequencies"], "thermo": _thermo(molecule, mean_field.e_tot, modes)}
    if species.excited:
        entry["excited"] = {functional: _excited(molecule, functional) for functional in species.excited}
    return {**_about(species, begun), **entry}


def _molecule(name: str, species: Species) -> Any:
    from pyscf import gto

    return gto.M(atom=coordinates(name, species.smiles), charge=species.charge, basis=species.basis, verbose=0)


def _mean_field(molecule: Any, species: Species, functional: str = "", fitted: bool = False) -> Any:
    """A converged restricted calculation.

    Raises:
        RuntimeError: it does not converge.
    """
    from pyscf import dft, scf

    functional = functional or species.functional
    if functional == "HF":
        mean_field = scf.RHF(molecule)
    else:
        mean_field = dft.RKS(molecule, xc=functional)
        mean_field.grids.level = 4
    mean_field.conv_tol = 1e-10
    if fitted:
        mean_field = mean_field.density_fit()
    if species.dielectric is not None:
        mean_field = mean_field.PCM()
        mean_field.with_solvent.method = "C-PCM"
        mean_field.with_solvent.eps = species.dielectric
        mean_field.with_solvent.lebedev_order = 11  # finer cavities make the Hessian too large
    if species.gpu:
        mean_field = mean_field.to_gpu()
    mean_field.kernel()
    if not mean_field.converged:
        raise RuntimeError(f"{functional} does not converge.")
    return mean_field


def _optimised(molecule: Any, species: Species) -> Any:
    from pyscf.geomopt import geometric_solver

    mean_field = _mean_field(molecule, species, fitted=species.fitted)
    converged, optimised = geometric_solver.kernel(mean_field, maxsteps=200, verbose=0, **TIGHT)
    if not converged:
        raise RuntimeError("The optimisation does not converge in 200 steps.")
    return optimised


TIGHT = {
    "convergence_energy": 1e-7,
    "convergence_grms": 5e-5,
    "convergence_gmax": 1e-4,
    "convergence_drms": 5e-4,
    "convergence_dmax": 1e-3,
}  # hartree, hartree/bohr, angstrom


def _modes(molecule: Any, species: Species) -> dict[str, Any]:
    """Frequencies in 1/cm (imaginary ones negative), the lowest, and its displacement, normalised."""
    from pyscf.hessian import thermo

    mean_field = _mean_field(molecule, species, fitted=species.fitted)
    found = thermo.harmonic_analysis(molecule, mean_field.Hessian().kernel())
    numbers = [float(v.real if abs(v.imag) < 1e-8 else -abs(v.imag)) for v in np.asarray(found["freq_wavenumber"]) + 0j]
    lowest = int(np.argmin(numbers))
    vector = np.asarray(found["norm_mode"][lowest]).real
    return {
        "frequencies": [round(value, 2) for value in numbers],
        "lowest": numbers[lowest],
        "vector": vector / np.linalg.norm(vector),
        "au": found["freq_au"],
    }


def _thermo(molecule: Any, energy: float, modes: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Enthalpy and free energy, hartree, of an ideal gas; `gibbs_sigma_1` leaves rotational symmetry out."""
    table = {}
    frequencies = np.array([value for value in modes["frequencies"] if value > 0.0]) * 4.556335252912e-6
    for temperature in TEMPERATURES:
        kt = BOLTZMANN * temperature
        x = frequencies / kt
        vibration = float(np.sum(frequencies / 2 + frequencies / np.expm1(x)))
        vibration_entropy = BOLTZMANN * float(np.sum(x / np.expm1(x) - np.log1p(-np.exp(-x))))
        linear, rotation_entropy, sigma = _rotation(molecule, kt)
        enthalpy = energy + vibration + (1.0 if linear else 1.5) * kt + 2.5 * kt
        entropy = vibration_entropy + rotation_entropy + _translation_entropy(molecule, temperature)
        table[f"{temperature:g}"] = {
            "enthalpy": enthalpy,
            "gibbs": enthalpy - temperature * (entropy - BOLTZMANN * np.log(sigma)),
            "gibbs_sigma_1": enthalpy - temperature * entropy,
        }
    return table


def _translation_entropy(molecule: Any, temperature: float) -> float:
    """Sackur-Tetrode at 1 atm, hartree/K."""
    mass = float(sum(molecule.atom_mass_list(isotope_avg=True))) * 1.66053906660e-27
    kt = 1.380649e-23 * temperature
    volume = kt / ATMOSPHERE
    q = (2 * math.pi * mass * kt / 6.62607015e-34**2) ** 1.5 * volume
    return BOLTZMANN * (math.log(q) + 2.5)


def _rotation(molecule: Any, kt: float) -> tuple[bool, float, int]:
    """Whether linear, entropy without symmetry number, and the symmetry number of the group within 0.01 bohr."""
    masses = np.asarray(molecule.atom_mass_list(isotope_avg=True)) * 1822.888486209
    centred = molecule.atom_coords() - np.average(molecule.atom_coords(), axis=0, weights=masses)
    squares = np.einsum("i,ij,ik->jk", masses, centred, centred)
    moments = np.linalg.eigvalsh(np.trace(squares) * np.eye(3) - squares)
    linear = bool(moments[0] < 1e-3 * moments[1])
    if linear:
        entropy = BOLTZMANN * (np.log(2 * moments[2] * kt) + 1.0)
    else:
        entropy = BOLTZMANN * (0.5 * np.log(np.pi * np.prod(2 * moments * kt)) + 1.5)
    return linear, float(entropy), symmetry_number(_group(molecule))


def _group(molecule: Any) -> str:
    from pyscf import symm
    from pyscf.symm import geom

    kept, geom.TOLERANCE = geom.TOLERANCE, 0.01
    try:
        return str(symm.detect_symm(molecule._atom)[0])
    finally:
        geom.TOLERANCE = kept


def symmetry_number(group: str) -> int:
    """Number of proper rotations of a Schoenflies group."""
    fixed = {"Td": 12, "Oh": 24, "Ih": 60, "Coov": 1, "Dooh": 2, "SO3": 1, "C1": 1, "Cs": 1, "Ci": 1}
    if group in fixed:
        return fixed[group]
    order = int("".join(letter for letter in group if letter.isdigit()) or 1)
    return 2 * order if group.startswith("D") else order // 2 if group.startswith("S") else order


def _properties(molecule: Any, mean_field: Any) -> dict[str, Any]:
    occupied = int(np.sum(mean_field.mo_occ > 0))
    (_, charges) = mean_field.mulliken_pop(verbose=0)
    return {
        "energy": float(mean_field.e_tot),
        "dipole": float(np.linalg.norm(mean_field.dip_moment(verbose=0))),
        "homo_lumo_gap": float(mean_field.mo_energy[occupied] - mean_field.mo_energy[occupied - 1]),
        "mulliken_charges": [round(float(charge), 4) for charge in charges],
        "point_group": _group(molecule),
        "symbols": [molecule.atom_pure_symbol(i) for i in range(molecule.natm)],
        "positions": np.round(molecule.atom_coords(unit="Angstrom"), 5).tolist(),
    }


def _excited(molecule: Any, functional: str) -> dict[str, float]:
    """Full TD-DFT, six roots each: S1 and T1 in eV, oscillator strength of S1."""
    mean_field = _mean_field(molecule, Species("", functional=functional))
    singlets = mean_field.TDDFT().set(nstates=6, conv_tol=1e-7).run()
    triplets = mean_field.TDDFT().set(nstates=6, singlet=False, conv_tol=1e-7).run()
    return {
        "S1": float(singlets.e[0]) * HARTREE_EV,
        "T1": float(triplets.e[0]) * HARTREE_EV,
        "oscillator_strength": float(singlets.oscillator_strength(gauge="length")[0]),
    }


def _atom(molecule: Any, species: Species, begun: float) -> dict[str, Any]:
    """A single atom: translation only."""
    energy = float(_mean_field(molecule, species).e_tot)
    table = {}
    for temperature in TEMPERATURES:
        enthalpy = energy + 2.5 * BOLTZMANN * temperature
        gibbs = enthalpy - temperature * _translation_entropy(molecule, temperature)
        table[f"{temperature:g}"] = {"enthalpy": enthalpy, "gibbs": gibbs, "gibbs_sigma_1": gibbs}
    return {**_about(species, begun), "energy": energy, "thermo": table}


def _about(species: Species, begun: float) -> dict[str, Any]:
    import pyscf

    engine = f"pyscf {pyscf.__version__}"
    if species.gpu:
        engine += f", gpu4pyscf {import_module('gpu4pyscf').__version__}"
    phase = "gas" if species.dielectric is None else f"C-PCM, dielectric {species.dielectric}"
    return {
        "smiles": species.smiles,
        "charge": species.charge,
        "method": f"{species.functional}/{BASES.get(species.basis, species.basis)}, {phase}",
        "with": engine,
        "seconds": round(time.monotonic() - begun, 1),
    }


def table() -> dict[str, dict[str, Any]]:
    """What has been run so far: species -> values."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    return found


def keep(entries: dict[str, dict[str, Any]]) -> None:
    """Write the table, a line for each species."""
    lines = (f"{json.dumps(name)}: {json.dumps(entries[name], sort_keys=True)}" for name in sorted(entries))
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main(words: Sequence[str]) -> None:
    """Compute the species named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--group", action="append", default=[], choices=sorted(GROUPS))
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--gpu", action="store_true")
    given = parser.parse_args(words)
    wanted = [*given.names, *(name for group in given.group for name in GROUPS[group])]
    for name in wanted or list(SPECIES):
        if given.missing and name in table():
            continue
        entry = compute(name, SPECIES[name], given.gpu)
        keep({**table(), name: entry})
        sys.stderr.write(f"{name}: {entry['energy']:.6f} hartree, {entry['seconds']} s\n")


if __name__ == "__main__":
    main(sys.argv[1:])
