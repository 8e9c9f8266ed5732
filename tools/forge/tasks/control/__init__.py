"""Optimal control: pulses by GRAPE for state transfer and gates, verified by evolution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from labwright.tools.forge.tasks.control.card import ControlCard
from labwright.tools.forge.tasks.reporting import number, report_of
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.solver_scripts import script
from labwright.tools.forge.tasks.task_type import Computed, Family, Judgement, Script, drawn

KERNEL = Path(__file__).parent / "solver"
TOOLS = {
    "grape_pulses": "optimises the pulses with GRAPE",
    "evolve_under_pulses": "verifies them by an independent time evolution",
    "plot_lines": "draws pulses and populations",
}
QUICK = 3_000_000  # slots x levels^2 x iterations below which a trial would take as long as the task


def tools(task: Computed) -> dict[str, str]:
    """Tool -> why."""
    shaped = {"shaped_pulses": "gives the counter-intuitive starting pulses"}
    return TOOLS | (shaped if task.first_guess == "counter_intuitive" else {})


def scripts(task: Computed, imports: Mapping[str, str]) -> Sequence[Script]:
    """A trial with few slots where the task is long, then the task."""
    size, work = len(task.levels), task.slots * task.max_iterations
    whole = script("Optimise the pulses, verify them, record and draw.", KERNEL, imports, task.given,
                   wall_seconds=120.0 + 0.003 * work * size)  # fmt: skip
    trial = script("Try with few slots.", KERNEL, imports, task.given, "trial_run", subset=True, wall_seconds=120.0)
    return [whole] if work * size**2 < QUICK else [trial, whole]


def judge(task: Computed, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Deliverables, fidelity, agreement of optimiser and evolution, norm, bounds, penalised levels, figures."""
    both = ("pulse", "population")
    lists = {name: [one for one in results.find(name) if isinstance(one.value, list)] for name in both}
    values = [float(v) for one in lists["pulse"] for v in one.value]  # type: ignore[union-attr]
    low, high = min(values, default=0.0), max(values, default=0.0)
    inside = (task.lower is None or low >= task.lower - 1e-9) and (task.upper is None or high <= task.upper + 1e-9)
    pulses = sum(len(one.value) == task.slots for one in lists["pulse"])  # type: ignore[arg-type]
    courses, fidelity = len(lists["population"]), number(results, "fidelity")
    verified = number(results, "process_fidelity") if task.goal == "gate" else fidelity
    off, norm = abs(verified - number(results, "optimiser_fidelity")), number(results, "norm_error")
    made = [
        Judgement("deliverables", pulses == len(task.controls) and courses == len(task.levels),
                  f"{pulses} pulses with {task.slots} slots and {courses} populations are there.", "script_incomplete",
                  "Record every control's pulse and every level's population."),
        Judgement("fidelity", fidelity >= task.fidelity,
                  f"The verified fidelity is {fidelity:.6f}; {task.fidelity:g} was to be reached.", "more_simulation",
                  "Raise the iterations, the duration or the bounds, or start from another seed."),
        Judgement("verification", off < 1e-4 and norm < 1e-6, f"Evolution and optimiser differ by {off:.1e} in"
                  f" fidelity; populations sum to one within {norm:.1e}."),
        Judgement("bounds", inside,
                  f"Amplitudes lie between {low:.4g} and {high:.4g}; bounds {task.lower} to {task.upper}."),
        drawn(figures, "img/pulses.png", "img/populations.png"),
    ]  # fmt: skip
    for one in task.penalties:
        level = task.levels[one["level"]]
        kept, plain = (number(results, "mean_occupation", level=level, case=case) for case in CASES)
        made.append(Judgement(f"occupation of {level}", kept < plain,
                              f"Mean occupation of level {level}: {kept:.4f}, without the penalty {plain:.4f}.",
                              "more_simulation", "Raise the weight of the penalty or the iterations."))  # fmt: skip
    return made


CASES = ("reported", "without penalty")
FAMILY = Family("control", ControlCard, tools, scripts, judge, report_of("control/report.md"))
