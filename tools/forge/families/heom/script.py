"""The scripts of a task of exciton dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Script
from labwright.tools.forge.families.heom.spec import HeomSpec
from labwright.tools.forge.families.program import program

SUBSET_DEPTH = 2  # one to two seconds for seven sites, and populations within about 0.02 of depth 4


def scripts(spec: HeomSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """First a shallow hierarchy with and without terminator, then the task."""
    given = spec.model_dump(mode="json")
    small = program("A shallow hierarchy of all cases, for comparison.", imports, ["heom_excitons"], given, _SUBSET)
    full = program("The task's hierarchy in all cases.", imports, ["heom_excitons", "plot_lines"], given, _BODY)
    # a step of the integration touches each operator; about 60 s for 12650 operators of seven sites at 77 K, 130 at 300 K
    work = spec.operators(spec.depth) * len(spec.hamiltonian) ** 2 * len(spec.cases) * spec.duration / 1000
    memory = 1500 + spec.operators(spec.depth) * len(spec.hamiltonian) ** 2 * 16 * 60 // 1_000_000
    return [
        Script("Try a shallow hierarchy.", small, subset=True, wall_seconds=300.0),
        Script("Propagate the task's hierarchy.", full, wall_seconds=max(600.0, 2.5e-3 * work), memory_mb=int(memory)),
    ]


_COMMON = """
TIMES = np.linspace(0, GIVEN["duration"], GIVEN["n_times"]).tolist()
SCALE = 1e-3 if GIVEN["time_unit"] == "ps" else 1.0
AXIS = [one * SCALE for one in TIMES]
SITES = [GIVEN["first_site"] + k for k in range(len(GIVEN["hamiltonian"]))]


def propagated(case, depth, terms, terminator):
    \"\"\"One run with QuTiP's HEOM solver.\"\"\"
    return heom_excitons(HeomExcitonsInput(
        hamiltonian=GIVEN["hamiltonian"], reorganization=case["reorganization"], cutoff_times=case["cutoff_times"],
        temperature=case["temperature"], depth=depth, terms=terms, expansion=GIVEN["expansion"], terminator=terminator,
        initial=GIVEN["initial"], times=TIMES, coherences=GIVEN["coherences"], relative_tolerance=1e-5,
        absolute_tolerance=1e-7))


def worst(one, other):
    \"\"\"Largest difference of populations.\"\"\"
    return float(np.abs(np.array(one.populations) - np.array(other.populations)).max())

"""
_SUBSET = (
    _COMMON
    + f"""
depth = min({SUBSET_DEPTH}, GIVEN["depth"])
for case in GIVEN["cases"]:
    shallow = propagated(case, depth, GIVEN["terms"], GIVEN["terminator"])
    closed = propagated(case, depth, GIVEN["terms"], True)
    more = propagated(case, depth, GIVEN["terms"] + 2, True)
    print(f"{{case['labels']}} depth {{depth}}: trace error {{shallow.trace_error:.1e}}, series beyond the terms "
          f"{{worst(shallow, more):.4f}}")
    if shallow.trace_error > 1e-4:
        raise SystemExit("The trace is not kept: look at the baths and the tolerances.")
    record("population", shallow.populations, axes=[("time", AXIS, GIVEN["time_unit"]), ("site", SITES, "")],
           **case["labels"])
    record("series_error", worst(shallow, more), **case["labels"])
    record("terminator_effect", worst(shallow, closed), **case["labels"])
save("results/excitons_subset.json", {{"depth": depth}})
"""
)
_BODY = (
    _COMMON
    + """
