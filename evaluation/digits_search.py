"""Suite `search`: whole searches on the digits, beside classical methods on the same splits.

A seed draws the split, the search and the tuning of the baselines. Nothing is chosen by the test part: it is opened
once, by the finished search. The control that a graded map has to be seen beside is an RBF kernel with the same rank
weights.
"""

from __future__ import annotations

import math
from datetime import datetime
from functools import partial
from statistics import median_high
from typing import Any

from labwright.evaluation.accuracy_spread import compared
from labwright.evaluation.case import Case, seeds_of
from labwright.evaluation.runner import Context, Options, Row, Suite, spent
from labwright.tools.runs.run import Run, open_run

TOLERATED = 0.005  # of test accuracy, below default RBF on digits
SECONDS = 60.0  # of a search on digits
EVALUATIONS = 60
METHODS = (
    "linear", "rbf_default", "rbf_tuned", "rbf_weighted", "standard_linear", "standard_rbf", "pca_rbf_default",
    "pca_rbf", "gradient_boosting",
)  # fmt: skip
REFERENCE = "rbf_default"
COLUMNS = ("case", "status", "validation", "test", *METHODS, "evaluations", "search_seconds")


def cases_of(options: Options) -> list[Case]:
    """Digits at the defaults."""
    methods: Any = list(METHODS)
    return [
        Case(f"digits {strategy} {seed}", seed, {"dataset": "digits", "strategy": strategy, "baselines": methods})
        for strategy in options["strategies"]
        for seed in seeds_of(options)
    ]


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
        **{name: found["data"][name] for name in ("n_train", "n_test") if name in found.get("data", {})},
        "evaluations": found.get("evaluations"),
        "seconds": round(document["seconds"], 1),
        "search_seconds": search_seconds,
        "trajectory": found.get("trajectory", []),
        "feature_map": found.get("feature_map", {}),
        **spent(document["usage"]),
    }


def summarise(rows: list[Row], context: Context, least: float, longest: float) -> dict[str, Any]:
    """Accuracies by strategy, and paired differences to the kernels.

    It passes if the first strategy is at most `least` away from default RBF in the mean, and takes at most `longest`
    seconds in the median.
    """
    rows = [row for row in rows if row.get("test") is not None]
    kernels = list(dict.fromkeys(name for row in rows for name in _kernels(row)))
    table = compared(rows, "strategy", kernels)
    for strategy, entry in table.items():
        own = [row for row in rows if row["strategy"] == strategy]
        entry["difference"] = entry.get(f"minus {REFERENCE}", 0.0)
        entry["search_seconds_median"] = median_high(row["search_seconds"] or row["seconds"] for row in own)
        entry["evaluations_most"] = float(max(row["evaluations"] for row in own))
    ours = table.get(context.options["strategies"][0], {"difference": -1.0, "search_seconds_median": math.inf})
    return {"summary": table, "passed": ours["difference"] >= least and ours["search_seconds_median"] <= longest}


def _kernels(row: Row) -> Row:
    own = ("validation", "test", "seconds", "search_seconds")
    return {name: value for name, value in row.items() if isinstance(value, float) and name not in own}


SEARCH = Suite(
    name="search",
    doc="Whole searches on scikit-learn's digits, beside classical kernels on the same splits",
    cases=cases_of,
    run=searched,
    options={"seeds": 5, "first": 0, "mind": "rules", "strategies": ("graded",)},
    summarise=partial(summarise, least=-TOLERATED, longest=SECONDS),
    chooses=("seeds", "first", "strategies"),
    columns=COLUMNS,
    required=1.0,
    workers=1,
)
