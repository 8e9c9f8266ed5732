"""What must hold of the results of a few-level task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labwright.tools.forge.families.base import Judgement
from labwright.tools.forge.families.open_system.spec import OpenSystemSpec
from labwright.tools.forge.results import Record, Results

TOLERANCE = 1e-5  # of integrations with a relative tolerance of 1e-9 over thousands of periods


def judge(spec: OpenSystemSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Norm and trace, positivity, energy, populations, the approach to the steady state, deliverables."""
    return [
        _norms(results),
        _positive(results),
        _energy(spec, results),
        _populations(spec, results),
        _steady(spec, results),
        _complete(spec, results),
        _figures(figures),
    ]


def _values(record: Record) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray(record.value, dtype=float)


def _norms(results: Results) -> Judgement:
    worst = max((float(_values(one)) for one in results.find("norm_error")), default=1.0)
    return Judgement(
        "norm and trace",
        worst < TOLERANCE,
        f"Norm or trace deviates from one by at most {worst:.1e}.",
        "bug",
        "Tighten the integrator's tolerances.",
    )


def _positive(results: Results) -> Judgement:
    lowest = min((float(_values(one)) for one in results.find("lowest_eigenvalue")), default=0.0)
    return Judgement(
        "positivity",
        lowest > -TOLERANCE,
        f"The smallest eigenvalue of any density matrix is {lowest:.1e}.",
        "bug",
        "Tighten the integrator's tolerances, or look for a generator that is not of Lindblad form.",
    )


def _energy(spec: OpenSystemSpec, results: Results) -> Judgement:
    worst = 0.0
    for case in spec.cases:
        if case.method == "unitary" and not case.drives:
            for one in results.find("energy", **case.labels):
                values = _values(one)
                worst = max(worst, float(np.ptp(values)) / max(1.0, float(np.abs(values).max())))
    return Judgement(
        "energy of closed cases",
        worst < TOLERANCE,
        f"Without drive and damping the energy varies by at most {worst:.1e} of its size.",
        "bug",
        "Look for a time-dependent term or too coarse an integration.",
    )


def _populations(spec: OpenSystemSpec, results: Results) -> Judgement:
    found = [_values(one) for one in results.find("population")]
    low, high = (min(v.min() for v in found), max(v.max() for v in found)) if found else (0.0, 1.0)
    complete = sorted(k for indices in spec.populations.values() for k in indices) == list(
        range(int(np.prod(spec.dims)))
    )
    off = 0.0
    if complete and found:
        for case in spec.cases:
            rows = [_values(one) for one in results.find("population", **case.labels) if _same(one, case.labels)]
            off = max(off, float(np.abs(np.sum(rows, axis=0) - 1).max())) if rows else off
    return Judgement(
        "populations",
        bool(low > -TOLERANCE and high < 1 + TOLERANCE and off < TOLERANCE),
        f"Populations lie between {low:.2e} and {high:.4f}"
        + (f" and sum to one within {off:.1e}." if complete else "."),
        "bug",
        "Look for a wrong projector or basis.",
    )


def _same(one: Record, labels: Mapping[str, Any]) -> bool:
    return set(one.labels) - {"level"} == set(labels)


def _steady(spec: OpenSystemSpec, results: Results) -> Judgement:
    """At the end of a long evolution, expectation values have come near the steady state as fast as they can."""
    told, worst = "No steady state was asked for.", 0.0
    for steady in results.find("steady_state"):
        if steady.axes:
            continue  # the same numbers once more, along a swept quantity
        labels = {name: value for name, value in steady.labels.items() if name not in ("observable", "level")}
        rates = [float(_values(one)) for one in results.find("slowest_rate", **labels)]
        quantity = "population" if "level" in steady.labels else "expectation"
        name = (
            {"level": steady.labels["level"]}
            if "level" in steady.labels
            else {"observable": steady.labels["observable"]}
        )
        for one in results.find(quantity, **name, **labels):
            if one.labels.get("evolution") == "unitary" or not rates:
                continue
            elapsed = one.axes[0].values[-1] - one.axes[0].values[0]
            allowed = 50 * float(np.exp(-rates[0] * elapsed)) + TOLERANCE
            off = abs(float(_values(one)[-1]) - float(_values(steady)))
            worst = max(worst, off - allowed)
            told = (
                f"Final values approach the steady state at least as fast as its slowest rate {rates[0]:.4g} demands."
            )
    return Judgement("steady state", worst <= 0, told, "bug", "Evolution and steady state use different generators.")


def _complete(spec: OpenSystemSpec, results: Results) -> Judgement:
    missing = [want for want in spec.wants if not results.find(want)]
    short = [one.quantity for one in results.records if one.axes and len(_values(one)) != len(one.axes[0].values)]
    return Judgement(
        "deliverables",
        not missing and not short,
        f"Missing quantities: {', '.join(missing) or 'none'}; series of a wrong length: {len(short)}.",
        "script_incomplete",
        "Record every wanted quantity for every case.",
    )


def _figures(figures: Mapping[str, object]) -> Judgement:
    lines = [path for path, data in figures.items() if isinstance(data, dict) and data.get("kind") == "lines"]
    return Judgement(
        "figures", bool(lines), f"{len(lines)} figures show time traces.", "result_incomplete", "Plot them."
    )
