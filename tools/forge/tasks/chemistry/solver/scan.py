"""Energies along a bond."""

from __future__ import annotations

from typing import Any

import numpy as np

from labwright.results import parameter

from .task import Molecule, Plain, Task

Curves = dict[tuple[str, str], list[float]]


def main(given: Plain, tools: Any) -> None:
    """Record curves, minima and correlation, and draw them."""
    task, scan = Task(given, tools), given["scan"]
    parameter(**given["parameters"])
    molecule = Molecule(task, given["species"])
    curves: Curves = {}
    for distance, points in zip(scan["distances"], stretched(molecule, scan), strict=True):
        print(f" {distance:.3f} angstrom", flush=True)
        molecule.positions = points
        for level in given["levels"]:
            found = molecule.ask(tools.mean_field_energy, level)
            curves.setdefault((level["method"], level["basis"]), []).append(found.energy)
        for level in given["references"]:
            for name, energy in molecule.correlated(level).items():
                curves.setdefault((name, level["basis"]), []).append(energy)
    axis = {"distance": (scan["distances"], "angstrom")}
    above = {how: [one - min(energies) for one in energies] for how, energies in curves.items()}
    recovered = {}
    for (method, basis), energies in curves.items():
        how = {"molecule": given["species"]["name"], "method": task.name(method), "basis": basis}
        task.note("energy", energies, "hartree", how, axis)
        if scan["relative"]:
            task.note("relative_energy", above[method, basis], "hartree", how, axis)
        lowest = int(np.argmin(energies))
        if 0 < lowest < len(energies) - 1:
            fit = np.polyfit(scan["distances"][lowest - 1 : lowest + 2], energies[lowest - 1 : lowest + 2], 2)
            task.note("equilibrium_distance", float(-fit[1] / (2 * fit[0])), "angstrom", how)
        task.note("scan_minimum", scan["distances"][lowest], "angstrom", how)
        field = next((each for (one, of), each in curves.items() if one.upper() == "HF" and of == basis), None)
        if method in given["treated"].get(basis, []) and field:
            recovered[method, basis] = [one - two for one, two in zip(energies, field, strict=True)]
            task.note("correlation_energy", recovered[method, basis], "hartree", how, axis)
    label = "energy above the lowest point (hartree)" if scan["relative"] else "energy (hartree)"
    panels = [panel(scan, above if scan["relative"] else curves, label)]
    panels += [panel(scan, recovered, "correlation energy (hartree)")] if recovered else []
    title = f"{given['species']['name']}: energy along the bond {'-'.join(scan['bond'])}"
    tools.plot_lines(path=f"img/{given['slug']}_scan.png", title=title, panels=panels)


def stretched(molecule: Molecule, scan: Plain) -> list[list[list[float]]]:
    """The structures: the shortest bond of the two elements at every distance."""
    symbols, points = molecule.symbols, np.array(molecule.positions)
    bond, every = list(scan["bond"]), range(len(symbols))
    ends = [(i, j) for i in every for j in every if i != j and [symbols[i], symbols[j]] == bond]
    pairs = [(float(np.linalg.norm(points[i] - points[j])), i, j) for i, j in ends]
    _, i, j = min(pairs)
    given = {"symbols": symbols, "positions": molecule.positions, "fixed_atom": i, "moved_atom": j}
    found: list[list[list[float]]] = molecule.task.tools.stretched_bond(**given, distances=scan["distances"]).structures
    return found


def panel(scan: Plain, curves: Curves, y_label: str) -> dict[str, Any]:
    """One plot of curves against the distance."""
    names = {f"{method}/{basis}": y for (method, basis), y in curves.items()}
    series = [{"label": name, "x": scan["distances"], "y": y, "style": "line"} for name, y in names.items()]
    return {"title": "", "x_label": "distance (angstrom)", "y_label": y_label, "y_log": False, "series": series}
