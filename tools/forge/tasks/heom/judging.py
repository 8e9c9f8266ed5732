"""What must hold of exciton dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.tasks.base import Judgement
from labwright.tools.forge.tasks.heom.spec import BathCase, HeomSpec
from labwright.tools.forge.tasks.results import Results


def judge(spec: HeomSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Populations of all cases, their sum, positivity, the start, the figure."""
    made = [one for case in spec.cases for one in _case(spec, case, results)]
    return [
        *made,
        Judgement(
            "figure",
            "img/populations.png" in figures,
            f"Figures: {', '.join(sorted(figures)) or 'none'}.",
            "result_incomplete",
            "Plot the populations of all sites against time.",
        ),
    ]


def course(results: Results, case: BathCase) -> NDArray[np.float64] | None:
    """Populations of a case, times x sites; None if they are not there."""
    values = [one.value for one in results.find("population", **case.labels)]
    tables = [value for value in values if isinstance(value, list) and value and isinstance(value[0], list)]
    return np.array(tables[0], dtype=float) if len(tables) == 1 else None  # the others are of one site each


def _case(spec: HeomSpec, case: BathCase, results: Results) -> list[Judgement]:
    name = told(case)
    values = course(results, case)
    if values is None or values.shape != (spec.n_times, len(spec.hamiltonian)):
        shape = "none" if values is None else str(values.shape)
        return [Judgement(f"populations {name}", False, f"Populations have the shape {shape}.", "script_incomplete",
                          "Record all sites at all times.")]  # fmt: skip
    off = float(np.abs(values.sum(axis=1) - 1).max())
    low, high = float(values.min()), float(values.max())
    begin = np.real(np.diag(np.array(spec.initial) @ [1, 1j]))
    return [
        Judgement(f"trace {name}", off < 1e-4, f"Populations sum to one within {off:.1e}."),
        Judgement(
            f"positivity {name}",
            low > -0.02 and high < 1.02,
            f"Populations lie between {low:.4f} and {high:.4f}.",
            "more_simulation",
            "Deepen the hierarchy, or add terms: a truncated hierarchy can leave the physical range.",
        ),
        Judgement(f"start {name}", bool(np.abs(values[0] - begin).max() < 1e-9), "The start is the asked state."),
    ]


def told(case: BathCase) -> str:
    """The case in a few words."""
    return ", ".join(f"{name} {value:g}" for name, value in case.labels.items())
