"""The report of a chemistry task: what was done with which conventions, and tables of what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from labwright.tools.forge.tasks.chemistry.judging import PER_HARTREE
from labwright.tools.forge.tasks.chemistry.scripts import slug
from labwright.tools.forge.tasks.chemistry.spec import ChemistrySpec, Species
from labwright.tools.forge.tasks.results import Record, Results

EV = 27.211386245988


def report(spec: ChemistrySpec, results: Results, figures: Sequence[str]) -> str:
    """Markdown body."""
    parts = ["## Conventions", "\n".join(f"- {line}" for line in conventions(spec)), "## Results"]
    parts += _together(spec, results)
    if spec.scan:
        parts += _scan(results)
    else:
        for one in spec.species:
            if results.find("energy", molecule=one.name):
                parts += [f"### {one.name}", *_molecule(spec, one, results, figures)]
    own = {path for one in spec.species for path in _own(one)}
    parts += [f"![{path}]({path})" for path in figures if path not in own]
    return "\n\n".join(part for part in parts if part)


def conventions(spec: ChemistrySpec) -> list[str]:
    """What was chosen, and what it means."""
    lines = [
        f"Level of theory: {', '.join(one.title for one in spec.levels)} (PySCF); `grids.level` "
        f"{spec.levels[0].grid_level}."
    ]
    if any(one.method.upper() == "B3LYP" for one in spec.levels):
        lines.append(
            "B3LYP is PySCF's, with VWN-RPA correlation as in Gaussian; other programs' VWN5 differs by millihartrees."
        )
    if spec.structure_level:
        lines.append(f"Structures are those of {spec.structure_level.title}.")
    if spec.fitted_structures:
        lines.append(
            "Optimisation and Hessian use density fitting (errors of about 1e-4 angstrom and 1 1/cm); energies and all "
            "properties are from a conventional calculation at that structure."
        )
    if spec.levels[0].solvent_model != "none":
        one = spec.levels[0]
        lines.append(
            f"Solvent: {one.solvent_model}, permittivity {one.dielectric}. Structures and Hessians use a cavity of "
            "Lebedev order 11 (50 points a sphere), final energies one of order 29 (302 points)."
        )
    if spec.optimise:
        lines.append("Geometries: geomeTRIC, its GAU criteria (largest gradient 4.5e-4 hartree/bohr).")
    if spec.frequencies:
        lines.append(
            "Vibrations: analytic Hessian, translations and rotations projected out, average isotopic masses, unscaled."
        )
    if spec.thermochemistry:
        lines.append(
            f"Thermochemistry: ideal gas, rigid rotor, harmonic oscillators at {', '.join(f'{one:g}' for one in spec.at)} K and "
            f"{spec.pressure:g} Pa; symmetry numbers of the point groups (tolerance 0.05 angstrom)."
        )
    if any(one.smiles for one in spec.species):
        lines.append(
            f"Structures from SMILES start from the lowest of 10 force-field conformers, seed {spec.seed}: no "
            f"search of all conformers."
        )
    if spec.acids and spec.proton_free_energy is not None:
        lines.append(f"Free energy of the proton in water: {spec.proton_free_energy} kcal/mol.")
    if spec.qse:
        lines.append(
            "QSE: determinant and its single and double excitations on qubits (Jordan-Wigner), exact "
            "expectation values "
            "on CUDA-Q's state-vector simulator; without shot noise it is configuration interaction in that space."
        )
    if spec.active_spaces:
        lines.append(
            "CASCI on Hartree-Fock orbitals around the gap; `first` is the lowest root above the ground state "
            "of any spin."
        )
    return lines


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(map(_shown, row))} |" for row in rows]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    return f"{value:.8f}" if isinstance(value, float) and abs(value) < 1e6 else str(value)


def _value(records: Sequence[Record]) -> Any:
    return records[0].value if records else "-"


def _float(records: Sequence[Record]) -> float:
    return float(records[0].value) if records else float("nan")  # type: ignore[arg-type]


def _list(record: Record) -> list[float]:
    return [float(one) for one in record.value] if isinstance(record.value, list) else []


def _together(spec: ChemistrySpec, results: Results) -> list[str]:
    parts: list[str] = []
    if spec.reactions:
        parts.append(_reactions(spec, results))
    ladders = results.find("ring_strain")
    if ladders:
        sizes = ladders[0].axes[0].values
        rows = [[int(n), *(round(_list(one)[k], 2) for one in ladders)] for k, n in enumerate(sizes)]
        parts.append(table(["ring size", *(f"strain, {one.labels['quantity']} (kcal/mol)" for one in ladders)], rows))
        parts.append(
            "Each reaction turns one ring into the next smaller one with a methyl group and keeps the number "
            "of C-C and C-H "
            "bonds, so that its energy is the strain gained; summed from the largest ring down and shifted to "
            "the reference."
        )
    if spec.acids:
        parts += _acids(spec, results)
    return parts


def _reactions(spec: ChemistrySpec, results: Results) -> str:
    """Energies of reaction, one row for each reaction and temperature."""
    names = (
        "reaction_energy",
        "reaction_energy_with_zpe",
        "reaction_enthalpy",
        "reaction_gibbs",
        "reaction_entropy",
        "equilibrium_constant",
    )
    kinds = [one for one in (*names, spec.inverted) if one and results.find(one)]
    if not kinds:
        return "There are no energies of reaction."
    units = {one: results.find(one)[0].unit for one in kinds}
    rows = []
    several = len(spec.levels) > 1
    for one in spec.reactions:
        for first in results.find(kinds[0], reaction=one.name):
            how = {key: value for key, value in first.labels.items() if key != "reaction"}
            found = [results.find(kind, reaction=one.name, **how)[:1] for kind in kinds]
            values = [records[0].value if records else "-" for records in found]
            level = (
                ["/".join(str(how[key]) for key in ("method", "basis", "solvent") if key in how)]
                if several or how
                else []
            )
            for k, temperature in enumerate(spec.at):
                at = [value[k] if isinstance(value, list) else value for value in values]
                warm = [f"{temperature:g}"] if spec.thermochemistry else []
                rows.append([one.name, *level, *warm, *(f"{v:.6g}" if isinstance(v, float) else v for v in at)])
    labelled = several or any(len(row) > len(kinds) + 1 + bool(spec.thermochemistry) for row in rows)
    rows = [row if len(row) == max(map(len, rows)) else [row[0], "", *row[1:]] for row in rows]
    heads = [
        one.removeprefix("reaction_").replace("_", " ") + (f" ({units[one]})" if units[one] != "1" else "")
        for one in kinds
    ]
    turns = [
        f"{one.labels['reaction']}: the free energy changes its sign at {one.value:.1f} K (between its neighbours on a line)."
        for one in results.find("sign_change_temperature")
    ]
    return "\n\n".join([*turns, ""]) + table(
        ["reaction", *(["level"] if labelled else []), *(["T (K)"] if spec.thermochemistry else []), *heads], rows
    )


def _acids(spec: ChemistrySpec, results: Results) -> list[str]:
    rows = []
    for one in spec.acids:
        difference = _float(results.find("reaction_gibbs", reaction=f"{one.acid} deprotonation"))
        found = results.find("pka", acid=one.acid)
        rows.append(
            [
                one.acid,
                f"{difference:.6f}",
                f"{one.pka} (known)" if one.pka is not None else f"{_float(found):.2f}",
            ]
        )
    parts = [table(["acid", "G(A-) - G(HA) (hartree)", "pKa"], rows)]
    if proton := results.find("proton_free_energy"):
        spread = _float(results.find("proton_spread"))
        parts.append(
            f"Calibrated free energy of the solvated proton: {_float(proton):.2f} kcal/mol, standard "
            f"deviation over "
            f"the known acids {spread:.2f} kcal/mol, which is {spread / 1.3643:.1f} units of pKa."
        )
    else:
        parts.append(
            "An absolute pKa inherits every error of solvation energies: 1.36 kcal/mol is one unit. Small "
            "basis sets and "
            "continuum models miss tens of kcal/mol for anions; a calibration on known acids takes most of that away."
        )
    return parts


def _own(species: Species) -> list[str]:
    return [f"img/{slug(species.name)}.png", f"img/{slug(species.name)}_orbitals.png"]


def _molecule(spec: ChemistrySpec, species: Species, results: Results, figures: Sequence[str]) -> list[str]:
    rows: list[list[Any]] = []
    for level in spec.levels:
        labels: dict[str, Any] = {
            "molecule": species.name,
            "basis": level.basis,
            "method": spec.spelt(_plain(level.method)),
        }
        for quantity in (
            "energy", "enthalpy", "gibbs", "point_group", "dipole", "homo_lumo_gap", "spin_square", "contact_density",
            "contact_spin_density", "hyperfine_splitting", "zero_point_energy", "entropy", "heat_capacity",
            "solvation_energy",
        ):  # fmt: skip
            for one in results.find(quantity, **labels):
                if one.axes:
                    rows += _at_temperatures(level.title, one)
                    continue
                extra = f" ({one.labels['source']})" if "source" in one.labels else ""
                rows.append([level.title, quantity.replace("_", " ") + extra, one.value, one.unit])
                rows += _in_other_units(level.title, one)
        for one in results.find("frequencies", **labels):
            values = one.value if isinstance(one.value, list) else []
            rows.append(
                [
                    level.title,
                    "lowest wavenumbers (at most nine)",
                    ", ".join(f"{value:.1f}" for value in values[:9]) or "none",
                    one.unit,
                ]
            )
        rows += _structure(level.title, results, labels)
    parts = [table(["level", "quantity", "value", "unit"], rows)]
    for one in results.find("energy", molecule=species.name):
        if str(one.labels.get("method")).upper() in ("MP2", "CCSD", "CCSD(T)", "FCI"):
            parts.append(f"{one.labels['method']}/{one.labels['basis']}: {one.value} hartree.")
    parts += _states(species, results)
    if {"orbital_energies", "homo_lumo_gap"} & set(spec.wanted):
        parts.append(_orbitals(species, results))
    if {"coordinates", "mulliken_charges"} & set(spec.wanted):
        parts.append(_atoms(species, results))
    return parts + [f"![{path}]({path})" for path in figures if path in _own(species)]


def _at_temperatures(title: str, record: Record) -> list[list[Any]]:
    name = record.quantity.replace("_", " ")
    pairs = zip(record.axes[0].values, _list(record), strict=True)
    return [[title, f"{name} at {temperature:g} K", value, record.unit] for temperature, value in pairs]


def _structure(title: str, results: Results, labels: dict[str, Any]) -> list[list[Any]]:
    """Rows of bond lengths, angles, dihedrals and rotational constants."""
    rows: list[list[Any]] = []
    for quantity in ("bond_length", "bond_angle", "dihedral_angle"):
        for one in results.find(quantity, **labels):
            which = one.labels.get("numbered", one.labels["atoms"])
            rows.append([title, f"{quantity.replace('_', ' ')} {which}", f"{_float([one]):.4f}", one.unit])
    for one in results.find("rotational_constants", **labels):
        rows.append([title, "rotational constants", ", ".join(f"{value:.4f}" for value in _list(one)), one.unit])
    return rows


def _in_other_units(title: str, one: Record) -> list[list[Any]]:
    """Gaps in eV and zero-point energies in kcal/mol and kJ/mol beside the atomic units."""
    units = {"homo_lumo_gap": ("eV",), "zero_point_energy": ("kcal/mol", "kJ/mol")}.get(one.quantity, ())
    if one.unit != "hartree" or not isinstance(one.value, int | float):
        return []
    name = one.quantity.replace("_", " ")
    return [[title, name, f"{one.value * PER_HARTREE[unit]:.4f}", unit] for unit in units]


def _plain(method: str) -> str:
    return "hf" if method.upper() == "HF" else method


def _states(species: Species, results: Results) -> list[str]:
    rows = []
    for one in results.find("excitation_energy", molecule=species.name):
        state = one.labels["state"]
        how = ", ".join(
            str(one.labels[key]) for key in ("method", "functional", "active_space", "basis") if key in one.labels
        )
        f = (
            results.find("oscillator_strength", molecule=species.name, state=state)
            if one.labels.get("functional")
            else []
        )
        part = results.find("transition", molecule=species.name, state=state) if one.labels.get("functional") else []
        energy = float(one.value)  # type: ignore[arg-type]
        rows.append(
            [how, state, f"{energy:.4f}", f"{1239.84198 / energy:.1f}" if energy > 0 else "-", _value(f), _value(part)]
        )
    gaps = [
        f"E(S1) - E(T1) = {float(one.value):.4f} eV."  # type: ignore[arg-type]
        for one in results.find("singlet_triplet_gap", molecule=species.name)
    ]
    gaps += [
        f"The largest oscillator strength is that of {one.value}."
        for one in results.find("brightest_state", molecule=species.name)
    ]
    return (
        [table(["method", "state", "energy (eV)", "wavelength (nm)", "f", "largest transition"], rows), *gaps]
        if rows
        else []
    )


def _orbitals(species: Species, results: Results) -> str:
    energies, filled = (
        results.find("orbital_energies", molecule=species.name),
        results.find("occupied_orbitals", molecule=species.name),
    )
    if not energies or not isinstance(energies[0].value, list):
        return ""
    count = int(_value(filled))
    levels = [float(one) for one in energies[0].value]
    rows = [
        [
            n,
            "HOMO" if n == count - 1 else "LUMO" if n == count else "",
            "filled" if n < count else "empty",
            f"{levels[n]:.6f}",
            f"{levels[n] * EV:.3f}",
        ]
        for n in range(max(0, count - 8), min(len(levels), count + 8))
    ]
    return "Orbitals near the gap (all are in results.json):\n\n" + table(["orbital", "", "", "hartree", "eV"], rows)


def _atoms(species: Species, results: Results) -> str:
    shape, charges = (
        _value(results.find("coordinates", molecule=species.name)),
        _value(results.find("mulliken_charges", molecule=species.name)),
    )
    if not isinstance(shape, dict) or not isinstance(charges, list):
        return ""
    rows = [
        [symbol, *(f"{x:.6f}" for x in place), f"{charge:+.4f}"]
        for symbol, place, charge in zip(shape["symbols"], shape["positions"], charges, strict=True)
    ]
    return table(["atom", "x (angstrom)", "y", "z", "Mulliken charge (e)"], rows)


def _scan(results: Results) -> list[str]:
    curves = [one for one in results.find("energy") if one.axes]
    if not curves:
        return []
    head = ["distance (angstrom)", *(f"{one.labels['method']}/{one.labels['basis']} (hartree)" for one in curves)]
    rows = [
        [f"{distance:.3f}", *(f"{_list(one)[k]:.6f}" for one in curves)]
        for k, distance in enumerate(curves[0].axes[0].values)
    ]
    lowest = [
        f"Lowest energy of {one.labels['method']} at {one.value} angstrom (a point of the grid)."
        for one in results.find("scan_minimum")
    ]
    lowest += [
        f"A parabola through it and its neighbours has its minimum at {float(one.value):.4f} angstrom."  # type: ignore[arg-type]
        for one in results.find("equilibrium_distance")
    ]
    return [table(head, rows), *lowest]
