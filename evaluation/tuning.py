"""Suite `search_tuning`: a map beside the baselines, each tuned several times: the protocol of published tables.

One split of the data; for each method five independent tuning runs with their own seeds; then mean and standard
deviation of the test accuracy with the hyperparameters that each run chose. The standard deviation is the tuner's
chance alone. That of the split is larger, and is what the suites with several seeds measure.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labwright.evaluation.case import Case
from labwright.evaluation.row import Row
from labwright.evaluation.sample_data import dataset as named_dataset
from labwright.evaluation.sample_data import features_of, reduced_split
from labwright.evaluation.scoring import wilson
from labwright.evaluation.winners import Winner, found_winner
from labwright.evaluation.workers import OnProgress, kept_or_temporary, run_cases
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.tools.datasets.base import Part, Split
    from labwright.tools.feature_maps.tuning_runs import TuningRuns

SUITE = "search_tuning"
FOUND = "found"
TRIALS = 10  # settings tried in one tuning run
COLUMNS = ("case", "status", "mean", "sd", "seconds")
TITLES = {
    "linear": "linear",
    "polynomial": "polynomial",
    "sigmoid": "sigmoid",
    "rbf_default": "RBF, default",
    "rbf_tuned": "RBF, tuned",
    "rbf_weighted": "RBF, weights by rank (control)",
    "zz": "ZZ",
    "npqc": "NPQC",
    "yzcx": "YZCX",
}


def run(
    seeds: int = 5,
    on_progress: OnProgress | None = None,
    *,
    first: int = 0,
    mind: str = "rules",
    workers: int = 2,
    out: Path | None = None,
    source: Path | None = None,
    dataset: Sequence[str] = (),
    trials: int = TRIALS,
    names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A map and the baselines, each tuned several times on one split: mean and deviation.

    Args:
        seeds: tuning runs of each method.
        on_progress: hears one line a method.
        first: seed of the first tuning run, and of the short search if there is no `source`.
        mind: of the short search.
        workers: processes.
        out: keep the short search and the rows here.
        source: folder of the run whose winner is meant, or a file with code; None: a short search on digits.
        dataset: one data set; none: the one that the map was found on, in the same split.
        trials: settings tried in one tuning run, the defaults first.
        names: baselines; None: all.

    Raises:
        InputError: no winner, several data sets, or an unknown baseline.
    """
    wanted = tuple(TITLES) if names is None else tuple(names)
    if unknown := [name for name in wanted if name not in TITLES]:
        raise InputError(f"There is no baseline {unknown[0]!r}. There are: {', '.join(TITLES)}.")
    if len(dataset) > 1:
        raise InputError(f"This suite takes one data set, but {len(dataset)} were named. Run it once for each.")
    with kept_or_temporary(out) as folder:
        winner = found_winner(source, folder / SUITE, mind, first, workers, on_progress)
        chosen = dataset[0] if dataset else winner.dataset or "digits"
        job = partial(tuned, winner=winner.plain(), runs=seeds, trials=trials)
        cases = [Case(name, first, {"dataset": chosen}) for name in (FOUND, *wanted)]
        rows = run_cases(job, cases, folder / SUITE, workers, on_progress)
    passed = sum(bool(row["passed"]) for row in rows)
    return {
        "suite": SUITE,
        "n": len(rows),
        "score": passed / len(rows),
        "interval": wilson(passed, len(rows)),
        "passed": passed == len(rows),
        "columns": COLUMNS,
        "winner": winner.plain(),
        "notes": [*markdown(rows, winner, chosen, seeds, trials), *_warning(winner, chosen)],
        "rows": rows,
    }


def tuned(case: Case, folder: Path, winner: dict[str, Any], runs: int, trials: int) -> Row:
    """All tuning runs of one method."""
    from labwright.tools.feature_maps.tuning_runs import baseline_runs

    began, found = time.perf_counter(), Winner(**winner)
    split = split_for(found, str(case.options["dataset"]))
    part = split.sealed.open()
    if case.name == FOUND:
        made = _map_runs(found, split, part, case.seed, runs, trials)
    else:
        settings: dict[str, Any] = {"n_qubits": found.n_qubits, "seed": case.seed, "tuning_trials": trials}
        [made] = baseline_runs(split, part, (case.name,), runs=runs, **settings)
    return {
        "case": case.name,
        "seed": case.seed,
        "dataset": case.options["dataset"],
        "status": "complete",
        "passed": len(made.accuracies) == runs,
        "faults": "",
        "mean": float(f"{made.mean:.5g}"),
        "sd": float(f"{made.std:.5g}"),
        "accuracies": list(made.accuracies),
        "hyperparameters": list(made.hyperparameters),
        "n_train": len(split.train.y),
        "n_test": len(part.y),
        "seconds": round(time.perf_counter() - began, 1),
    }


def split_for(winner: Winner, name: str) -> Split:
    """The very split that the map was found on, so that its test part is still unseen; elsewhere one of its own."""
    from labwright.tools.datasets import prepare_split

    data = named_dataset(name, winner.seed)
    if name == winner.dataset:
        return prepare_split(data, winner.n_features or features_of(data), winner.seed)
    return reduced_split(data, features_of(data), winner.seed)


def _map_runs(found: Winner, split: Split, part: Part, seed: int, runs: int, trials: int) -> TuningRuns:
    from labwright.tools.feature_maps.compile import Compiler
    from labwright.tools.feature_maps.tuning_runs import map_runs
    from labwright.tools.sandbox import open_sandbox

    with Compiler(open_sandbox()) as compiler:
        return map_runs(
            found.name, found.source, compiler, split, part, found.n_qubits, runs=runs, seed=seed, trials=trials
        )


def markdown(rows: Sequence[Row], winner: Winner, dataset: str, runs: int, trials: int) -> list[str]:
    """The lines of a Markdown table, baselines in their order and the map last."""
    told = {row["case"]: row for row in rows}
    done = next((row for row in rows if "n_train" in row), {"n_train": "?", "n_test": "?"})
    return [
        f"| method | test accuracy on {dataset}: mean ± sd of {runs} tuning runs of {trials} settings,"
        f" {done['n_train']} training and {done['n_test']} test samples |",
        "|---|---:|",
        *(f"| {TITLES[name]} | {_accuracy(row)} |" for name, row in told.items() if name != FOUND),
        f"| {winner.name} | {_accuracy(told[FOUND])} |",
    ]


def _accuracy(row: Row) -> str:
    return f"{row['mean']:.4f} ± {row['sd']:.4f}" if "mean" in row else f"failed: {row['faults']}"


def _warning(winner: Winner, dataset: str) -> list[str]:
    if winner.dataset:
        return []
    return [f"The code comes from a file: whether it was chosen by test samples of {dataset} cannot be told."]
