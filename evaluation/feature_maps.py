"""Suites `search` and `search_augmented`: whole searches, beside classical kernels on the same splits.

A seed draws the split, the search and the tuning of the baselines. Nothing is chosen by the test part: it is opened
once, by the finished search. The control that a graded map has to be seen beside is an RBF kernel with the same rank
weights, and, on the larger data, the same search without graded maps and plain random search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from statistics import mean, stdev
from typing import Any

from labwright.evaluation.case import Case
from labwright.evaluation.runner import Context, Options, Row, Suite, spent
from labwright.tools.runs.run import Run, open_run

TOLERATED = 0.005  # of test accuracy, below default RBF on digits
SECONDS = 60.0  # of a search on digits
EVALUATIONS = 60
AUGMENTED = {"trials": 10, "tuning_trials": 10}  # 20 evaluations of 6 to 9 processor seconds
CONTROLS = ("linear", "rbf_default", "rbf_weighted")
REFERENCE = "rbf_default"
COLUMNS = (
    "case", "status", "validation", "test", "rbf_default", "rbf_tuned", "rbf_weighted", "evaluations", "search_seconds",
)  # fmt: skip


def plain_searches(options: Options) -> list[Case]:
    """Digits at the defaults."""
    seeds = range(options["first"], options["first"] + options["seeds"])
    return [_case("digits", strategy, seed) for strategy in options["strategies"] for seed in seeds]


def augmented_searches(options: Options) -> list[Case]:
    """Distorted digits, seed by seed: stopped early, the strategies are compared on the seeds that there are."""
    seeds, strategies = range(options["first"], options["first"] + options["seeds"]), options["strategies"]
    # the classical kernels do not depend on the strategy
    return [
        _case("digits-augmented", strategy, seed, AUGMENTED, CONTROLS if strategy == strategies[0] else ())
        for seed in seeds
        for strategy in strategies
    ]


def _case(
    dataset: str, strategy: str, seed: int, options: dict[str, int] | None = None, kernels: Sequence[str] | None = None
) -> Case:
    chosen: dict[str, Any] = {"dataset": dataset, "strategy": strategy, **(options or {})}
    if kernels is not None:
        chosen["baselines"] = list(kernels)
    return Case(f"{dataset} {strategy} {seed}", seed, chosen)


def searched(case: Case, context: Context) -> Row:
    """One search, and what its result document says."""
    from labwright.graphs.feature_map_search.choices import Choices
    from labwright.graphs.feature_map_search.running import SearchRequest, start

    chosen = {**case.options, "seed": case.seed, "mind": context.options["mind"], "approval": "auto"}
    choices = Choices.model_validate({**chosen, "answers": "defaults", "figures": False})
    outcome = start(SearchRequest(f"Find a quantum feature map for {choices.dataset}", choices), context.folder)
    return row_of(case, outcome.document, seconds_of_search(open_run(context.folder, outcome.run_id)))


def seconds_of_search(run: Run) -> float | None:
    """From the start of a run to the opening of the test part, without baselines; None if it did not come so far."""
    at = {event["kind"]: datetime.fromisoformat(event["time"]) for event in run.events.read()}
    return (at["revealed"] - at["run_started"]).total_seconds() if {"run_started", "revealed"} <= at.keys() else None


def row_of(case: Case, document: dict[str, Any], search_seconds: float | None) -> Row:
    """The numbers of one search."""
    found = document["result"]
    test = {name: entry["test_accuracy"] for name, entry in found.get("baselines", {}).items()}
    faults = []
    if document["status"] != "complete":
        faults.append(f"ended {document['status']}: {document['reason']}")
    if found.get("evaluations", 0) > EVALUATIONS:
        faults.append(f"{found['evaluations']} evaluations")
    return {
        "strategy": str(case.options["strategy"]),
        "status": document["status"],
        "passed": not faults,
        "faults": "; ".join(faults),
        "validation": found.get("validation_accuracy"),
        "test": found.get("test_accuracy"),
        **test,
        "evaluations": found.get("evaluations"),
        "seconds": round(document["seconds"], 1),
        "search_seconds": search_seconds,
        "trajectory": found.get("trajectory", []),
        "feature_map": found.get("feature_map", {}),
        **spent(document["usage"]),
    }


def plain_summary(rows: list[Row], context: Context) -> dict[str, Any]:
    """The first strategy has to be as good as default RBF, nearly, and done in a minute."""
    table = summary(rows)
    ours = table.get(context.options["strategies"][0])
    quick = ours is not None and ours["search_seconds_median"] <= SECONDS
    return {"summary": table, "passed": quick and ours is not None and ours["difference"] >= -TOLERATED}


def augmented_summary(rows: list[Row], context: Context) -> dict[str, Any]:
    """The first strategy has to be as good as default RBF."""
    table = summary(rows)
    ours = table.get(context.options["strategies"][0])
    return {"summary": table, "passed": ours is not None and ours["difference"] >= 0}


def summary(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """For each strategy: mean and standard deviation of the test accuracy, and the paired difference to the kernels."""
    table = {}
    rows = _with_kernels(rows)
    for strategy in dict.fromkeys(str(row.get("strategy", "")) for row in rows):
        done = [row for row in rows if row.get("strategy") == strategy and row.get("test") is not None]
        if done:
            table[strategy] = _of_strategy(done)
    return table


def _with_kernels(rows: Sequence[Row]) -> list[Row]:
    """Every row with the kernels' accuracies on its seed, which one of the strategies has measured."""
    measured: dict[Any, Row] = {}
    for row in rows:
        kernels = {name: value for name, value in row.items() if isinstance(value, float) and name not in _OWN}
        measured.setdefault(row.get("seed"), {}).update(kernels)
    return [{**measured[row.get("seed")], **row} for row in rows]


