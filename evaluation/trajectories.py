"""Suite `search_trajectories`: how far the first idea of a search decides what the later ones reach.

Every search gives one abscissa, the best validation accuracy of its first trial, and one ordinate for each later
trial: the best of that trial, not the best so far. A line is fitted to all of them by least squares, as in Fig. 3 of
Sakka et al., Automating quantum feature map design via large language models (2025). The test part stays sealed.

Two kinds of searches: ungraded ones after a first map that the seed draws, and random ones, which draw every map and
learn nothing. In a random search the first trial cannot act on the later ones, so that what slope random searches show
tells how far chance goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from labwright.evaluation.case import Case
from labwright.evaluation.feature_maps import searched
from labwright.evaluation.regression import PUBLISHED, Line, Trajectory, regression
from labwright.evaluation.row import Row
from labwright.evaluation.sample_data import label
from labwright.evaluation.scoring import wilson
from labwright.evaluation.winners import finished_runs
from labwright.evaluation.workers import OnProgress, kept_or_temporary, run_cases
from labwright.tools.errors import InputError

SUITE = "search_trajectories"
FIGURE = "later_against_first.png"
COLUMNS = ("case", "kind", "status", "first", "last", "best", "gained", "seconds")
TRIALS = 6
SCALES = (0.3, 12.0)  # rad; drawn evenly in the logarithm, from hardly any rotation to a concentrated kernel


def run(
    seeds: int = 5,
    on_progress: OnProgress | None = None,
    *,
    first: int = 0,
    mind: str = "rules",
    workers: int = 2,
    out: Path | None = None,
    source: Path | None = None,
    dataset: Sequence[str] = ("digits",),
    trials: int = TRIALS,
) -> dict[str, Any]:
    """Later accuracies of short searches against their first, with the regression line.

    Args:
        seeds: searches of each kind.
        on_progress: hears one line a search.
        first: the first seed.
        mind: of the searches.
        workers: processes.
        out: keep the runs and the figure here.
        source: folder of finished searches to read instead of running any.
        dataset: one data set; its names as in a search.
        trials: of a search, one map each.

    Raises:
        InputError: `source` holds no finished search, or several data sets were named.
    """
    if source is not None:
        rows = rows_of_runs(source)
    else:
        if len(dataset) != 1:
            raise InputError(f"This suite takes one data set, but {len(dataset)} were named. Run it once for each.")
        cases = cases_of(seeds, first, trials, dataset[0])
        with kept_or_temporary(out) as folder:
            kept = run_cases(partial(searched, mind=mind), cases, folder / SUITE, workers, on_progress)
        rows = [_row(row, kind_of(case.options)) for row, case in zip(kept, cases, strict=True)]
    return _result(rows, mind, out)


def cases_of(seeds: int, first: int, trials: int, dataset: str) -> list[Case]:
    """Ungraded searches after a drawn start, and random ones."""
    cases = []
    for seed in range(first, first + seeds):
        common: dict[str, Any] = {"dataset": dataset, "trials": trials, "ideas": 1, "baselines": []}
        begun = {**common, "strategy": "ungraded", "persons_ideas": [drawn_start(seed)]}
        cases.append(Case(f"{label(dataset)} drawn start {seed}", seed, begun))
        cases.append(Case(f"{label(dataset)} random {seed}", seed, {**common, "strategy": "random"}))
    return cases


def drawn_start(seed: int) -> str:
    """A first map in the words that the rules mind reads; scale, axis and entangling gate are drawn."""
    rng = np.random.default_rng([seed, 45])
    low, high = np.log(SCALES)
    axis = ("RX", "RY")[int(rng.integers(2))]
    gate = ("CNOT", "CZ", "ISWAP", "IsingXX")[int(rng.integers(4))]
    return f"{axis} rotations of scale {np.exp(rng.uniform(low, high)):.2f}, no decay, a ring of {gate}"


def kind_of(choices: dict[str, Any]) -> str:
    """How a search went about it, from its choices."""
    return f"{choices['strategy']}, start given" if choices.get("persons_ideas") else str(choices["strategy"])


def rows_of_runs(folder: Path) -> list[Row]:
    """A row for every finished search at or below `folder`.

    Raises:
        InputError: there is none.
    """
    rows = [
        _row(
            {"case": run.run_id, "seed": run.record.seed, "status": "complete", "passed": True, "faults": "", **result},
            kind_of(run.record.choices),
        )
        for run, result in finished_runs(folder)
    ]
    if not rows:
        raise InputError(f"{folder} holds no finished search. Name a folder of runs, or leave it out to run searches.")
    return rows


def _row(row: Row, kind: str) -> Row:
    """What is kept of a search, from a row of the suite `search` or the result of a run."""
    best = [[one["trial"], one["validation_accuracy"]] for one in row.get("trajectory", [])]
    known = [accuracy for _, accuracy in best if accuracy is not None]
    first = best[0][1] if best else None
    return {
        **{name: row.get(name) for name in ("case", "seed", "status", "passed", "faults", "seconds")},
        "kind": kind,
        "first": first,
        "last": best[-1][1] if best else None,
        "best": max(known, default=None),
        "gained": max(known) - first if first is not None else None,
        "trials": best,
    }


def trajectory_of(row: Row) -> Trajectory:
    """The accuracies of a row."""
    known = tuple((int(trial), float(value)) for trial, value in row["trials"] if value is not None)
    return Trajectory(row["case"], row["kind"], known)


def _result(rows: list[Row], mind: str, out: Path | None) -> dict[str, Any]:
    found = [trajectory_of(row) for row in rows]
    kinds = dict.fromkeys(one.kind for one in found)
    fits = {"all": regression(found)}
    if len(kinds) > 1:
        fits |= {kind: regression([one for one in found if one.kind == kind]) for kind in kinds}
    lines = {name: fit for name, fit in fits.items() if fit is not None}
    passed = sum(bool(row["passed"]) for row in rows)
    result: dict[str, Any] = {
        "suite": SUITE,
        "mind": mind,
        "n": len(rows),
        "score": passed / len(rows),
        "interval": wilson(passed, len(rows)),
        "passed": passed == len(rows) and "all" in lines,
        "columns": COLUMNS,
        "regression": {name: line.plain() for name, line in lines.items()},
        "reference": PUBLISHED.plain(),
        "notes": _notes(lines),
        "rows": rows,
    }
    if out is not None and "all" in lines:
        result["figures"] = [_drawn(found, lines["all"], out)]
    return result


def _notes(lines: dict[str, Line]) -> list[str]:
    if "all" not in lines:
        return ["No line can be fitted: it takes searches with later trials, and two different first accuracies."]
    told = [f"later trials against the first, {name}: {line.words()}" for name, line in lines.items()]
    return [*told, f"for comparison, other data and other minds ({PUBLISHED.what}): {PUBLISHED.words()}"]


def _drawn(found: Sequence[Trajectory], line: Line, out: Path) -> str:
    from labwright.evaluation.figures import trajectories_figure
    from labwright.tools.experiments.figures import save

    name = f"{SUITE}/{FIGURE}"
    (out / SUITE).mkdir(parents=True, exist_ok=True)
    save(trajectories_figure(found, line, PUBLISHED), out / name)
    return name
