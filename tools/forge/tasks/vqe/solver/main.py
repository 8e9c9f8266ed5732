"""VQE, exact and Hartree-Fock energies at all geometries, with what derives from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from labwright.results import parameter, record

from .energies import Given, exact, variational

DISTANCE, ENERGY = "distance (angstrom)", "energy (hartree)"


def is_scan(scan: Given) -> bool:
    """Whether a distance takes several values."""
    return scan["distances"][0] is not None and len(scan["distances"]) > 1


def keep(scan: Given, labels: Given, quantity: str, values: Any, unit: str = "hartree") -> None:
    """Record a quantity of a molecule: along its distances, or at its one geometry."""
    inner = {"parameter": list(range(np.shape(values)[1]))} if np.ndim(values) == 2 else {}
    axes = {"distance": (scan["distances"], "angstrom"), **inner} if is_scan(scan) else inner
    record(quantity, values if is_scan(scan) else values[0], unit=unit, axes=axes, labels=labels)


def keep_energies(scan: Given, labels: Given, energies: Any, field: Any) -> None:
    """Record the energies of one method; of a scan the lowest, and how far below the largest distance it lies."""
    keep(scan, labels, "energy", energies)
    if labels["method"] != "hf":
        keep(scan, labels, "correlation_energy", energies - field)
    if is_scan(scan):
        distances, low = scan["distances"], int(np.argmin(energies))
        record("lowest_distance", distances[low], unit="angstrom", labels=labels)
        record("lowest_energy", energies[low], unit="hartree", labels=labels)
        record("well_depth", energies[np.argmax(distances)] - energies[low], unit="hartree", labels=labels)


def keep_equilibrium(scan: Given, labels: Given, energies: Any) -> None:
    """Record the minimum of a scan between its points, where it has one, with its numerical error."""
    if is_scan(scan) and (found := minimum(scan["distances"], energies)):
        for k, (quantity, unit) in enumerate((("equilibrium_distance", "angstrom"), ("minimum_energy", "hartree"))):
            record(quantity, found[k], unit=unit, labels=labels, uncertainty=found[k + 2])


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


def along(given: Given, tools: Any, scan: Given, ansatz: str) -> tuple[list[Any], Any]:
    """(results of a circuit, exact energies) at all geometries."""
    found: list[Any] = []
    sure: list[float] = []
    start: list[float] = []
    # neighbouring geometries have similar parameters, if the circuit has the same ones
    again = len(scan["distances"]) > 1 and ansatz != "hardware_efficient"
    for at, distance in enumerate(scan["distances"]):
        try:
            made = variational(given, tools, scan, at, ansatz, start)
        except ValueError:  # the circuit has other parameters here: those with a vanishing MP2 amplitude are left out
            start, made = [], variational(given, tools, scan, at, ansatz)
        sure.append(exact(given, tools, scan, at, made))
        if start and made.energy - sure[-1] > 1e-4:
            made = min(made, variational(given, tools, scan, at, ansatz), key=lambda one: float(one.energy))
        start = made.parameters if again else []
        found.append(made)
        print(f"{scan['molecule']} {distance} {ansatz}: VQE {made.energy:.8f}, exact {sure[-1]:.8f}")
    return found, np.array(sure)


def computed(given: Given, tools: Any, scan: Given) -> dict[str, Any]:
    """What is recorded of a molecule; its energies by circuit, ``fci`` and ``hf``."""
    curves: dict[str, Any] = {}
    for ansatz in given["circuits"]:
        found, sure = along(given, tools, scan, ansatz)
        energies, field = np.array([(one.energy, one.hartree_fock) for one in found]).T
        labels = {"molecule": scan["molecule"]} | ({"ansatz": ansatz} if len(given["circuits"]) > 1 else {})
        record("qubits", found[-1].n_qubits, labels=labels)
        record("pauli_terms", found[-1].n_terms, labels=labels)
        record("circuit_parameters", max(len(one.parameters) for one in found), labels=labels)
        keep_energies(scan, {**labels, "method": "vqe"}, energies, field)
        keep(scan, labels, "vqe_error", energies - sure)
        keep(scan, labels, "energy_variance", [one.variance for one in found], "hartree^2")
        angles = [dict(zip(one.names, one.parameters, strict=True)) for one in found]
        every = list(dict.fromkeys(name for one in angles for name in one))
        keep(scan, labels, "optimal_parameters", [[one.get(name, 0.0) for name in every] for one in angles], "")
        parameter(**{f"parameters of {', '.join(labels.values())}": every})
        keep_equilibrium(scan, labels, energies)
        curves |= {ansatz: energies, "fci": sure, "hf": field}
    for method in ("fci", "hf"):
        keep_energies(scan, {"molecule": scan["molecule"], "method": method}, curves[method], curves["hf"])
    return curves


def panels(scan: Given, circuits: list[str], curves: Given) -> list[dict[str, Any]]:
    """Energies and errors along the distances, or the energies of one geometry side by side."""
    name = scan["molecule"]

    def line(label: str, y: Any, style: str = "points", x: Any = scan["distances"]) -> dict[str, Any]:
        return {"label": label, "x": list(x), "y": list(y), "style": style}

    if not is_scan(scan):
        heights = [curves[one][0] for one in ("hf", *circuits, "fci")]
        told = f"method (0 HF, then {', '.join(circuits)}, last exact)"
        series = [line(name, heights, x=range(len(heights)))]
        return [{"title": name, "x_label": told, "y_label": ENERGY, "series": series}]
    several = len(circuits) > 1
    energies = [
        line("exact (FCI)", curves["fci"], "line"),
        *(line(one if several else "VQE", curves[one]) for one in circuits),
        line("Hartree-Fock", curves["hf"], "dashed"),
    ]
    errors = [line(one if several else "", curves[one] - curves["fci"]) for one in circuits]
    off = f"{name}: VQE minus exact"
    return [
        {"title": name, "x_label": DISTANCE, "y_label": ENERGY, "series": energies},
        {"title": off, "x_label": DISTANCE, "y_label": "error (hartree)", "series": errors},
    ]


def main(given: Given, tools: Any) -> None:
    """Record and draw the energies of all molecules."""
    drawn = [one for scan in given["scans"] for one in panels(scan, given["circuits"], computed(given, tools, scan))]
    tools.plot_lines(path="img/energies.png", title="Variational and exact energies", panels=drawn)
    settings = {name: given[name] for name in ("basis", "mapping", "optimiser", "tolerance", "seed")}
    parameter(**settings, ansatz=given["circuits"][0], others=given["circuits"][1:], simulator="qulacs")
