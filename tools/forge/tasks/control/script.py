"""The scripts of a task of optimal control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.tasks.base import Script
from labwright.tools.forge.tasks.control.spec import ControlSpec
from labwright.tools.forge.tasks.program import program

SUBSET_SLOTS = 60
# slots x levels^2 x iterations below which a trial would take as long as the task
QUICK = 3_000_000


def recipes(spec: ControlSpec) -> dict[str, str]:
    """Recipe -> why."""
    made = {
        "grape_pulses": "optimises the pulses with GRAPE",
        "evolve_under_pulses": "verifies them by an independent time evolution",
        "plot_lines": "draws pulses and populations",
    }
    if spec.start == "counter_intuitive":
        made["shaped_pulses"] = "gives the counter-intuitive starting pulses"
    return made


def scripts(spec: ControlSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """A trial with few slots where the task is long, then the task."""
    used = [name for name in recipes(spec) if name != "shaped_pulses"]
    trial = [name for name in recipes(spec) if name != "plot_lines"]
    given = spec.model_dump(mode="json")
    small = program("A trial with few time slots and iterations.", imports, trial, given, _start(spec) + _SUBSET)
    whole = [*used, "shaped_pulses"] if spec.start == "counter_intuitive" else used
    full = program("Optimise the pulses, verify them, record and draw.", imports, whole, given, _start(spec) + _BODY)
    wall = 120.0 + 0.03 * spec.slots * spec.iterations * len(spec.levels) / 10
    if spec.slots * len(spec.levels) ** 2 * spec.iterations < QUICK:
        return [Script("Optimise the pulses, verify them, record and draw.", full, wall_seconds=wall)]
    return [
        Script("Try with few slots.", small, subset=True, wall_seconds=120.0),
        Script("Optimise the pulses, verify them, record and draw.", full, wall_seconds=wall),
    ]


def _start(spec: ControlSpec) -> str:
    return _SHAPED if spec.start == "counter_intuitive" else _RANDOM


_RANDOM = '''

def starting(slots):
    """No given start: the tool draws smooth amplitudes from the seed."""
    return []

'''
_SHAPED = '''

def starting(slots):
    """Second control first: Gaussians of area 3 pi, centred at 0.4 and 0.6 of the duration."""
    peak = 3 * math.pi / (math.sqrt(2 * math.pi) * 0.15 * GIVEN["duration"])
    shapes = [{"kind": "gaussian", "peak": peak, "centre": centre, "width": 0.15} for centre in (0.6, 0.4)]
    given = ShapedPulsesInput(duration=GIVEN["duration"], slots=slots, shapes=shapes)
    return shaped_pulses(given).amplitudes

'''
_COMMON = '''
SYSTEM = {"drift": GIVEN["drift"], "controls": [one["matrix"] for one in GIVEN["controls"]], "goal": GIVEN["goal"],
          "target": GIVEN["target"], "duration": GIVEN["duration"]}


def optimised(slots, penalties, iterations):
    """Pulses by GRAPE."""
    return grape_pulses(GrapePulsesInput(
        **SYSTEM, initial=GIVEN["initial"] if GIVEN["goal"] == "state" else [], slots=slots, start=starting(slots),
        start_scale=GIVEN["start_scale"], seed=GIVEN["seed"], lower=GIVEN["lower"], upper=GIVEN["upper"],
        penalties=penalties, infidelity_target=GIVEN["infidelity_target"], max_iterations=iterations))


def verified(amplitudes):
    """What the pulses do, by another integration."""
    return evolve_under_pulses(EvolveUnderPulsesInput(**SYSTEM, initial=GIVEN["initial"], amplitudes=amplitudes))

'''
_SUBSET = (
    _COMMON
    + f"""
