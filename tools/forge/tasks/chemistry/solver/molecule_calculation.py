"""One molecule at every level: its minimum, properties, thermochemistry, and what else is wanted of it."""

from __future__ import annotations

from typing import Any

from labwright.results import parameter

from .bond_geometry import internal, polarisability, rotation
from .excited_states_and_orbitals import excited, orbital_figure, spaces
from .task import KCAL, Molecule, Plain, Task

MOLAR = 2625499.6394799  # J/mol of a hartree
ROUNDS = 5  # of leaving saddles


def main(given: Plain, tools: Any) -> None:
    """Record the molecule's results."""
    task = Task(given, tools)
    parameter(**given["parameters"])
    molecule = Molecule(task, given["species"])
    start, name = molecule.positions, given["species"]["name"]
    energies: dict[tuple[str, ...], float] = {}
    treated: set[str] = set()
    fixed = given["structure_level"]
    vibrations, left = minimum(molecule, fixed) if fixed else (None, 0)
    one_structure = bool(fixed) or not (given["optimise"] or given["frequencies"])
    for level, shape in zip(given["levels"], given["shapes"], strict=True):
        print(f" {level['method']}/{level['basis']}", flush=True)
        labels = {"molecule": name, **task.of(level)}
        if not one_structure:
            molecule.positions = start
            vibrations, left = minimum(molecule, shape)
        field = properties(molecule, level, labels)
        energies[level["method"], level["basis"], level["solvent_model"]] = field.energy
        real = [k for k, one in enumerate(molecule.symbols) if not one.startswith("ghost-")]
        bodies = {"symbols": [molecule.symbols[k] for k in real], "positions": [molecule.positions[k] for k in real]}
        group = tools.molecular_point_group(**bodies, tolerance=0.05)
        task.note("point_group", group.point_group, "", labels)
        if "geometry" in given["wanted"]:
            internal(task, molecule, labels)
            rotation(task, molecule, labels)
        if "polarisability" in given["wanted"]:
            polarisability(task, molecule, level, labels)
        if vibrations is not None:
            task.note("frequencies", vibrations.frequencies, "1/cm", labels)
            task.note("saddles_left", left, "1", labels)
            if given["thermochemistry"]:
                thermochemistry(molecule, field.energy, vibrations, group, labels)
        if given["excited"]:
            excited(molecule, level)
        if given["active_spaces"]:
            spaces(molecule, level)
        if not (one_structure and level["basis"] in treated):
            treated.add(level["basis"])
            correlation(molecule, level, labels)
        if "image" in given["wanted"]:
            path = f"img/{given['slug']}.png"
            tools.plot_molecule(path=path, title=name, symbols=molecule.symbols, positions=molecule.positions)
        if "orbitals" in given["wanted"]:
            orbital_figure(molecule, level, field)
    for (method, basis, model), energy in energies.items():
        if model != "none" and (method, basis, "none") in energies:
            how = {"molecule": name, "method": task.name(method), "basis": basis}
            task.note("solvation_energy", (energy - energies[method, basis, "none"]) * KCAL, "kcal/mol", how)


def minimum(molecule: Molecule, level: Plain) -> tuple[Any, int]:
    """Optimise, look for imaginary modes, leave saddles along them; vibrations, and how many saddles were left."""
    task, tools = molecule.task, molecule.task.tools
    vibrations, left = None, 0
    optimises = task.given["optimise"] and molecule.species["optimise"] and len(molecule.symbols) > 1
    for attempt in range(ROUNDS):
        if optimises:
            sharp = "GAU" if attempt == 0 else "GAU_TIGHT"
            found = molecule.ask(tools.geometry_optimization, level, convergence=sharp)
            molecule.positions = found.positions
            print(f"  optimised in {found.n_steps} gradients, E = {found.energy:.8f} hartree", flush=True)
        if not task.given["frequencies"]:
            break
        vibrations = molecule.ask(tools.harmonic_frequencies, level)
        print(f"  lowest wavenumbers {[round(one, 1) for one in vibrations.frequencies[:3]]} 1/cm", flush=True)
        if vibrations.n_imaginary == 0 or not optimises or attempt == ROUNDS - 1:
            break
        left += 1
        print(f"  {vibrations.n_imaginary} imaginary: displaced along the first", flush=True)
        size = 0.15 * left * (1 if left % 2 else -1)
        moved = tools.normal_mode_displacement(positions=molecule.positions, mode=vibrations.modes[0], size=size)
        molecule.positions = moved.positions
    return vibrations, left


