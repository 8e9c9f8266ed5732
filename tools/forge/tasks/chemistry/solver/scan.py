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
        if found := minimum(scan["distances"], energies):
            task.note("equilibrium_distance", found[0], "angstrom", how, error=found[2])
        else:
            print(f" {method}: the energy is lowest at the end of the grid, which holds no minimum", flush=True)
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


def minimum(x: Any, y: Any) -> tuple[float, ...] | None:
    """(place, depth, error of the place, of the depth) of a minimum inside a grid; None where an end is lowest.

    Polynomials through the lowest point and its neighbours, seven at the most. The error is the larger difference from
    the next two lower orders; of a parabola, which has none, half the distance of its outer points.
    """
    lowest, order = float(min(y)), np.argsort(x)
    x, y = np.take(x, order), np.take(y, order) - lowest
    low = int(np.argmin(y))
    if not 0 < low < len(x) - 1:
        return None
    found: list[tuple[float, float]] = []
    for count in range(3, min(7, len(x)) + 1):
        first = min(max(0, low - count // 2), len(x) - count)
        fit = np.polynomial.Polynomial.fit(x[first : first + count], y[first : first + count], count - 1)
        places = [
            one.real for one in fit.deriv().roots() if abs(one.imag) < 1e-9 and x[low - 1] < one.real < x[low + 1]
        ]
        places = [one for one in places if fit.deriv(2)(one) > 0]
        if not places:
            break
        place = min(places, key=lambda one: abs(one - x[low]))
        found.append((float(place), float(fit(place))))
    place, depth = found[-1]
    lower = found[-3:-1] or [(place + (x[low + 1] - x[low - 1]) / 2, min(y[low - 1], y[low + 1]))]
    return place, depth + lowest, *(float(max(abs(found[-1][k] - one[k]) for one in lower)) for k in (0, 1))


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
