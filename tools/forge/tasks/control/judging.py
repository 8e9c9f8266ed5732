"""What must hold of optimised pulses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from labwright.tools.forge.tasks.base import Judgement
from labwright.tools.forge.tasks.control.spec import ControlSpec
from labwright.tools.forge.tasks.results import Results


def judge(spec: ControlSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Deliverables, fidelity, agreement of optimiser and evolution, norm, bounds, penalised levels, figures."""
    return [
        _complete(spec, results),
        _reached(spec, results),
        _agree(spec, results),
        _bounds(spec, results),
        *_shy(spec, results),
        Judgement(
            "figures",
            {"img/pulses.png", "img/populations.png"} <= set(figures),
            f"Figures: {', '.join(sorted(figures)) or 'none'}.",
            "result_incomplete",
            "Draw pulses and populations against time.",
        ),
    ]


def number(results: Results, quantity: str, **labels: str | float) -> float:
    """The value of the only such record; nan where there is none or it is no number."""
    found = [one.value for one in results.find(quantity, **labels)]
    return float(found[0]) if len(found) == 1 and isinstance(found[0], int | float) else math.nan


def _complete(spec: ControlSpec, results: Results) -> Judgement:
    pulses = [one for one in results.find("pulse") if isinstance(one.value, list) and len(one.value) == spec.slots]
    courses = [one for one in results.find("population") if isinstance(one.value, list)]
    good = len(pulses) == len(spec.controls) and len(courses) == len(spec.levels)
    return Judgement(
        "deliverables",
        good,
        f"{len(pulses)} pulses with {spec.slots} slots and {len(courses)} populations are there.",
        "script_incomplete",
        "Record every control's pulse and every level's population.",
    )


def _reached(spec: ControlSpec, results: Results) -> Judgement:
    value = number(results, "fidelity")
    return Judgement(
        "fidelity",
        value >= spec.fidelity_goal,
        f"The verified fidelity is {value:.6f}; {spec.fidelity_goal:g} was to be reached.",
        "more_simulation",
        "Raise the iterations, the duration or the bounds, or start from another seed.",
    )


def _agree(spec: ControlSpec, results: Results) -> Judgement:
    name = "process_fidelity" if spec.goal == "gate" else "fidelity"
    off = abs(number(results, name) - number(results, "optimiser_fidelity"))
    norm = number(results, "norm_error")
    return Judgement(
        "verification",
        off < 1e-4 and norm < 1e-6,
        f"Evolution and optimiser differ by {off:.1e} in fidelity; populations sum to one within {norm:.1e}.",
    )


def _bounds(spec: ControlSpec, results: Results) -> Judgement:
    values = [float(v) for one in results.find("pulse") if isinstance(one.value, list) for v in one.value]
    low, high = min(values, default=0.0), max(values, default=0.0)
    inside = (spec.lower is None or low >= spec.lower - 1e-9) and (spec.upper is None or high <= spec.upper + 1e-9)
    return Judgement(
        "bounds", inside, f"Amplitudes lie between {low:.4g} and {high:.4g}; bounds {spec.lower} to {spec.upper}."
    )


def _shy(spec: ControlSpec, results: Results) -> list[Judgement]:
    made = []
    for one in spec.penalties:
        level = spec.levels[one.level]
        kept = number(results, "mean_occupation", level=level, case="reported")
        plain = number(results, "mean_occupation", level=level, case="without penalty")
        made.append(
            Judgement(
                f"occupation of {level}",
                kept < plain,
                f"Mean occupation of level {level}: {kept:.4f}, without the penalty {plain:.4f}.",
                "more_simulation",
                "Raise the weight of the penalty or the iterations.",
            )
        )
    return made
