"""Sources of the scripts: fixed parts, chosen by what a task wants; its numbers are data at the top."""

from __future__ import annotations

HEAD = '''"""{purpose}"""

import json
import math
import os
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # idle threads do not spin
os.environ.setdefault("PYSCF_MAX_MEMORY", "2500")

{imports}

GIVEN = json.loads(r"""{data}""")
RECORDS = []


def note(quantity, value, unit="", axes=(), /, **labels):
    """Keep one result."""
    RECORDS.append({{"quantity": quantity, "labels": labels, "axes": list(axes), "value": value, "unit": unit}})


def along(values):
    """One value for each temperature, or the value at the only one."""
    return values if len(GIVEN["temperatures"]) > 1 else values[0]


def warm():
    """The axis of the temperatures, if there are several."""
    axis = {{"name": "temperature", "values": GIVEN["temperatures"], "unit": "K"}}
    return [axis] if len(GIVEN["temperatures"]) > 1 else []


def medium(level):
    """The label of the surroundings, if the task has several."""
    if len({{one["solvent_model"] for one in GIVEN["levels"]}}) < 2:
        return {{}}
    return {{"solvent": "gas phase" if level["solvent_model"] == "none" else level["solvent"]}}


def save(path, parameters):
    """Write the results beside those of the scripts before; what was found again replaces what was there."""
    Path("results").mkdir(exist_ok=True)
    file = Path(path)
    before = json.loads(file.read_text(encoding="utf-8"))["records"] if file.is_file() else []
    mine = {{(one["quantity"], json.dumps(one["labels"], sort_keys=True)) for one in RECORDS}}
    kept = [one for one in before if (one["quantity"], json.dumps(one["labels"], sort_keys=True)) not in mine]
    file.write_text(json.dumps({{"parameters": parameters, "records": kept + RECORDS}}, indent=1), encoding="utf-8")
    print(f"{{len(RECORDS)}} results in {{path}}", flush=True)

'''