def properties(molecule: Molecule, level: Plain, labels: Plain) -> Any:
    """One self-consistent field at the final structure, and what it gives."""
    task, symbols = molecule.task, molecule.symbols
    found = molecule.ask(task.tools.mean_field_energy, level)
    task.note("energy", found.energy, "hartree", labels)
    task.note("coordinates", {"symbols": symbols, "positions": molecule.positions}, "angstrom", labels)
    task.note("dipole", found.dipole_magnitude, "debye", labels)
    task.note("dipole_vector", found.dipole, "debye", labels)
    task.note("mulliken_charges", found.mulliken_charges, "e", labels)
    if "mulliken_charges" in task.given["wanted"]:
        for number, (symbol, charge) in enumerate(zip(symbols, found.mulliken_charges, strict=True), 1):
            task.note("mulliken_charge", charge, "e", labels, atom=symbol, numbered=f"{symbol}{number}")
    if found.orbital_energies_beta:
        task.note("orbital_energies", found.orbital_energies, "hartree", labels, spin="alpha")
        task.note("orbital_energies", found.orbital_energies_beta, "hartree", labels, spin="beta")
    else:
        task.note("orbital_energies", found.orbital_energies, "hartree", labels)
    task.note("occupied_orbitals", found.n_alpha, "1", labels)
    if found.homo_lumo_gap is not None:
        task.note("homo_lumo_gap", found.homo_lumo_gap, "hartree", labels)
    if molecule.species["multiplicity"] > 1:
        task.note("spin_square", found.spin_square, "1", labels)
    print(f"  E = {found.energy:.8f} hartree, dipole {found.dipole_magnitude:.4f} debye", flush=True)
    return found


def thermochemistry(molecule: Molecule, energy: float, vibrations: Any, group: Any, labels: Plain) -> None:
    """Enthalpy, entropy and Gibbs free energy of the ideal gas at each temperature."""
    task, species = molecule.task, molecule.species
    found = [
        task.tools.ideal_gas_thermochemistry(
            energy=energy, masses=vibrations.masses, positions=molecule.positions, frequencies=vibrations.frequencies,
            multiplicity=species["multiplicity"], symmetry_number=species["symmetry_number"] or group.symmetry_number,
            temperature=temperature, pressure=task.given["pressure"],
        )
        for temperature in task.temperatures
    ]  # fmt: skip
    for quantity, factor, unit in (
        ("enthalpy", 1.0, "hartree"), ("gibbs", 1.0, "hartree"),
        ("entropy", MOLAR, "J/(mol K)"), ("heat_capacity", MOLAR, "J/(mol K)"),
    ):  # fmt: skip
        task.note(quantity, task.along([factor * getattr(one, quantity) for one in found]), unit, labels, task.warm())
    task.note("zero_point_energy", found[0].zero_point_energy, "hartree", labels)
    print(f"  symmetry {group.point_group}", flush=True)


def correlation(molecule: Molecule, level: Plain, labels: Plain) -> None:
    """Correlated energies, and what they add to Hartree-Fock."""
    task = molecule.task
    if not task.given["treated"][level["basis"]]:
        return
    field = task.tools.mean_field_energy(**molecule.at(level, method="HF")).energy
    for treatment, energy in molecule.correlated(level).items():
        how = {**labels, "method": task.name(treatment)}
        task.note("energy", energy, "hartree", how)
        task.note("correlation_energy", energy - field, "hartree", how)
