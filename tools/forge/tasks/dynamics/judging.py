"""What must hold of the results of a card of dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labwright.tools.forge.tasks.dynamics.solver.cases import axes_of, cases_of, chosen
from labwright.tools.forge.tasks.dynamics.solver.demands import demands_of
from labwright.tools.forge.tasks.dynamics.solver.figures import figures as figures_of
from labwright.tools.forge.tasks.dynamics.spec import DynamicsSpec
from labwright.tools.forge.tasks.results import Record, Results
from labwright.tools.forge.tasks.task_type import Judgement

TOLERANCE = 1e-6
DOUBTFUL = 1e-3  # of the largest value of a quantity
CUT = 1e-2  # by which more levels of an oscillator may change a result
BOUNDS = dict.fromkeys(("population", "purity", "concurrence", "fidelity", "trace_distance"), (0.0, 1.0))
BOUNDS |= dict.fromkeys(("entropy", "g2"), (0.0, np.inf))


def judge(spec: DynamicsSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Norm and trace, positivity, bounds of quantities, numerical errors, deliverables, figures."""
    made = [_checks(results), _bounds(spec, results), _errors(spec, results), _cut(results)]
    return [*made, _complete(spec, results), _figures(spec, results, figures)]


def _values(record: Record) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray([] if record.value is None else record.value, dtype=float)


def _checks(results: Results) -> Judgement:
    norm = max((float(_values(one)) for one in results.find("norm_error")), default=1.0)
    lowest = min((float(_values(one)) for one in results.find("lowest_eigenvalue")), default=0.0)
    message = f"Norm or trace is off by at most {norm:.1e}; the lowest eigenvalue of a mixture is {lowest:.1e}."
    sound = norm < TOLERANCE and lowest > -TOLERANCE
    return Judgement("states", sound, message, "bug", "Tighten the tolerances of the integration.")


def _bounds(spec: DynamicsSpec, results: Results) -> Judgement:
    outside = []
    for demand in demands_of(spec.card()):
        low, high = BOUNDS.get(demand.kind, (-np.inf, np.inf))
        for one in results.find(demand.name):
            values = _values(one)
            if values.size and (values.min() < low - TOLERANCE or values.max() > high + TOLERANCE):
                outside.append(f"{demand.name} runs from {values.min():.3g} to {values.max():.3g}")
    return Judgement("bounds", not outside,
                     "; ".join(outside) or "Every probability and measure lies in its bounds.", "bug",
                     "Look for an operator that is no projector.")  # fmt: skip


def _errors(spec: DynamicsSpec, results: Results) -> Judgement:
    """The second method, or the tolerance changed, must not move a result by a thousandth of its size."""
    doubtful, worst = [], 0.0
    for demand in demands_of(spec.card()):
        found = results.find(demand.name)
        sizes = [*found, *results.find("scale", result=demand.name)]
        size = max((float(np.abs(_values(one)).max(initial=0.0)) for one in sizes), default=0.0)
        cut = max((float(_values(one)) for one in results.find("truncation")), default=0.0) * size
        for one in found:
            if one.value is not None and (one.uncertainty is None or one.uncertainty > DOUBTFUL * size + cut + 1e-9):
                doubtful.append(f"{demand.name} ({one.uncertainty})")
            worst = max(worst, (one.uncertainty or 0.0) / size if size else 0.0)
    message = f"Two computations agree within {worst:.1e} of each quantity."
    message = f"Doubtful: {', '.join(doubtful[:6])}." if doubtful else message
    return Judgement("numerical errors", not doubtful, message, "more_simulation",
                     "Shorten the times, or look for a result that jumps.")  # fmt: skip


def _cut(results: Results) -> Judgement:
    cut = max((float(_values(one)) for one in results.find("truncation")), default=0.0)
    message = f"A quarter more levels of every oscillator change the results by at most {cut:.1e} of their size."
    return Judgement(
        "levels of oscillators",
        cut < CUT,
        message,
        "more_simulation",
        "Give the oscillators more levels; where the task fixes their number, write levels: N instead.",
    )


def _complete(spec: DynamicsSpec, results: Results) -> Judgement:
    card = spec.card()
    cases, missing = cases_of(card), []
    axes = axes_of(cases)
    for demand in demands_of(card):
        wanted = len(demand.entries) * sum(chosen(demand.where, case, axes) for case in cases)
        swept = set(axes) | {"part"}
        found = [one for one in results.find(demand.name) if not one.axes or one.axes[0].name not in swept]
        if len(found) < wanted:
            missing.append(f"{demand.name} ({len(found)} of {wanted})")
    message = f"Missing: {', '.join(missing)}." if missing else "Every wanted result is there in every case."
    return Judgement("deliverables", not missing, message, "script_incomplete", "Compute every wanted result.")


def _figures(spec: DynamicsSpec, results: Results, figures: Mapping[str, object]) -> Judgement:
    records = [one.model_dump(mode="json") for one in results.records]
    wanted = [given["path"] for _, given in figures_of(spec.card(), records)]
    absent = [path for path in wanted if path not in figures]
    message = f"Missing: {', '.join(absent)}." if absent else f"All {len(wanted)} figures are there."
    return Judgement("wanted figures", not absent, message, "result_incomplete", "Draw them.")