STRUCTURE = '''
def structure(species):
    """Symbols and coordinates to start from, and where they are from."""
    if species["xyz"]:
        found = molecule_from_xyz(MoleculeFromXyzInput(text=species["xyz"], source="coordinates of the task"))
        return found.symbols, found.positions, "the task's coordinates"
    if species["file"]:
        text = Path(species["file"]).read_text(encoding="utf-8")
        found = molecule_from_xyz(MoleculeFromXyzInput(text=text, source=species["file"]))
        return found.symbols, found.positions, species["file"]
    given = MoleculeFromSmilesInput(smiles=species["smiles"], seed=GIVEN["seed"], n_conformers=GIVEN["n_conformers"])
    found = molecule_from_smiles(given)
    if found.charge != species["charge"]:
        raise ValueError(f"{species['name']}: the SMILES has charge {found.charge}, the task {species['charge']}.")
    return found.symbols, found.positions, f"SMILES {species['smiles']}, {found.force_field}"


def at(level, symbols, positions, species, **changes):
    """The fields that all electronic-structure tools share."""
    return {
        "symbols": symbols, "positions": positions, "charge": species["charge"],
        "multiplicity": species["multiplicity"], **level, **changes,
    }

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

THERMO = '''
def thermochemistry(species, symbols, positions, energy, vibrations, labels, group):
    """Enthalpy, entropy and Gibbs free energy of the ideal gas at each temperature."""
    found = [
        ideal_gas_thermochemistry(
            IdealGasThermochemistryInput(
                energy=energy, masses=vibrations.masses, positions=positions, frequencies=vibrations.frequencies,
                multiplicity=species["multiplicity"], symmetry_number=group.symmetry_number,
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

PROPERTIES = '''
def properties(level, symbols, positions, species, labels):
    """One self-consistent field at the final structure, and what it gives."""
    found = mean_field_energy(MeanFieldEnergyInput(**at(level, symbols, positions, species)))
    note("energy", found.energy, "hartree", **labels)
    note("coordinates", {"symbols": symbols, "positions": positions}, "angstrom", **labels)
    note("dipole", found.dipole_magnitude, "debye", **labels)
    note("dipole_vector", found.dipole, "debye", **labels)
    note("mulliken_charges", found.mulliken_charges, "e", **labels)
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

EXCITED = '''
def excited(level, symbols, positions, species, labels):
    """Singlets and triplets."""
    count = GIVEN["excited"]
    found = excited_states_tddft(ExcitedStatesTddftInput(**at(level, symbols, positions, species), **count))
    how = {"molecule": species["name"], "method": GIVEN["names"]["tddft"], "functional": level["method"], "basis": level["basis"]}
    for kind, energies in (("S", found.singlet_energies), ("T", found.triplet_energies)):
        for number, energy in enumerate(energies, 1):
            which = {"state": f"{kind}{number}", "multiplicity": {"S": "singlet", "T": "triplet"}[kind]}
            note("excitation_energy", energy, "eV", **which, **how)
            if energy > 0:
                note("wavelength", 1239.84198 / energy, "nm", **which, **how)
    for number, (strength, part) in enumerate(zip(found.oscillator_strengths, found.singlet_transitions), 1):
        note("oscillator_strength", strength, "1", state=f"S{number}", **how)
        homo = found.n_occupied - 1
        word = f"HOMO{part.from_orbital - homo or ''} -> LUMO{f'+{part.to_orbital - homo - 1}' if part.to_orbital - homo - 1 else ''}"
        note("transition", f"{word} ({part.weight:.0%})", "", state=f"S{number}", **how)
    if found.singlet_energies and found.triplet_energies:
        note("singlet_triplet_gap", found.singlet_energies[0] - found.triplet_energies[0], "eV", **how)
    print(f"  S {[round(e, 3) for e in found.singlet_energies[:3]]}, T {[round(e, 3) for e in found.triplet_energies[:3]]} eV", flush=True)

'''

CASCI = '''
def active(level, symbols, positions, species, labels):
    """Lowest states in each active space, on Hartree-Fock orbitals."""
    for space in GIVEN["active_spaces"]:
        found = casci_states(
            CasciStatesInput(
                **at(level, symbols, positions, species, method="HF"), n_electrons=space["electrons"],
                n_orbitals=space["orbitals"], n_roots=space["roots"],
            )
        )
        how = {
            "molecule": species["name"], "method": GIVEN["names"]["casci"], "basis": level["basis"],
            "active_space": f"{space['electrons']},{space['orbitals']}",
        }
        axis = {"name": "root", "values": list(range(len(found.energies))), "unit": ""}
        note("casci_energies", found.energies, "hartree", [axis], **how)
        note("casci_spin_square", found.spin_square, "1", [axis], **how)
        if len(found.energies) > 1:
            note("excitation_energy", found.excitation_energies[1], "eV", state="first", **how)
            singlets = [e for e, s in zip(found.excitation_energies, found.spin_square) if e > 1e-6 and s < 0.5]
            if singlets:
                note("excitation_energy", singlets[0], "eV", state="S1", **how)
        print(f"  CASCI({how['active_space']}): {[round(e, 3) for e in found.excitation_energies]} eV", flush=True)

'''

CORRELATED = '''
def correlated(level, symbols, positions, species, labels, axes=()):
    """Correlated energies; the Hartree-Fock energy stands beside them."""
    values = {}
    for treatment in GIVEN["treatments"]:
        found = correlated_energy(
            CorrelatedEnergyInput(**at(level, symbols, positions, species, method="HF"), treatment=treatment)
        )
        values[treatment] = found.energy
        print(f"  {treatment}: {found.energy:.8f} hartree", flush=True)
    return values

'''

ORBITALS = '''
def orbital_figure(level, symbols, positions, species, scf):
    """Frontier orbitals in two planes through the molecule."""
    import numpy as np

    points = np.array(positions)
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=True)[2]
    homo = scf.n_alpha - 1
    numbers = [n for n in range(homo - 1, homo + 3) if 0 <= n < scf.n_basis]
    names = ["HOMO" if n == homo else f"HOMO-{homo - n}" if n < homo else "LUMO" if n == homo + 1 else f"LUMO+{n - homo - 1}" for n in numbers]
    planes = [
        {"label": label, "centre": points.mean(axis=0).tolist(), "across": axes[0].tolist(), "up": axes[k].tolist()}
        for label, k in (("xz", 2), ("xy", 1))
    ]
    width = float(np.abs((points - points.mean(axis=0)) @ axes.T).max()) + 1.8
    found = plot_orbital_contours(
        PlotOrbitalContoursInput(
            path=f"img/{GIVEN['slug']}_orbitals.png", title=f"{species['name']}, {level['method']}/{level['basis']}",
            orbitals=numbers, labels=names, planes=planes, half_width=width, n_points=81,
            **at(level, symbols, positions, species),
        )
    )
    print(f"  orbitals in {found.path}", flush=True)

'''

NUCLEUS = '''
def nucleus(level, symbols, positions, species, labels):
    """Densities at the nuclei and, for an isotope, the hyperfine splitting."""
    isotope = GIVEN["nucleus"]
    extra = {"nuclear_spin": isotope["spin"], "nuclear_moment": isotope["moment"]} if isotope else {}
    found = nuclear_electron_density(NuclearElectronDensityInput(**at(level, symbols, positions, species), **extra))
    one = len(symbols) == 1
    note("contact_density", found.densities[0] if one else found.densities, "1/bohr^3", **labels)
    note("contact_spin_density", found.spin_densities[0] if one else found.spin_densities, "1/bohr^3", **labels)
    if found.contact_splitting is not None:
        note("hyperfine_splitting", found.contact_splitting, "GHz", source="computed", **labels)
        if isotope["measured"] is not None:
            note("hyperfine_splitting", isotope["measured"], "GHz", source="measured", **labels)
    print(f"  density at the nuclei {found.densities}, splitting {found.contact_splitting} GHz", flush=True)

'''

MAIN = '''
def main():
    """The molecule at every level."""
    species = GIVEN["species"]
    symbols, start, origin = structure(species)
    print(f"{species['name']}: {len(symbols)} atoms, charge {species['charge']}, from {origin}", flush=True)
    fixed, energies = None, {}
    if GIVEN["structure_level"]:
        fixed = minimum(GIVEN["structure_level"], symbols, start, species)
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

SCAN = '''
def main():
    """Energies along a bond."""
    species, scan, level = GIVEN["species"], GIVEN["scan"], GIVEN["levels"][0]
    symbols, positions, origin = structure(species)
    pairs = [
        (i, j) for i, a in enumerate(symbols) for j, b in enumerate(symbols)
        if i != j and [a, b] == scan["elements"]
    ]
    i, j = min(pairs, key=lambda pair: sum((x - y) ** 2 for x, y in zip(positions[pair[0]], positions[pair[1]])))
    bond = stretched_bond(
        StretchedBondInput(symbols=symbols, positions=positions, fixed_atom=i, moved_atom=j, distances=scan["distances"])
    )
    curves = {}
    for distance, points in zip(scan["distances"], bond.structures):
        print(f" {distance:.3f} angstrom", flush=True)
        for level in GIVEN["levels"]:
            found = mean_field_energy(MeanFieldEnergyInput(**at(level, symbols, points, species)))
            curves.setdefault((level["method"], level["basis"]), []).append(found.energy)
        for level in GIVEN["references"] if GIVEN["treatments"] else ():
            for name, energy in correlated(level, symbols, points, species, {}).items():
                curves.setdefault((name, level["basis"]), []).append(energy)
    axis = {"name": "distance", "values": scan["distances"], "unit": "angstrom"}
    for (method, basis), energies in curves.items():
        name = GIVEN["names"].get(method.lower(), method)
        note("energy", energies, "hartree", [axis], molecule=species["name"], method=name, basis=basis)
        lowest = min(range(len(energies)), key=energies.__getitem__)
        if scan["relative"]:
            above = [one - min(energies) for one in energies]
            note("relative_energy", above, "hartree", [axis], molecule=species["name"], method=name, basis=basis)
        if 0 < lowest < len(energies) - 1:
            (x0, x1, x2), (y0, y1, y2) = scan["distances"][lowest - 1 : lowest + 2], energies[lowest - 1 : lowest + 2]
            slope, bend = (y1 - y0) / (x1 - x0), ((y2 - y1) / (x2 - x1) - (y1 - y0) / (x1 - x0)) / (x2 - x0)
            note("equilibrium_distance", (x0 + x1) / 2 - slope / (2 * bend), "angstrom", molecule=species["name"],
                 method=name, basis=basis)
        note("scan_minimum", scan["distances"][lowest], "angstrom", molecule=species["name"], method=name, basis=basis)
    fields = {basis: energies for (method, basis), energies in curves.items() if method.upper() == "HF"}
    recovered = {}
    for (method, basis), energies in curves.items():
        if method in GIVEN["treatments"] and basis in fields:
            recovered[f"{method}/{basis}"] = [one - two for one, two in zip(energies, fields[basis])]
            note("correlation_energy", recovered[f"{method}/{basis}"], "hartree", [axis], molecule=species["name"],
                 method=GIVEN["names"].get(method.lower(), method), basis=basis)
    plot_lines(
        PlotLinesInput(
            path=f"img/{GIVEN['slug']}_scan.png", title=f"{species['name']}: energy along the bond {'-'.join(scan['elements'])}",
            panels=[{
                "title": "", "x_label": "distance (angstrom)", "y_label": "energy above the lowest point (hartree)" if scan["relative"] else "energy (hartree)",
                "y_log": False,
                "series": [
                    {
                        "label": f"{method}/{basis}", "x": scan["distances"], "style": "line",
                        "y": [one - min(energies) for one in energies] if scan["relative"] else energies,
                    }
                    for (method, basis), energies in curves.items()
                ],
            }, *([{
                "title": "", "x_label": "distance (angstrom)", "y_label": "correlation energy (hartree)", "y_log": False,
                "series": [{"label": name, "x": scan["distances"], "y": y} for name, y in recovered.items()],
            }] if recovered else [])],
        )
    )
    save(GIVEN["path"], GIVEN["parameters"])


main()
'''

TRIAL = '''
def main():
    """Every structure is made or read; the smallest molecule gets one energy at the level of the task."""
    sizes = {}
    for species in GIVEN["all"]:
        symbols, positions, origin = structure(species)
        sizes[species["name"]] = (len(symbols), symbols, positions, species)
        print(f"{species['name']}: {len(symbols)} atoms from {origin}", flush=True)
    _, symbols, positions, species = min(sizes.values(), key=lambda one: one[0])
    found = mean_field_energy(MeanFieldEnergyInput(**at(GIVEN["levels"][0], symbols, positions, species)))
    note("energy", found.energy, "hartree", molecule=species["name"], structure="start")
    save(GIVEN["path"], {})


main()
'''

COMBINE = '''
def at_temperature(value, k):
    """The k-th of several values, or the only one."""
    return value[k] if isinstance(value, list) else value


def known(level):
    """Quantity and molecule -> value, of the molecules' results at a level."""
    method = GIVEN["names"].get(level["method"].lower(), level["method"])
    wanted = {"method": method, "basis": level["basis"], **medium(level)}
    found = {}
    for one in json.loads(Path(GIVEN["path"]).read_text(encoding="utf-8"))["records"]:
        labels = one["labels"]
        if all(labels.get(key) == value for key, value in wanted.items()) and "state" not in labels:
            found.setdefault((one["quantity"], labels.get("molecule")), one["value"])
    return found


def energies_of(treatment, level, values):
    """Correlated energies in place of those of the level."""
    labels = {"method": GIVEN["names"][treatment.lower()], "basis": level["basis"], **medium(level)}
    found = dict(values)
    for one in json.loads(Path(GIVEN["path"]).read_text(encoding="utf-8"))["records"]:
        if one["quantity"] == "energy" and all(one["labels"].get(key) == value for key, value in labels.items()):
            found["energy", one["labels"].get("molecule")] = one["value"]
    return found


def main():
    """What follows from the molecules together."""
    several = len(GIVEN["levels"]) > 1
    first, by_name, everything = {}, {}, {}
    quantities = ["energy", "enthalpy", "gibbs"] if GIVEN["thermochemistry"] else ["energy"]
    for level in GIVEN["levels"]:
        values = known(level)
        first = first or values
        how = {"method": GIVEN["names"].get(level["method"].lower(), level["method"]), "basis": level["basis"]}
        how = {**how, **medium(level)} if several else {}
$PROTONS        reactions = {}
$REACTIONS        by_name = by_name or reactions
    values, reactions = first, everything
$LADDER$ACIDS$BARS
    save(GIVEN["path"], GIVEN["parameters"])


main()
'''

PROTONS = """        for name in GIVEN["bare_protons"]:
            proton = [
                ideal_gas_thermochemistry(
                    IdealGasThermochemistryInput(
                        energy=0.0, masses=[1.00728], positions=[[0.0, 0.0, 0.0]], frequencies=[], multiplicity=1,
                        symmetry_number=1, temperature=temperature, pressure=GIVEN["pressure"],
                    )
                )
                for temperature in GIVEN["temperatures"]
            ]
            values["energy", name] = 0.0
            values["enthalpy", name] = along([one.enthalpy for one in proton])
            values["gibbs", name] = along([one.gibbs for one in proton])
"""

REACTIONS = """        for reaction in GIVEN["reactions"]:
            rows = []
            for k in range(len(GIVEN["temperatures"])):
                species = [
                    {
                        "formula": term["formula"], "charge": term["charge"], "coefficient": term["coefficient"],
                        "values": {q: at_temperature(values[q, term["species"]], k) for q in quantities},
                    }
                    for term in reaction["terms"]
                ]
                rows.append(reaction_thermochemistry(ReactionThermochemistryInput(species=species)).kcal_per_mol)
            tag = f", {how['method']}/{how['basis']}{', ' + how['solvent'] if 'solvent' in how else ''}" if several else ""
            everything[reaction["name"] + tag] = rows
            reactions[reaction["name"]] = rows
            shown = {q: [one[q] * GIVEN["unit_per_kcal"] for one in rows] for q in quantities}
            for quantity in quantities:
                value = along(shown[quantity]) if quantity != "energy" else shown[quantity][0]
                axes = warm() if quantity != "energy" else []
                note(f"reaction_{quantity}", value, GIVEN["unit"], axes, reaction=reaction["name"], **how)
            if GIVEN["thermochemistry"]:
                zero = sum(
                    t["coefficient"] * (values["energy", t["species"]] + values.get(("zero_point_energy", t["species"]), 0.0))
                    for t in reaction["terms"]
                )
                zero *= GIVEN["unit_per_kcal"] * 627.5094740631
                note("reaction_energy_with_zpe", zero, GIVEN["unit"], reaction=reaction["name"], **how)
                joule = 4184.0  # J of a kcal
                entropy = [joule * (one["enthalpy"] - one["gibbs"]) / t for one, t in zip(rows, GIVEN["temperatures"])]
                note("reaction_entropy", along(entropy), "J/(mol K)", warm(), reaction=reaction["name"], **how)
            free = shown.get("gibbs", [])
            for k in range(len(free) - 1):
                if free[k] * free[k + 1] < 0:
                    t = GIVEN["temperatures"]
                    at = t[k] + (t[k + 1] - t[k]) * free[k] / (free[k] - free[k + 1])
                    note("sign_change_temperature", at, "K", reaction=reaction["name"], **how)
            if GIVEN["inverted"]:
                for quantity in quantities[1::-1]:
                    value = along([-one for one in shown[quantity]]) if quantity != "energy" else -shown[quantity][0]
                    axes = warm() if quantity != "energy" else []
                    note(GIVEN["inverted"], value, GIVEN["unit"], axes, reaction=reaction["name"], quantity=quantity, **how)
            if GIVEN["equilibrium"]:
                # k T at the temperature, in kcal/mol; the standard state is the ideal gas at the pressure of the task
                constant = [math.exp(-one["gibbs"] / (0.00198720425864 * t)) for one, t in zip(rows, GIVEN["temperatures"])]
                note("equilibrium_constant", along(constant), "1", warm(), reaction=reaction["name"], **how)
            print(f"{reaction['name']}: {shown} {GIVEN['unit']}", flush=True)
            for treatment in GIVEN["treatments"]:
                better = energies_of(treatment, level, values)
                energy = sum(t["coefficient"] * better["energy", t["species"]] for t in reaction["terms"])
                note("reaction_energy", energy * 627.5094740631 * GIVEN["unit_per_kcal"], GIVEN["unit"],
                     reaction=reaction["name"], method=GIVEN["names"][treatment.lower()], basis=level["basis"])
"""

LADDER = """
    rungs = [reaction for reaction in GIVEN["reactions"] if reaction["ring"]]
    for quantity in quantities[1:]:
        ladder = ring_strain_ladder(
            RingStrainLadderInput(
                ring_sizes=[one["ring"] for one in rungs], reference=GIVEN["strain_reference"],
                reaction_energies=[by_name[one["name"]][0][quantity] for one in rungs],
            )
        )
        axis = {"name": "ring_size", "values": ladder.ring_sizes, "unit": ""}
        note("ring_strain", ladder.strain, "kcal/mol", [axis], quantity=quantity)
        print(f"strain by {quantity}: {dict(zip(ladder.ring_sizes, ladder.strain))}", flush=True)
"""

ACIDS = """
    calibration = [
        {"gibbs_acid": values["gibbs", one["acid"]], "gibbs_base": values["gibbs", one["base"]], "pka": one["pka"]}
        for one in GIVEN["acids"] if one["pka"] is not None
    ]
    for one in GIVEN["acids"]:
        acid, base = values["gibbs", one["acid"]], values["gibbs", one["base"]]
        note("reaction_gibbs", base - acid, "hartree", reaction=f"{one['acid']} deprotonation")
        if one["pka"] is not None:
            continue
        found = acid_dissociation_constant(
            AcidDissociationConstantInput(
                gibbs_acid=acid, gibbs_base=base, temperature=GIVEN["temperature"],
                proton_free_energy=None if calibration else GIVEN["proton_free_energy"], known_acids=calibration,
            )
        )
        note("pka", found.pka, "1", acid=one["acid"])
        if calibration:
            note("proton_free_energy", found.proton_free_energy, "kcal/mol")
            note("proton_spread", found.proton_spread, "kcal/mol")
            names = [other["acid"] for other in GIVEN["acids"] if other["pka"] is not None]
            for name, value in zip(names, found.proton_of_each):
                note("proton_of_acid", value, "kcal/mol", acid=name)
        print(f"pKa of {one['acid']}: {found.pka:.2f}, proton {found.proton_free_energy:.2f} kcal/mol", flush=True)
"""

BARS = """
    drawn = [q for q in GIVEN["drawn"] if q in quantities] or quantities[-2:]
    plot_bars(
        PlotBarsInput(
            path="img/reactions.png", title="Energies of reaction",
            panels=[
                {
                    "title": name, "x_label": "quantity", "y_label": GIVEN["unit"],
                    "labels": [q + (f", {t:g} K" if len(rows) > 1 else "") for t in GIVEN["temperatures"] for q in drawn],
                    "values": [one[q] * GIVEN["unit_per_kcal"] for one in rows for q in drawn],
                }
                for name, rows in reactions.items()
            ] if len(reactions) == 1 else [
                {
                    "title": quantity + (f", {t:g} K" if len(GIVEN["temperatures"]) > 1 else ""),
                    "x_label": "reaction", "y_label": GIVEN["unit"], "labels": list(reactions),
                    "values": [rows[k][quantity] * GIVEN["unit_per_kcal"] for rows in reactions.values()],
                }
                for quantity in drawn for k, t in enumerate(GIVEN["temperatures"])
            ],
        )
    )
"""

CURVES = """
    drawn = [q for q in GIVEN["drawn"] if q in quantities[1:]] or quantities[1:]
    panels = [
        {
            "title": "", "x_label": "temperature (K)", "y_label": f"{quantity} of reaction ({GIVEN['unit']})",
            "series": [
                {
                    "label": name if len(reactions) > 1 else "", "x": GIVEN["temperatures"],
                    "y": [one[quantity] * GIVEN["unit_per_kcal"] for one in rows],
                }
                for name, rows in reactions.items()
            ],
        }
        for quantity in drawn
    ]
    constants = [one for one in RECORDS if one["quantity"] == "equilibrium_constant"]
    if constants:
        panels.append({
            "title": "", "x_label": "temperature (K)", "y_label": "equilibrium constant", "y_log": True,
            "series": [
                {"label": one["labels"]["reaction"], "x": GIVEN["temperatures"], "y": one["value"]} for one in constants
            ],
        })
    plot_lines(PlotLinesInput(path="img/reactions.png", title="Energies of reaction", panels=panels))
"""

OVERVIEW = '''
def main():
    """The wanted quantities of all molecules and levels as figures: bars, or curves where they run over temperatures."""
    records = json.loads(Path(GIVEN["path"]).read_text(encoding="utf-8"))["records"]
    bars, curves, sticks = {}, {}, {}
    waves = {json.dumps(one["labels"], sort_keys=True): one["value"] for one in records if one["quantity"] == "wavelength"}
    for one in records:
        mark = json.dumps(one["labels"], sort_keys=True)
        if one["quantity"] == "oscillator_strength" and "oscillator_strength" in GIVEN["drawn"] and mark in waves:
            name = ", ".join(str(one["labels"][key]) for key in ("molecule", "functional", "basis"))
            sticks.setdefault(name, []).append((waves[mark], one["value"]))
        if one["quantity"] not in GIVEN["drawn"]:
            continue
        labels = one["labels"]
        parts = [str(labels[key]) for key in GIVEN["telling"] if key in labels]
        parts += [str(labels[key]) for key in ("numbered", "atoms", "state") if key in labels][:1]
        name = ", ".join(parts) or one["quantity"]
        key = (one["quantity"], one["unit"])
        if one["axes"]:
            curves.setdefault(key, {})[name] = (one["axes"][0], one["value"])
        elif isinstance(one["value"], list):
            bars.setdefault(key, {}).update({f"{name} {k}".strip(): value for k, value in enumerate(one["value"], 1)})
        elif isinstance(one["value"], (int, float)):
            bars.setdefault(key, {})[name] = one["value"]
    if bars:
        panels = [
            {"title": "", "x_label": "", "y_label": f"{quantity} ({unit})", "labels": list(rows), "values": list(rows.values())}
            for (quantity, unit), rows in bars.items()
        ]
        plot_bars(PlotBarsInput(path="img/overview.png", title=GIVEN["title"], panels=panels[:9]))
    if curves:
        panels = [
            {
                "title": "", "x_label": "temperature (K)", "y_label": f"{quantity} ({unit})",
                "series": [{"label": name, "x": axis["values"], "y": y} for name, (axis, y) in rows.items()],
            }
            for (quantity, unit), rows in curves.items()
        ]
        plot_lines(PlotLinesInput(path="img/temperatures.png", title=GIVEN["title"], panels=panels[:9]))
    if sticks:
        panels = [{
            "title": "", "x_label": "wavelength (nm)", "y_label": "oscillator strength",
            "series": [
                {"label": name, "x": [x for x, _ in rows], "y": [y for _, y in rows], "style": "points"}
                for name, rows in sticks.items()
            ],
        }]
        plot_lines(PlotLinesInput(path="img/spectrum.png", title=GIVEN["title"], panels=panels))
    print(f"bars of {len(bars)} quantities, curves of {len(curves)}", flush=True)


main()
'''

MINIMUM_OF_NOTHING = '''
def minimum(level, symbols, positions, species):
    """The structure as it is given: the task optimises nothing."""
    return positions, None, 0

'''

QUBITS = '''
def on_qubits(level, symbols, positions, species, labels):
    """Active spaces as Pauli words, for the script that expands them: CUDA-Q gets a process of its own."""
    made = []
    for space in GIVEN["qse"]:
        size = {"n_electrons": space["electrons"], "n_orbitals": space["orbitals"]}
        mapped = active_space_qubit_hamiltonian(
            ActiveSpaceQubitHamiltonianInput(**at(level, symbols, positions, species, method="HF"), **size)
        )
        made.append({"space": space, "basis": level["basis"], **mapped.model_dump()})
        print(f"  ({space['electrons']},{space['orbitals']}) on {mapped.n_qubits} qubits: {len(mapped.words)} words", flush=True)
    Path("work").mkdir(exist_ok=True)
    Path(f"work/{GIVEN['slug']}_{level['basis']}.json").write_text(json.dumps(made), encoding="utf-8")

'''

QSE = '''
def main():
    """Quantum subspace expansion in each active space."""
    for basis in GIVEN["bases"]:
        for mapped in json.loads(Path(f"work/{GIVEN['slug']}_{basis}.json").read_text(encoding="utf-8")):
            space = mapped["space"]
            found = quantum_subspace_expansion(
                QuantumSubspaceExpansionInput(
                    words=mapped["words"], coefficients=mapped["coefficients"], filled=mapped["filled"],
                    n_roots=space["roots"],
                )
            )
            how = {
                "molecule": GIVEN["molecule"], "method": GIVEN["names"].get("qse", "qse"), "basis": basis,
                "active_space": f"{space['electrons']},{space['orbitals']}",
            }
            axis = {"name": "root", "values": list(range(len(found.energies))), "unit": ""}
            note("qse_energies", found.energies, "hartree", [axis], **how)
            note("qse_dimension", found.dimension, "1", **how)
            if len(found.energies) > 1:
                note("excitation_energy", found.excitation_energies[1], "eV", state="first", **how)
            print(f"QSE({how['active_space']}), {mapped['n_qubits']} qubits, {found.dimension} determinants: "
                  f"{[round(e, 3) for e in found.excitation_energies]} eV", flush=True)
    save(GIVEN["path"], GIVEN["parameters"])


main()
'''