def _of_strategy(rows: Sequence[Row]) -> dict[str, float]:
    kernels = [name for name in rows[0] if isinstance(rows[0][name], float) and name not in _OWN]
    entry = {"searches": float(len(rows)), **_spread("test", [row["test"] for row in rows])}
    for name in kernels:
        entry |= _spread(name, [row[name] for row in rows])
        entry |= _spread(f"minus {name}", [row["test"] - row[name] for row in rows], error=True)
    entry["difference"] = entry.get(f"minus {REFERENCE}", 0.0)
    seconds = sorted(row["search_seconds"] or row["seconds"] for row in rows)
    entry["search_seconds_median"] = seconds[len(seconds) // 2]
    entry["evaluations_most"] = float(max(row["evaluations"] for row in rows))
    return {name: float(f"{value:.5g}") for name, value in entry.items()}


_OWN = ("validation", "test", "seconds", "search_seconds")


def _spread(name: str, values: Sequence[float], *, error: bool = False) -> dict[str, float]:
    """Mean, and standard deviation (or standard error of the mean) of `values`."""
    if len(values) < 2:
        return {name: mean(values)}
    spread = stdev(values)
    return {
        name: mean(values),
        f"{name} {'se' if error else 'sd'}": spread / math.sqrt(len(values)) if error else spread,
    }


SEARCH = Suite(
    name="search",
    doc="Whole searches on scikit-learn's digits, beside classical kernels on the same splits",
    cases=plain_searches,
    run=searched,
    options={"seeds": 5, "first": 0, "mind": "rules", "strategies": ("graded",)},
    summarise=plain_summary,
    chooses=("seeds", "first", "strategies"),
    columns=COLUMNS,
    required=1.0,
    workers=1,
)
AUGMENTED_SEARCH = replace(
    SEARCH,
    name="search_augmented",
    doc="Strategies at one budget on distorted digits at the paper's size (6000/2000/2000, 80 components)",
    cases=augmented_searches,
    options={**SEARCH.options, "strategies": ("graded", "ungraded", "random")},
    summarise=augmented_summary,
)
