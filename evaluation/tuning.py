"""Suite `search_tuning`: a map beside the baselines, each tuned several times: the protocol of published tables.

One split of the data; for each method five independent tuning runs with their own seeds; then mean and standard
deviation of the test accuracy with the hyperparameters that each run chose. The standard deviation is the tuner's
chance alone. That of the split is larger, and is what the suites with several seeds measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labwright.evaluation.case import Case
from labwright.evaluation.runner import Context, OnProgress, Options, Row, Suite
from labwright.evaluation.sample_data import dataset as named_dataset
from labwright.evaluation.sample_data import features_of, reduced_split
from labwright.evaluation.winners import Winner, prepare
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.tools.datasets.base import Part, Split
    from labwright.tools.feature_maps.tuning_runs import TuningRuns

FOUND = "found"
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


def prepare_checked(options: Options, folder: Path, tell: OnProgress) -> Options:
    """The options with the winner; bad ones are named before a search for a winner begins.

    Raises:
        InputError: several data sets, an unknown baseline, or no winner.
    """
    if unknown := [name for name in options["names"] if name not in TITLES]:
        raise InputError(f"There is no baseline {unknown[0]!r}. There are: {', '.join(TITLES)}.")
    if len(options["dataset"]) > 1:
        raise InputError(
            f"This suite takes one data set, but {len(options['dataset'])} were named. Run it once for each."
        )
    return prepare(options, folder, tell)


def cases_of(options: Options) -> list[Case]:
    """The map and the baselines, on one data set; by default the one that the map was found on, in the same split."""
    return [Case(name, options["first"], {"dataset": _dataset(options)}) for name in (FOUND, *options["names"])]


def _dataset(options: Options) -> str:
    return str(next(iter(options["dataset"]), None) or options["winner"]["dataset"] or "digits")


def tuned(case: Case, context: Context) -> Row:
    """All tuning runs of one method."""
    from labwright.tools.feature_maps.tuning_runs import baseline_runs

    runs, trials, found = context.options["seeds"], context.options["trials"], Winner(**context.options["winner"])
    split = split_for(found, str(case.options["dataset"]))
    part = split.sealed.open()
    if case.name == FOUND:
        made = _map_runs(found, split, part, case.seed, runs, trials)
    else:
        settings: dict[str, Any] = {"n_qubits": found.n_qubits, "seed": case.seed, "tuning_trials": trials}
        [made] = baseline_runs(split, part, (case.name,), runs=runs, **settings)
    return {
        "dataset": case.options["dataset"],
        "passed": len(made.accuracies) == runs,
        "faults": "",
        "mean": float(f"{made.mean:.5g}"),
        "sd": float(f"{made.std:.5g}"),
        "accuracies": list(made.accuracies),
        "hyperparameters": list(made.hyperparameters),
        "n_train": len(split.train.y),
        "n_test": len(part.y),
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
    return [
        f"| method | test accuracy on {dataset}: mean ± sd of {runs} tuning runs of {trials} settings,"
        f" {rows[0]['n_train']} training and {rows[0]['n_test']} test samples |",
        "|---|---:|",
        *(f"| {TITLES[name]} | {_accuracy(row)} |" for name, row in told.items() if name != FOUND),
        *(f"| {winner.name} | {_accuracy(row)} |" for name, row in told.items() if name == FOUND),
    ]


def _accuracy(row: Row) -> str:
    return f"{row['mean']:.4f} ± {row['sd']:.4f}"


def _warning(winner: Winner, dataset: str) -> list[str]:
    if winner.dataset:
        return []
    return [f"The code comes from a file: whether it was chosen by test samples of {dataset} cannot be told."]


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """The table of published comparisons."""
    options, winner = context.options, Winner(**context.options["winner"])
    dataset = _dataset(options)
    lines = markdown(rows, winner, dataset, options["seeds"], options["trials"])
    return {"winner": winner.plain(), "notes": [*lines, *_warning(winner, dataset)]}


SUITE = Suite(
    name="search_tuning",
    doc="A map beside the baselines, each tuned several times on one split; --source names the map's run",
    cases=cases_of,
    run=tuned,
    # seeds: tuning runs of each method; trials: settings tried in one, the defaults first
    options={
        "seeds": 5,
        "first": 0,
        "mind": "rules",
        "source": None,
        "dataset": (),
        "trials": 10,
        "names": tuple(TITLES),
        "winner": None,
    },
    prepare=prepare_checked,
    summarise=summarise,
    chooses=("names",),
    columns=COLUMNS,
    required=1.0,
    workers=2,
)
