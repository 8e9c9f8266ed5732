"""Excited states, active spaces, correlation, densities at nuclei, orbitals."""

from __future__ import annotations

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
    for kind, energies in (("singlet", found.singlet_energies), ("triplet", found.triplet_energies)):
        axis = {"name": "state", "values": list(range(1, len(energies) + 1)), "unit": ""}
        if energies:
            note("excitation_energies", energies, "eV", [axis], multiplicity=kind, **how)
            note("wavelengths", [1239.84198 / one if one > 0 else None for one in energies], "nm", [axis], multiplicity=kind, **how)
        if kind == "singlet" and found.oscillator_strengths:
            note("oscillator_strengths", found.oscillator_strengths, "1", [axis], multiplicity=kind, **how)
    if found.oscillator_strengths:
        largest = max(range(len(found.oscillator_strengths)), key=found.oscillator_strengths.__getitem__)
        note("brightest_state", f"S{largest + 1}", "", **how)
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
        note("energy", found.energies[0], "hartree", **how)
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
    for treatment in GIVEN["treated"][level["basis"]]:
        found = correlated_energy(
            CorrelatedEnergyInput(
                **at(level, symbols, positions, species, method="HF"), treatment=treatment, frozen=GIVEN["frozen"]
            )
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