slots = min(GIVEN["slots"], {SUBSET_SLOTS})
found = optimised(slots, GIVEN["penalties"], 15)
shown = verified(found.amplitudes)
print(f"trial with {{slots}} slots: fidelity {{found.fidelity:.6f}}, verified {{shown.fidelity:.6f}}")
if abs(found.fidelity - shown.fidelity) > 1e-4 or shown.norm_error > 1e-6:
    raise SystemExit("The optimiser's propagation and the verification disagree.")
record("fidelity", shown.fidelity, case="subset")
save("results/control_subset.json", {{"slots": slots}})
"""
)
_BODY = (
    _COMMON
    + """
found = optimised(GIVEN["slots"], GIVEN["penalties"], GIVEN["iterations"])
shown = verified(found.amplitudes)
print(f"GRAPE: fidelity {found.fidelity:.8f} after {found.iterations} iterations ({found.stopped_because})")
print(f"verified by evolution: fidelity {shown.fidelity:.8f}")
slots = [(time + GIVEN["duration"] / GIVEN["slots"] / 2) for time in found.slot_starts]
unit = GIVEN["time_unit"]
for number, control in enumerate(GIVEN["controls"]):
    record("pulse", [row[number] for row in found.amplitudes], axes=[("time", slots, unit)], control=control["label"])
for number, level in enumerate(GIVEN["levels"]):
    record("population", [row[number] for row in shown.populations], axes=[("time", shown.times, unit)],
           level=int(level) if level.isdigit() and len(level) == 1 else level)
gate = GIVEN["goal"] == "gate"
main = shown.average_gate_fidelity if GIVEN["wants_average"] else shown.fidelity
record("fidelity", main)
record("process_fidelity" if gate else "optimiser_fidelity", shown.fidelity if gate else found.fidelity)
if gate:
    record("average_gate_fidelity", shown.average_gate_fidelity)
    record("optimiser_fidelity", found.fidelity)
peaks = np.max(shown.populations, axis=0)
means = np.trapezoid(shown.populations, shown.times, axis=0) / GIVEN["duration"]
for number, level in enumerate(GIVEN["levels"]):
    record("mean_occupation", float(means[number]), level=level, case="reported")
    record("peak_occupation", float(peaks[number]), level=level, case="reported")
if GIVEN["penalties"]:
    plain = optimised(GIVEN["slots"], [], GIVEN["iterations"])
    print(f"without penalties, for comparison: fidelity {plain.fidelity:.8f}")
    for level, mean in zip(GIVEN["levels"], plain.mean_occupations):
        record("mean_occupation", mean, level=level, case="without penalty")
record("start_fidelity", found.start_fidelity)
record("iterations", found.iterations)
record("norm_error", shown.norm_error)
label = f"time ({unit})" if unit else "time (arbitrary units)"
Path("img").mkdir(exist_ok=True)
plot_lines(PlotLinesInput(path="img/pulses.png", title="Control pulses", panels=[{
    "title": "", "x_label": label, "y_label": "amplitude (rad / time)",
    "series": [{"label": one["label"], "x": slots, "y": [row[k] for row in found.amplitudes]}
               for k, one in enumerate(GIVEN["controls"])]}]))
name = "Populations from |" + (GIVEN["initial_name"] or "initial").strip("|>") + ">"
plot_lines(PlotLinesInput(path="img/populations.png", title=name, panels=[{
    "title": "", "x_label": label, "y_label": "population",
    "series": [{"label": f"P({one})" if len(one) > 1 else f"P{one}", "x": shown.times,
                "y": [row[k] for row in shown.populations]} for k, one in enumerate(GIVEN["levels"])]}]))
save("results/control.json", {name: GIVEN[name] for name in
     ("duration", "slots", "lower", "upper", "start", "seed", "penalties", "target_name", "levels")} | {
     "fidelity_convention": "average gate fidelity" if GIVEN["wants_average"] else
     ("|Tr(V^dag U)/d|^2" if gate else "|<target|psi>|^2"), "algorithm": "GRAPE", "stopped_because": found.stopped_because})
"""
)
