"""The scripts of a task about ground states of spin chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.tasks.base import Script
from labwright.tools.forge.tasks.program import program
from labwright.tools.forge.tasks.tensor_network.ground_spec import EXACT_SITES, GroundSpec

TOOLS = ("dmrg_ground_states", "spin_chain_exact_states")


def scripts(spec: GroundSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """A small chain against exact diagonalisation, then all sizes."""
    given = spec.model_dump(mode="json") | {"layout": spec.layout, "exact_sites": EXACT_SITES}
    small = program("A small chain against exact diagonalisation.", imports, TOOLS, given, _COMMON + _SUBSET)
    full = program("All sizes and couplings.", imports, [*TOOLS, "plot_lines"], given, _COMMON + _BODY)
    sectors = 2 if spec.conserve.startswith("parity") else 1
    ring = 4 if spec.boundary == "periodic" else 1
    work = sum(max(one - 8, 2) * (spec.chi_max / 100) ** 2 for one in spec.sizes) * len(spec.values) * sectors * ring
    return [
        Script("Try a small chain.", small, subset=True, wall_seconds=300.0),
        Script("Compute all ground states.", full, wall_seconds=600.0 + 1.5 * work),
    ]


_COMMON = '''

def placed(n):
    """Strings of each pattern on n sites."""
    groups = []
    for pattern in GIVEN["patterns"]:
        low, high = min(0, *pattern["offsets"]), max(0, *pattern["offsets"])
        ring = GIVEN["boundary"] == "periodic"
        counted = range(n) if ring else range(-low, n - high)
        groups.append([{"letters": pattern["letters"], "sites": [(k + o) % n for o in pattern["offsets"]]}
                       for k in counted])
    return groups


def starts(n):
    """Product states, one for each sector of the conserved charge."""
    if GIVEN["conserve"] == "sz":
        return [["up" if k % 2 == 0 else "down" for k in range(n)]]
    if GIVEN["conserve"] == "parity_z":
        return [["up"] * n, ["down"] + ["up"] * (n - 1)]
    if GIVEN["conserve"] == "parity_x":
        return [["+x"] * n, ["-x"] + ["+x"] * (n - 1)]
    return [["up" if k % 2 == 0 else "+x" for k in range(n)], ["+x"] * n]


def watched(n):
    """Strings of all observables, with (kind, letters, scale, place) of each."""
    strings, names = [], []
    for one in GIVEN["observables"]:
        letters, scale = one["letters"], one["scale"]
        if one["kind"] == "site":
            strings += [{"letters": letters, "sites": [k], "weight": scale} for k in range(n)]
            names += [("site", letters, k) for k in range(n)]
        if one["kind"] == "correlator":
            ring, origin = GIVEN["boundary"] == "periodic", one["origin"]
            first = n // 2 if origin == "middle" else (0 if ring else n // 4) if origin is None else min(origin, n - 2)
            reach = n // 2 if ring else n - 1 - first
            strings += [{"letters": letters, "sites": [first, (first + r) % n], "weight": scale}
                        for r in range(1, reach + 1)]
            names += [("correlator", letters, r) for r in range(1, reach + 1)]
        if one["kind"] == "bond":
            bonds = range(n if GIVEN["boundary"] == "periodic" else n - 1)
            strings += [{"letters": letters, "sites": [k, (k + 1) % n], "weight": scale} for k in bonds]
            names += [("bond", letters, k) for k in bonds]
        if one["kind"] == "string":
            inner = list(range(1, n - 1, 2))
            strings.append({"letters": "Z" + "X" * len(inner) + "Z", "sites": [0, *inner, n - 1]})
            names.append(("string", "", 0))
    return strings, names


def ground(n, couplings, chi_max):
    """DMRG along the sweep."""
    return dmrg_ground_states(DmrgGroundStatesInput(
        n_sites=n, groups=placed(n), couplings=couplings, observables=watched(n)[0], chi_max=chi_max,
        layout=GIVEN["layout"], conserve=GIVEN["conserve"], starts=starts(n), svd_min=1e-6, energy_tolerance=1e-8,
        with_variance=True))


def exact(n, row):
    """Lowest energies and expectations by diagonalisation."""
    strings = [dict(one, weight=c) for c, group in zip(row, placed(n)) for one in group if c != 0]
    return spin_chain_exact_states(SpinChainExactStatesInput(
        n_sites=n, hamiltonian=strings, n_states=2, dense=n < 8, observables=watched(n)[0]))

'''
_SUBSET = """
reach = max(max(one["offsets"]) - min(one["offsets"]) for one in GIVEN["patterns"])
n = max(5, reach + 2) if min(GIVEN["sizes"]) % 2 else max(6, reach + 2 + reach % 2)
n = min(n, min(GIVEN["sizes"]))
picked = [GIVEN["couplings"][k] for k in sorted({0, len(GIVEN["couplings"]) // 2})]
made = ground(n, picked, GIVEN["chi_max"])
for row, energy in zip(picked, made.energies):
    sure = exact(n, row).energies[0]
    print(f"{n} sites, couplings {row}: DMRG {energy:.8f}, exact {sure:.8f}")
    if abs(energy - sure) > 1e-5 * max(1, abs(sure)):
        raise SystemExit("DMRG misses the exact ground state of a small chain: look at sectors and start states.")
record("energy", made.energies, method="dmrg", N=n)
save("results/ground_state_chain_subset.json", {"N": n})
"""
_BODY = """
parameter, values = GIVEN["parameter"], GIVEN["values"]
axes = [(parameter, values, "")] if parameter else []
whole = (lambda column: column) if parameter else (lambda column: column[0])
order, entropies, all_energies = {}, {}, {}
for n in GIVEN["sizes"]:
    # from the middle of the sweep on, states change little from point to point in either direction
    made = ground(n, GIVEN["couplings"], GIVEN["chi_max"])
    labels = {"N": n} if len(GIVEN["sizes"]) > 1 or parameter else {"N": n}
    print(f"N = {n}: energies {made.energies[0]:.8f} to {made.energies[-1]:.8f}, bond dimension up to "
          f"{max(made.bond_dimensions)}, variance up to {max(made.variances):.1e}, all converged: {all(made.converged)}")
    all_energies[n] = made.energies
    record("energy", whole(made.energies), axes=axes, method="dmrg", **labels)
    if "energy_per_site" in GIVEN["wants"]:
        record("energy_per_site", whole([one / n for one in made.energies]), axes=axes, **labels)
    record("energy_variance", whole(made.variances), axes=axes, **labels)
    record("bond_dimension", whole(made.bond_dimensions), axes=axes, **labels)
    record("truncation_error", whole(made.truncation_errors), axes=axes, **labels)
    record("converged", whole(made.converged), axes=axes, **labels)
    record("sector", whole(made.sectors), axes=axes, **labels)
    if len(made.sector_energies[0]) > 1:
        record("sector_gap", whole([float(abs(row[1] - row[0])) for row in made.sector_energies]), axes=axes, **labels)
    if n <= GIVEN["exact_sites"]:
        picked = sorted({0, len(values) // 3, len(values) // 2, (2 * len(values)) // 3, len(values) - 1})
        for k in picked:
            found = exact(n, GIVEN["couplings"][k])
            point = {parameter: values[k]} if parameter else {}
            record("energy", found.energies[0], method="exact", **labels, **point)
            record("energy_difference", made.energies[k] - found.energies[0], **labels, **point)
            record("gap", found.energies[1] - found.energies[0], **labels, **point)
    names = watched(n)[1]
    columns = np.array(made.expectations)
    for kind, letters in dict.fromkeys((name[0], name[1]) for name in names):
        chosen = [k for k, name in enumerate(names) if name[:2] == (kind, letters)]
        places = [names[k][2] for k in chosen]
        block = columns[:, chosen]
        if kind == "string":
            order[n] = block[:, 0].tolist()
            record("string_order", whole(order[n]), axes=axes, **labels)
        elif kind == "site":
            record("magnetisation", whole(block.tolist()), axes=[*axes, ("site", places, "")], axis=letters.lower(), **labels)
            record("mean_magnetisation", whole(block.mean(axis=1).tolist()), axes=axes, axis=letters.lower(), **labels)
        elif kind == "bond":
            record("bond_correlation", whole(block.tolist()), axes=[*axes, ("bond", places, "")], observable=letters, **labels)
            record("mean_bond_correlation", whole(block.mean(axis=1).tolist()), axes=axes, observable=letters, **labels)
        else:
            record("correlator", whole(block.tolist()), axes=[*axes, ("distance", places, "")], observable=letters, **labels)
    kinds = [one["kind"] for one in GIVEN["observables"]]
    middle = n // 2 - 1
    if "half_entropy" in kinds:
        entropies[n] = [row[middle] for row in made.entropies]
        record("entropy", whole(entropies[n]), "nat", axes, cut=n // 2, **labels)
        if parameter:
            record("entropy_maximum_at", values[int(np.argmax(entropies[n]))], **labels)
    if "entropy" in kinds:
        record("entropy", whole(made.entropies), "nat", [*axes, ("cut", list(range(1, n)), "")], **labels)
    if "central_charge" in GIVEN["wants"]:
        cuts = np.arange(max(2, n // 8), n - max(2, n // 8) + 1)
        ring = GIVEN["boundary"] == "periodic"
        chord = np.log((1 if ring else 2) * n / np.pi * np.sin(np.pi * cuts / n))
        for k, row in enumerate(made.entropies):
            # even and odd cuts of a chain alternate: each kind has its own offset
            shape = np.stack([chord, np.ones(len(cuts)), np.where(cuts % 2, -1.0, 1.0) / np.exp(chord)], axis=1)
            slope = float(np.linalg.lstsq(shape, np.array(row)[cuts - 1], rcond=None)[0][0])
            record("central_charge", slope * (3 if ring else 6), **labels, **({parameter: values[k]} if parameter else {}))

if len(GIVEN["sizes"]) > 1 and not parameter:
    lengths = [("N", list(all_energies), "")]
    record("energy", [one[0] for one in all_energies.values()], axes=lengths, method="dmrg")
    record("energy_per_site", [one[0] / n for n, one in all_energies.items()], axes=lengths)
    if entropies:
        record("entropy", [one[0] for one in entropies.values()], "nat", lengths, cut="middle")


def steepest(x, y):
    \"\"\"Where |dy/dx| is largest: a parabola through the largest difference quotient and its neighbours.\"\"\"
    at = np.argsort(x)
    x, y = np.array(x)[at], np.array(y)[at]
    middle, slope = (x[1:] + x[:-1]) / 2, np.abs(np.diff(y) / np.diff(x))
    k = int(np.argmax(slope))
    if 0 < k < len(slope) - 1:
        fit = np.polyfit(middle[k - 1 : k + 2], slope[k - 1 : k + 2], 2)
        top = -fit[1] / (2 * fit[0]) if fit[0] < 0 else middle[k]
        return float(np.clip(top, middle[k - 1], middle[k + 1]))
    return float(middle[k])


def crossing(x, one, other):
    \"\"\"First place inside the sweep where two curves cross; None if they do not.\"\"\"
    off = np.array(one) - np.array(other)
    for k in range(len(x) - 1):
        if off[k] * off[k + 1] < 0 and min(abs(off[k]), abs(off[k + 1])) > 1e-4:
            return float(x[k] + (x[k + 1] - x[k]) * off[k] / (off[k] - off[k + 1]))
    return None


if "critical_point" in GIVEN["wants"] and len(values) > 4:
    x = GIVEN["abscissae"] or values
    sizes = sorted(GIVEN["sizes"])
    for n in sizes:
        if n in order:
            record("critical_point", steepest(x, order[n]), estimator=f"steepest slope of the string order, N = {n}")
            theta = steepest(values, order[n])
            record("steepest_parameter", theta, estimator=f"string order, N = {n}")
        # the second derivative of the energy peaks at a continuous transition
        energies = np.array(all_energies[n]) / n
        bend = np.abs(np.gradient(np.gradient(energies, values), values))[2:-2]
        record("energy_curvature_peak", float(np.array(values)[2:-2][int(np.argmax(bend))]), N=n)
    for small, large in zip(sizes, sizes[1:]):
        if small in order and large in order:
            met = crossing(x, order[small], order[large])
            if met is not None:
                record("critical_point", met, estimator=f"crossing of N = {small} and {large}")
panels = []
if order:
    panels.append({"title": "String order", "x_label": GIVEN["abscissa"] or parameter, "y_label": "string order",
        "series": [{"label": f"N = {n}", "x": GIVEN["abscissae"] or values, "y": y} for n, y in order.items()]})
if entropies and parameter:
    panels.append({"title": "Entropy of half the chain", "x_label": parameter, "y_label": "entropy (nat)",
        "series": [{"label": f"N = {n}", "x": values, "y": y} for n, y in entropies.items()]})
if parameter:
    panels.append({"title": "Energy per site", "x_label": parameter, "y_label": "energy per site",
        "series": [{"label": f"N = {n}", "x": values, "y": [e / n for e in y]} for n, y in all_energies.items()]})
else:
    panels.append({"title": "Energy per site", "x_label": "1 / N", "y_label": "energy per site", "series": [
        {"label": "DMRG", "x": [1 / n for n in all_energies], "y": [y[0] / n for n, y in all_energies.items()],
         "style": "points"}]})
for one in RECORDS:
    last = one["axes"][-1] if one["axes"] else {"name": ""}
    if last["name"] in ("site", "distance", "bond", "cut") and not parameter:
        panels.append({"title": one["quantity"] + f" N = {one['labels']['N']}", "x_label": last["name"],
            "y_label": one["quantity"], "series": [{"label": str(one["labels"].get("axis", "")), "x": last["values"],
            "y": one["value"], "style": "points"}]})
    if one["quantity"] in ("mean_magnetisation", "mean_bond_correlation") and parameter:
        along = one["labels"].get("axis") or one["labels"]["observable"]
        panels.append({"title": f"N = {one['labels']['N']}", "x_label": parameter,
            "y_label": f"{one['quantity'].replace('_', ' ')} {along}", "series": [
            {"label": "", "x": values, "y": one["value"]}]})
Path("img").mkdir(exist_ok=True)
plot_lines(PlotLinesInput(path="img/ground_states.png", title="Ground states", panels=panels[:9]))
save("results/ground_state_chain.json", {name: GIVEN[name] for name in
     ("sizes", "boundary", "chi_max", "conserve", "layout", "parameter", "formula", "patterns")})
"""
