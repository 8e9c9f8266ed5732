"""One molecule: its minimum, properties, thermochemistry, measures."""

from __future__ import annotations

MAIN = '''
def main():
    """The molecule at every level."""
    species = GIVEN["species"]
    symbols, start, origin = structure(species)
    print(f"{species['name']}: {len(symbols)} atoms, charge {species['charge']}, from {origin}", flush=True)
    fixed, energies, treated = None, {}, set()
    if GIVEN["structure_level"]:
        fixed = minimum(GIVEN["structure_level"], symbols, start, species)
    elif not GIVEN["optimise"] and not GIVEN["frequencies"]:
        fixed = (start, None, 0)
    for level, shape in zip(GIVEN["levels"], GIVEN["shapes"]):
        print(f" {level['method']}/{level['basis']}", flush=True)
        positions, vibrations, left = fixed or minimum(shape, symbols, start, species)
        labels = {
            "molecule": species["name"], "method": GIVEN["names"].get(level["method"].lower(), level["method"]),
            "basis": level["basis"], **medium(level),
        }
        scf = properties(level, symbols, positions, species, labels)
        energies[level["method"], level["basis"], level["solvent_model"]] = scf.energy
        group = group_of(symbols, positions, labels)
$GEOMETRY
        if vibrations is not None:
            note("frequencies", vibrations.frequencies, "1/cm", **labels)
            note("saddles_left", left, "1", **labels)
$THERMO
$REST
    for (method, basis, model), energy in energies.items():
        if model != "none" and (method, basis, "none") in energies:
            moved = (energy - energies[method, basis, "none"]) * 627.5094740631
            name = GIVEN["names"].get(method.lower(), method)
            note("solvation_energy", moved, "kcal/mol", molecule=species["name"], method=name, basis=basis)
    save(GIVEN["path"], GIVEN["parameters"])


main()
'''

MINIMUM = '''
def minimum(level, symbols, positions, species):
    """Optimise, look for imaginary modes, leave saddles along them; at most five rounds."""
    vibrations, left = None, 0
    optimises = GIVEN["optimise"] and species["optimise"] and len(symbols) > 1
    for attempt in range(5):
        if optimises:
            sharp = "GAU" if attempt == 0 else "GAU_TIGHT"
            found = geometry_optimization(
                GeometryOptimizationInput(**at(level, symbols, positions, species), convergence=sharp)
            )
            positions = found.positions
            print(f"  optimised in {found.n_steps} gradients, E = {found.energy:.8f} hartree", flush=True)
        if not GIVEN["frequencies"]:
            break
        vibrations = harmonic_frequencies(HarmonicFrequenciesInput(**at(level, symbols, positions, species)))
        print(f"  lowest wavenumbers {[round(one, 1) for one in vibrations.frequencies[:3]]} 1/cm", flush=True)
        if vibrations.n_imaginary == 0 or not optimises or attempt == 4:
            break
        left += 1
        print(f"  {vibrations.n_imaginary} imaginary: displaced along the first", flush=True)
        moved = NormalModeDisplacementInput(
            positions=positions, mode=vibrations.modes[0], size=0.15 * left * (1 if left % 2 else -1)
        )
        positions = normal_mode_displacement(moved).positions
    return positions, vibrations, left

'''

MINIMUM_OF_NOTHING = '''
def minimum(level, symbols, positions, species):
    """The structure as it is given: the task optimises nothing."""
    return positions, None, 0

'''

PROPERTIES = '''
def properties(level, symbols, positions, species, labels):
    """One self-consistent field at the final structure, and what it gives."""
    found = mean_field_energy(MeanFieldEnergyInput(**at(level, symbols, positions, species)))
    note("energy", found.energy, "hartree", **labels)
    note("coordinates", {"symbols": symbols, "positions": positions}, "angstrom", **labels)
    note("dipole", found.dipole_magnitude, "debye", **labels)
    note("dipole_vector", found.dipole, "debye", **labels)
    note("mulliken_charges", found.mulliken_charges, "e", **labels)
    for number, (symbol, charge) in enumerate(zip(symbols, found.mulliken_charges), 1):
        if GIVEN["each_charge"]:
            note("mulliken_charge", charge, "e", atom=symbol, numbered=f"{symbol}{number}", **labels)
    if found.orbital_energies_beta:
        note("orbital_energies", found.orbital_energies, "hartree", spin="alpha", **labels)
        note("orbital_energies", found.orbital_energies_beta, "hartree", spin="beta", **labels)
    else:
        note("orbital_energies", found.orbital_energies, "hartree", **labels)
    note("occupied_orbitals", found.n_alpha, "1", **labels)
    if found.homo_lumo_gap is not None:
        note("homo_lumo_gap", found.homo_lumo_gap, "hartree", **labels)
    if species["multiplicity"] > 1:
        note("spin_square", found.spin_square, "1", **labels)
    print(f"  E = {found.energy:.8f} hartree, dipole {found.dipole_magnitude:.4f} debye", flush=True)
    return found

'''

GROUP = '''
def group_of(symbols, positions, labels):
    """The point group, within a tolerance that an optimised structure keeps."""
    found = molecular_point_group(MolecularPointGroupInput(symbols=symbols, positions=positions, tolerance=0.05))
    note("point_group", found.point_group, "", **labels)
    return found

'''

