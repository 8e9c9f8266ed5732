"""Ground states of all sizes along the sweep, what is measured in them, and where the order changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from labwright.results import parameter, record

Given = Mapping[str, Any]
USED = ("sizes", "boundary", "conserve", "layout", "parameter", "formula", "patterns")
MOST_PANELS = 9


def placed(given: Given, n: int) -> list[list[dict[str, Any]]]:
    """Strings of each pattern on n sites."""
    groups = []
    for pattern in given["patterns"]:
        low, high = min(0, *pattern["offsets"]), max(0, *pattern["offsets"])
        counted = range(n) if given["boundary"] == "periodic" else range(-low, n - high)
        shifted = [[(k + o) % n for o in pattern["offsets"]] for k in counted]
        groups.append([{"letters": pattern["letters"], "sites": sites} for sites in shifted])
    return groups


def starts(given: Given, n: int) -> list[list[str]]:
    """Product states, one for each sector of the conserved charge."""
    mixed = ["up" if k % 2 == 0 else "down" for k in range(n)]
    return {
        "sz": [mixed],
        "parity_z": [["up"] * n, ["down"] + ["up"] * (n - 1)],
        "parity_x": [["+x"] * n, ["-x"] + ["+x"] * (n - 1)],
        "none": [["up" if k % 2 == 0 else "+x" for k in range(n)], ["+x"] * n],
    }[given["conserve"]]


def watched(given: Given, n: int) -> list[tuple[dict[str, Any], tuple[str, str, int]]]:
    """(string, (kind, letters, place)) of all observables."""
    made: list[tuple[dict[str, Any], tuple[str, str, int]]] = []
    ring = given["boundary"] == "periodic"
    for one in given["observables"]:
        kind, letters, origin = one["kind"], one["letters"], one["origin"]
        places: Sequence[tuple[int, list[int]]] = ()
        if kind == "site":
            places = [(k, [k]) for k in range(n)]
        if kind == "bond":
            places = [(k, [k, (k + 1) % n]) for k in range(n if ring else n - 1)]
        if kind == "correlator":
            first = n // 2 if origin == "middle" else (0 if ring else n // 4) if origin is None else min(origin, n - 2)
            places = [(r, [first, (first + r) % n]) for r in range(1, (n // 2 if ring else n - 1 - first) + 1)]
        how = {"letters": letters, "weight": one["scale"]}
        made += [({**how, "sites": sites}, (kind, letters, k)) for k, sites in places]
        if kind == "string":
            inner = list(range(1, n - 1, 2))
            made.append(({"letters": "Z" + "X" * len(inner) + "Z", "sites": [0, *inner, n - 1]}, (kind, "", 0)))
    return made


def ground(given: Given, tools: Any, n: int, couplings: Any) -> Any:
    """DMRG along the sweep."""
    return tools.dmrg_ground_states(
        n_sites=n, groups=placed(given, n), couplings=couplings, observables=[one for one, _ in watched(given, n)],
        chi_max=given["bond_dimension"], layout=given["layout"], conserve=given["conserve"], starts=starts(given, n),
        svd_min=1e-6, energy_tolerance=1e-8, with_variance=True,
    )  # fmt: skip


def exact(given: Given, tools: Any, n: int, row: Sequence[float]) -> Any:
    """Lowest energies and expectations by diagonalisation."""
    groups = zip(row, placed(given, n), strict=True)
    strings = [dict(one, weight=c) for c, group in groups for one in group if c != 0]
    how = {"n_states": 2, "dense": n < 8, "observables": [one for one, _ in watched(given, n)]}
    return tools.spin_chain_exact_states(n_sites=n, hamiltonian=strings, **how)


class Kept:
    """What is recorded: along the sweep where there is one, else at its only point."""

    def __init__(self, given: Given) -> None:
        self.given, self.values = given, given["values"]
        self.axes = {given["parameter"]: self.values} if given["parameter"] else {}
        self.order: dict[int, list[float]] = {}
        self.entropies: dict[int, list[float]] = {}
        self.energies: dict[int, list[float]] = {}
        self.panels: list[dict[str, Any]] = []

    def keep(self, quantity: str, column: Any, inner: Given | None = None, unit: str = "", **labels: Any) -> None:
        """Record a quantity of every point, and draw what runs over places or is a mean."""
        value = column if self.axes else column[0]
        record(quantity, value, unit=unit, axes={**self.axes, **(inner or {})}, labels=labels)
        if inner and not self.axes:
            [(name, x)] = inner.items()
            curve = (str(labels.get("axis", "")), x, value)
            self.draw(f"{quantity} N = {labels['N']}", name, quantity, [curve], "points")
        if quantity in ("mean_magnetisation", "mean_bond_correlation") and self.axes:
            along = labels.get("axis") or labels["observable"]
            y_label = f"{quantity.replace('_', ' ')} {along}"
            self.draw(f"N = {labels['N']}", self.given["parameter"], y_label, [("", self.values, value)])

    def draw(self, title: str, x_label: str, y_label: str, curves: Any, style: str = "line") -> None:
        """A panel of (label, x, y)."""
        series = [{"label": one, "x": list(x), "y": np.asarray(y).tolist(), "style": style} for one, x, y in curves]
        self.panels.append({"title": title, "x_label": x_label, "y_label": y_label, "series": series})


def main(given: Given, tools: Any) -> None:
    """Record and draw everything that is asked for."""
    kept = Kept(given)
    for n in given["sizes"]:
        of_size(given, tools, kept, n)
    if len(given["sizes"]) > 1 and not given["parameter"]:
        lengths = {"N": list(kept.energies)}
        record("energy", [one[0] for one in kept.energies.values()], axes=lengths, labels={"method": "dmrg"})
        record("energy_per_site", [one[0] / n for n, one in kept.energies.items()], axes=lengths)
        if kept.entropies:
            entropies = [one[0] for one in kept.entropies.values()]
            record("entropy", entropies, unit="nat", axes=lengths, labels={"cut": "middle"})
    if "critical_point" in given["wanted"] and len(given["values"]) > 4:
        critical(given, kept)
    others, kept.panels = kept.panels, []
    curves: list[Any] = []
    sweep, x = given["parameter"], given["abscissae"] or given["values"]
    if kept.order:
        curves = [(f"N = {n}", x, y) for n, y in kept.order.items()]
        kept.draw("String order", given["abscissa"] or sweep, "string order", curves)
    if kept.entropies and sweep:
        curves = [(f"N = {n}", kept.values, y) for n, y in kept.entropies.items()]
        kept.draw("Entropy of half the chain", sweep, "entropy (nat)", curves)
    if sweep:
        curves = [(f"N = {n}", kept.values, np.array(y) / n) for n, y in kept.energies.items()]
        kept.draw("Energy per site", sweep, "energy per site", curves)
    else:
        points = [[1 / n for n in kept.energies], [y[0] / n for n, y in kept.energies.items()]]
        kept.draw("Energy per site", "1 / N", "energy per site", [("DMRG", *points)], "points")
    panels = [*kept.panels, *others][:MOST_PANELS]
    tools.plot_lines(path="img/ground_states.png", title="Ground states", panels=panels)
    parameter(chi_max=given["bond_dimension"], **{name: given[name] for name in USED})


def of_size(given: Given, tools: Any, kept: Kept, n: int) -> None:
    """Ground states of one size."""
    made = ground(given, tools, n, given["couplings"])
    print(
        f"N = {n}: energies {made.energies[0]:.8f} to {made.energies[-1]:.8f}, bond dimension up to "
        f"{max(made.bond_dimensions)}, variance up to {max(made.variances):.1e}, all converged: {all(made.converged)}"
    )
    kept.energies[n] = made.energies
    kept.keep("energy", made.energies, method="dmrg", N=n)
    if "energy_per_site" in given["wanted"]:
        kept.keep("energy_per_site", [one / n for one in made.energies], N=n)
    for quantity, column in (
        ("energy_variance", made.variances), ("bond_dimension", made.bond_dimensions), ("converged", made.converged),
        ("truncation_error", made.truncation_errors), ("sector", made.sectors),
    ):  # fmt: skip
        kept.keep(quantity, column, N=n)
    if len(made.sector_energies[0]) > 1:
        kept.keep("sector_gap", [float(abs(row[1] - row[0])) for row in made.sector_energies], N=n)
    count = len(kept.values)
    for k in sorted({0, count // 3, count // 2, (2 * count) // 3, count - 1}) if n <= given["exact_sites"] else ():
        found = exact(given, tools, n, given["couplings"][k])
        point = {"N": n, **({given["parameter"]: kept.values[k]} if kept.axes else {})}
        record("energy", found.energies[0], labels={"method": "exact", **point})
        record("energy_difference", made.energies[k] - found.energies[0], labels=point)
        record("gap", found.energies[1] - found.energies[0], labels=point)
    measured(given, kept, n, np.array(made.expectations))
    entropy(given, kept, n, made.entropies)


def measured(given: Given, kept: Kept, n: int, columns: Any) -> None:
    """Expectations of the observables."""
    names = [name for _, name in watched(given, n)]
    for kind, letters in dict.fromkeys(name[:2] for name in names):
        chosen = [k for k, name in enumerate(names) if name[:2] == (kind, letters)]
        places, block = [names[k][2] for k in chosen], columns[:, chosen]
        if kind == "string":
            kept.order[n] = block[:, 0].tolist()
            kept.keep("string_order", kept.order[n], N=n)
            continue
        told: dict[str, Any] = {"axis": letters.lower()} if kind == "site" else {"observable": letters}
        quantity, name = {
            "site": ("magnetisation", "site"), "bond": ("bond_correlation", "bond"),
            "correlator": ("correlator", "distance"),
        }[kind]  # fmt: skip
        kept.keep(quantity, block.tolist(), {name: places}, **told, N=n)
        if kind != "correlator":
            kept.keep(f"mean_{quantity}", block.mean(axis=1).tolist(), **told, N=n)


def entropy(given: Given, kept: Kept, n: int, rows: Any) -> None:
    """Entropies at the middle or at all cuts, and the central charge from their profile."""
    kinds = [one["kind"] for one in given["observables"]]
    if "half_entropy" in kinds:
        kept.entropies[n] = [row[n // 2 - 1] for row in rows]
        kept.keep("entropy", kept.entropies[n], unit="nat", cut=n // 2, N=n)
        if kept.axes:
            record("entropy_maximum_at", kept.values[int(np.argmax(kept.entropies[n]))], labels={"N": n})
    if "entropy" in kinds:
        kept.keep("entropy", rows, {"cut": list(range(1, n))}, "nat", N=n)
    if "central_charge" not in given["wanted"]:
        return
    ring, cuts = given["boundary"] == "periodic", np.arange(max(2, n // 8), n - max(2, n // 8) + 1)
    chord = np.log((1 if ring else 2) * n / np.pi * np.sin(np.pi * cuts / n))
    # even and odd cuts of a chain alternate: each kind has its own offset
    shape = np.stack([chord, np.ones(len(cuts)), np.where(cuts % 2, -1.0, 1.0) / np.exp(chord)], axis=1)
    for k, row in enumerate(rows):
        slope = float(np.linalg.lstsq(shape, np.array(row)[cuts - 1], rcond=None)[0][0])
        point = {given["parameter"]: kept.values[k]} if kept.axes else {}
        record("central_charge", slope * (3 if ring else 6), labels={"N": n, **point})


def critical(given: Given, kept: Kept) -> None:
    """Where the order changes: the steepest slope of the string order, and where the curves of two sizes cross."""
    x, sizes, values = given["abscissae"] or kept.values, sorted(given["sizes"]), np.array(kept.values)
    for n in sizes:
        if n in kept.order:
            told = {"estimator": f"steepest slope of the string order, N = {n}"}
            record("critical_point", steepest(x, kept.order[n]), labels=told)
            told = {"estimator": f"string order, N = {n}"}
            record("steepest_parameter", steepest(kept.values, kept.order[n]), labels=told)
        # the second derivative of the energy peaks at a continuous transition
        bend = np.abs(np.gradient(np.gradient(np.array(kept.energies[n]) / n, values), values))[2:-2]
        record("energy_curvature_peak", float(values[2:-2][int(np.argmax(bend))]), labels={"N": n})
    for small, large in pairwise(sizes):
        met = crossing(x, kept.order[small], kept.order[large]) if {small, large} <= set(kept.order) else None
        if met is not None:
            record("critical_point", met, labels={"estimator": f"crossing of N = {small} and {large}"})


def steepest(x: Any, y: Any) -> float:
    """Where |dy/dx| is largest: a parabola through the largest difference quotient and its neighbours."""
    at = np.argsort(x)
    x, y = np.array(x)[at], np.array(y)[at]
    middle, slope = (x[1:] + x[:-1]) / 2, np.abs(np.diff(y) / np.diff(x))
    k = int(np.argmax(slope))
    if not 0 < k < len(slope) - 1:
        return float(middle[k])
    fit = np.polyfit(middle[k - 1 : k + 2], slope[k - 1 : k + 2], 2)
    top = -fit[1] / (2 * fit[0]) if fit[0] < 0 else middle[k]
    return float(np.clip(top, middle[k - 1], middle[k + 1]))


def crossing(x: Any, one: Any, other: Any) -> float | None:
    """First place inside the sweep where two curves cross; None if they do not."""
    off = np.array(one) - np.array(other)
    for k in range(len(x) - 1):
        if off[k] * off[k + 1] < 0 and min(abs(off[k]), abs(off[k + 1])) > 1e-4:
            return float(x[k] + (x[k + 1] - x[k]) * off[k] / (off[k] - off[k + 1]))
    return None
