"""Excited states, active spaces, orbitals."""

from __future__ import annotations

from typing import Any

import numpy as np

from .task import Molecule, Plain

NM_EV = 1239.84198


def excited(molecule: Molecule, level: Plain) -> None:
    """Singlets and triplets by TD-DFT."""
    task = molecule.task
    found = task.tools.excited_states_tddft(**molecule.at(level), **task.given["excited"])
    how = {"molecule": molecule.species["name"], "method": task.name("tddft")}
    how |= {"functional": level["method"], "basis": level["basis"]}
    for kind, energies in (("singlet", found.singlet_energies), ("triplet", found.triplet_energies)):
        waves = [NM_EV / one if one > 0 else None for one in energies]
        for number, (energy, wave) in enumerate(zip(energies, waves, strict=True), 1):
            state: dict[str, Any] = {"state": f"{kind[0].upper()}{number}", "multiplicity": kind}
            task.note("excitation_energy", energy, "eV", how, **state)
            if wave is not None:
                task.note("wavelength", wave, "nm", how, **state)
        if energies:
            axis = {"state": list(range(1, len(energies) + 1))}
            task.note("excitation_energies", energies, "eV", how, axis, multiplicity=kind)
            task.note("wavelengths", waves, "nm", how, axis, multiplicity=kind)
            if kind == "singlet" and found.oscillator_strengths:
                task.note("oscillator_strengths", found.oscillator_strengths, "1", how, axis, multiplicity=kind)
    homo = found.n_occupied - 1
    bright = zip(found.oscillator_strengths, found.singlet_transitions, strict=False)
    for number, (strength, part) in enumerate(bright, 1):
        task.note("oscillator_strength", strength, "1", how, state=f"S{number}")
        low, high = part.from_orbital - homo, part.to_orbital - homo - 1
        word = f"HOMO{low or ''} -> LUMO{f'+{high}' if high else ''} ({part.weight:.0%})"
        task.note("transition", word, "", how, state=f"S{number}")
    if found.oscillator_strengths:
        task.note("brightest_state", f"S{int(np.argmax(found.oscillator_strengths)) + 1}", "", how)
    if found.singlet_energies and found.triplet_energies:
        task.note("singlet_triplet_gap", found.singlet_energies[0] - found.triplet_energies[0], "eV", how)


def spaces(molecule: Molecule, level: Plain) -> None:
    """Lowest states in each active space, on Hartree-Fock orbitals."""
    task = molecule.task
    for space in task.given["active_spaces"]:
        size = {"n_electrons": space["electrons"], "n_orbitals": space["orbitals"], "n_roots": space["roots"]}
        found = task.tools.casci_states(**molecule.at(level, method="HF"), **size)
        how = {
            "molecule": molecule.species["name"], "method": task.name("casci"), "basis": level["basis"],
            "active_space": f"{space['electrons']},{space['orbitals']}",
        }  # fmt: skip
        axis = {"root": list(range(len(found.energies)))}
        task.note("casci_energies", found.energies, "hartree", how, axis)
        task.note("casci_spin_square", found.spin_square, "1", how, axis)
        orbitals = {"orbital": list(range(len(found.natural_occupations)))}
        task.note("natural_occupations", found.natural_occupations, "1", how, orbitals)
        task.note("energy", found.energies[0], "hartree", how)
        if len(found.energies) > 1:
            task.note("excitation_energy", found.excitation_energies[1], "eV", how, state="first")
            pairs = zip(found.excitation_energies, found.spin_square, strict=True)
            singlets = [energy for energy, spin in pairs if energy > 1e-6 and spin < 0.5]
            if singlets:
                task.note("excitation_energy", singlets[0], "eV", how, state="S1")


def orbital_figure(molecule: Molecule, level: Plain, field: Any) -> None:
    """Frontier orbitals in two planes through the molecule."""
    points = np.array(molecule.positions)
    centre = points.mean(axis=0)
    axes = np.linalg.svd(points - centre, full_matrices=True)[2]
    homo = field.n_alpha - 1
    numbers = [n for n in range(homo - 1, homo + 3) if 0 <= n < field.n_basis]
    names = {homo - 1: "HOMO-1", homo: "HOMO", homo + 1: "LUMO", homo + 2: "LUMO+1"}
    plane = {"centre": centre.tolist(), "across": axes[0].tolist()}
    planes = [{**plane, "label": label, "up": axes[k].tolist()} for label, k in (("xz", 2), ("xy", 1))]
    title = f"{molecule.species['name']}, {level['method']}/{level['basis']}"
    width = float(np.abs((points - centre) @ axes.T).max()) + 1.8
    molecule.task.tools.plot_orbital_contours(
        path=f"img/{molecule.task.given['slug']}_orbitals.png", title=title, orbitals=numbers,
        labels=[names[n] for n in numbers], planes=planes, half_width=width, n_points=81, **molecule.at(level),
    )  # fmt: skip