subset = json.loads(Path("results/excitons_subset.json").read_text())
RECORDS += [one for one in subset["records"] if one["quantity"] != "population"]
size = len(SITES)
MOST_CURVES = 12  # in one plot
# hbar omega / (k_B T) of the excitons alone, without the baths
energies, states = np.linalg.eigh(np.array(GIVEN["hamiltonian"]))
panels, compared, beating = [], [], []
for number, case in enumerate(GIVEN["cases"]):
    made = propagated(case, GIVEN["depth"], GIVEN["terms"], GIVEN["terminator"])
    labels = case["labels"]
    populations = np.array(made.populations)
    print(f"{labels}: {made.n_operators} operators, trace error {made.trace_error:.1e}, "
          f"final populations {np.round(populations[-1], 4).tolist()}")
    time = ("time", AXIS, GIVEN["time_unit"])
    record("population", made.populations, axes=[time, ("site", SITES, "")], **labels)
    record("final_population", made.populations[-1], axes=[("site", SITES, "")], **labels)
    for k, name in enumerate(GIVEN["site_names"]):
        record("population", populations[:, k].tolist(), axes=[time], site=name, **labels)
        record("final_population", float(populations[-1, k]), site=name, **labels)
    record("trace_error", made.trace_error, **labels)
    record("lowest_eigenvalue", made.lowest_eigenvalue, **labels)
    record("n_operators", made.n_operators, **labels)
    first = [one for one in subset["records"] if one["quantity"] == "population"][number]
    record("depth_effect", float(np.abs(populations - np.array(first["value"])).max()), **labels)
    start = int(np.argmax(populations[0]))
    # what the population of the first site regains on the way down: zero for a monotonic decay
    record("beat_amplitude", float(np.clip(np.diff(populations[:, start]), 0, None).sum()), **labels)
    weights = np.exp(-(energies - energies[0]) / (0.6950348 * case["temperature"]))
    thermal = (states**2) @ weights / weights.sum()
    record("boltzmann_population", thermal.tolist(), axes=[("site", SITES, "")], **labels)
    for name, one in zip(GIVEN["site_names"], thermal):
        record("boltzmann_population", float(one), site=name, **labels)
    if "purity" in GIVEN["wants"]:
        record("purity", made.purities, axes=[time], **labels)
    for pair, course in zip(GIVEN["coherences"], made.coherences):
        name = "-".join(str(GIVEN["first_site"] + one) for one in pair)
        record("coherence", [math.hypot(*one) for one in course], axes=[time], pair=name, **labels)
        record("coherence_real", [one[0] for one in course], axes=[time], pair=name, **labels)
        record("coherence_imaginary", [one[1] for one in course], axes=[time], pair=name, **labels)
        beating.append({"label": f"{pair} " + ", ".join(f"{k} {v:g}" for k, v in labels.items()), "x": AXIS,
                        "y": [math.hypot(*one) for one in course]})
    title = ", ".join(f"{name} {value:g}" + (" K" if name == "temperature" else "") for name, value in labels.items())
    compared += [{"label": f"site {site}, {title}", "x": AXIS, "y": populations[:, k].tolist()}
                 for k, site in enumerate(GIVEN["site_names"] or SITES)]
    panels.append({
        "title": title,
        "x_label": f"time ({GIVEN['time_unit']})", "y_label": "population",
        "series": [{"label": f"site {site}", "x": AXIS, "y": populations[:, k].tolist()} for k, site in enumerate(GIVEN["site_names"] or SITES)]})
Path("img").mkdir(exist_ok=True)
plot_lines(PlotLinesInput(path="img/populations.png", title="Site populations", panels=panels))
if len(panels) > 1 and len(compared) <= MOST_CURVES:
    plot_lines(PlotLinesInput(path="img/populations_compared.png", title="Site populations", panels=[{
        "title": "", "x_label": f"time ({GIVEN['time_unit']})", "y_label": "population", "series": compared}]))
if beating:
    plot_lines(PlotLinesInput(path="img/coherences.png", title="Coherences", panels=[{
        "title": "", "x_label": f"time ({GIVEN['time_unit']})", "y_label": "|rho_ij|", "series": beating}]))
save("results/excitons.json", {"depth": GIVEN["depth"], "matsubara_terms": GIVEN["terms"], "expansion": GIVEN["expansion"],
     "terminator": GIVEN["terminator"], "initial": GIVEN["initial_name"], "duration_fs": GIVEN["duration"],
     "energy_unit": "1/cm", "cases": GIVEN["cases"], "hamiltonian": GIVEN["hamiltonian"]})
"""
)