THERMO = '''
def thermochemistry(species, symbols, positions, energy, vibrations, labels, group):
    """Enthalpy, entropy and Gibbs free energy of the ideal gas at each temperature."""
    found = [
        ideal_gas_thermochemistry(
            IdealGasThermochemistryInput(
                energy=energy, masses=vibrations.masses, positions=positions, frequencies=vibrations.frequencies,
                multiplicity=species["multiplicity"],
                symmetry_number=species["symmetry_number"] or group.symmetry_number,
                temperature=temperature, pressure=GIVEN["pressure"],
            )
        )
        for temperature in GIVEN["temperatures"]
    ]
    for quantity in ("enthalpy", "gibbs"):
        note(quantity, along([getattr(one, quantity) for one in found]), "hartree", warm(), **labels)
    note("zero_point_energy", found[0].zero_point_energy, "hartree", **labels)
    molar = 2625499.6394799  # J/mol of one hartree
    for quantity in ("entropy", "heat_capacity"):
        note(quantity, along([molar * getattr(one, quantity) for one in found]), "J/(mol K)", warm(), **labels)
    for temperature, one in zip(GIVEN["temperatures"], found):
        print(f"  {temperature:g} K: H = {one.enthalpy:.6f}, G = {one.gibbs:.6f} hartree", flush=True)
    print(f"  symmetry {group.point_group}", flush=True)

'''

GEOMETRY = '''
RADII = {"H": 0.31, "He": 0.28, "Li": 1.28, "Be": 0.96, "B": 0.84, "C": 0.76, "N": 0.71, "O": 0.66, "F": 0.57, "Ne": 0.58,
         "Na": 1.66, "Mg": 1.41, "Al": 1.21, "Si": 1.11, "P": 1.07, "S": 1.05, "Cl": 1.02, "Ar": 1.06, "Br": 1.20,
         "I": 1.39}  # covalent, angstrom (Cordero et al., Dalton Trans. 2832, 2008)


def internal(symbols, positions, labels):
    """Bond lengths, angles, dihedrals; those that differ by less than 1e-3 angstrom or 0.1 degree stand once."""
    import itertools

    import numpy as np

    points = np.array(positions)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    reach = [RADII.get(one, 1.5) for one in symbols]
    atoms = range(len(symbols))
    near = [[j for j in atoms if j != i and apart[i, j] < 1.25 * (reach[i] + reach[j])] for i in atoms]
    bonds = [(i, j) for i in atoms for j in near[i] if i < j]
    angles = [(i, j, k) for j in atoms for i, k in itertools.combinations(near[j], 2)]
    twists = [(i, j, k, m) for j, k in bonds for i in near[j] for m in near[k] if len({i, j, k, m}) == 4]

    def angle(i, j, k):
        u, v = points[i] - points[j], points[k] - points[j]
        return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v)))

    def dihedral(i, j, k, m):
        a, b, c = points[j] - points[i], points[k] - points[j], points[m] - points[k]
        n, o = np.cross(a, b), np.cross(b, c)
        return abs(float(np.degrees(np.arctan2(np.linalg.norm(b) * (a @ o), n @ o))))

    straight = {(i, j, k) for i, j, k in angles if angle(i, j, k) > 175}
    twists = [(i, j, k, m) for i, j, k, m in twists
              if not {(i, j, k), (k, j, i), (j, k, m), (m, k, j)} & straight]
    for quantity, rows, measure, unit, same in (
        ("bond_length", bonds, lambda i, j: float(apart[i, j]), "angstrom", 1e-3),
        ("bond_angle", angles, angle, "degree", 0.1), ("dihedral_angle", twists, dihedral, "degree", 0.1),
    ):
        kinds = {}
        for row in rows:
            names = tuple(symbols[k] for k in row)
            kinds.setdefault(min(names, names[::-1]), []).append((measure(*row), row))
        for names, found in kinds.items():
            values = [value for value, _ in found]
            if max(values) - min(values) < same:
                note(quantity, sum(values) / len(values), unit, atoms="-".join(names), **labels)
                continue
            for value, row in found:
                numbered = "-".join(f"{symbols[k]}{k + 1}" for k in row)
                note(quantity, value, unit, atoms="-".join(names), numbered=numbered, **labels)


def rotation(symbols, positions, labels):
    """Rotational constants of the rigid structure with the most common isotopes; those of a line or an atom are fewer."""
    import numpy as np
    from pyscf.data import elements

    mass = np.array([elements.COMMON_ISOTOPE_MASSES[elements.charge(one)] for one in symbols])
    points = np.array(positions)
    points = points - mass @ points / mass.sum()
    tensor = (mass * (points**2).sum(axis=1)).sum() * np.eye(3) - (points.T * mass) @ points
    moments = [one for one in np.linalg.eigvalsh(tensor) if one > 1e-3]
    constants = [505379.0046 / float(one) / 1000 for one in moments]  # h / (8 pi^2) in u angstrom^2 MHz
    if constants:
        note("rotational_constants", constants, "GHz", **labels)

'''
