"""Suite `search_transfer`: a map that was found on one data set, on others, beside default RBF on the same samples.

Nothing is tuned: the map keeps the hyperparameters that it was found with, C is 1. ``digits-augmented`` is made of the
same drawings as ``digits``, so that it shows what distortion does rather than what new data do; the other data sets
have nothing to do with digits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from labwright.evaluation.case import Case
from labwright.evaluation.row import Row
from labwright.evaluation.sample_data import dataset as named_dataset
from labwright.evaluation.sample_data import features_of, label, reduced_split
from labwright.evaluation.scoring import wilson
from labwright.evaluation.spread import compared
from labwright.evaluation.winners import Winner, found_winner
from labwright.evaluation.workers import OnProgress, kept_or_temporary, run_cases
from labwright.tools.errors import RuleError
from labwright.tools.feature_maps.circuit import Circuit

SUITE = "search_transfer"
DATASETS = ("digits-augmented", "wine", "breast-cancer")
REFERENCE = "rbf_default"
COLUMNS = ("case", "how", "features", "n_train", "n_test", "test", "rbf_default", "seconds")
How = Literal["compiled", "data cut", "map cut"]  # for the data's number of features; else what is cut to the other's


def run(
    seeds: int = 3,
    on_progress: OnProgress | None = None,
    *,
    first: int = 0,
    mind: str = "rules",
    workers: int = 1,
    out: Path | None = None,
    source: Path | None = None,
    dataset: Sequence[str] = DATASETS,
) -> dict[str, Any]:
    """Test accuracy of one map on other data sets, beside default RBF.

    Args:
        seeds: splits of each data set.
        on_progress: hears one line a split.
        first: seed of the first split, and of the short search if there is no `source`.
        mind: of the short search.
        workers: processes.
        out: keep the short search and the rows here.
        source: folder of the run whose winner is meant, or a file with code; None: a short search on digits.
        dataset: where to try it; as a search names them, and ``wine`` and ``breast-cancer``.

    Raises:
        InputError: no winner.
    """
    with kept_or_temporary(out) as folder:
        winner = found_winner(source, folder / SUITE, mind, first, workers, on_progress)
        rows = transfer(winner, dataset, seeds=range(first, first + seeds), out=folder / SUITE,
                        workers=workers, on_progress=on_progress)  # fmt: skip
    passed = sum(bool(row["passed"]) for row in rows)
    return {
        "suite": SUITE,
        "n": len(rows),
        "score": passed / len(rows),
        "interval": wilson(passed, len(rows)),
        "passed": passed == len(rows),
        "columns": COLUMNS,
        "winner": winner.plain(),
        "summary": compared(rows, "dataset", (REFERENCE,)),
        "notes": [f"map {winner.name}, found on {winner.dataset or 'unknown data'}; nothing was tuned anew"],
        "rows": rows,
    }


def transfer(
    winner: Winner,
    datasets: Sequence[str],
    *,
    seeds: Sequence[int] = (0,),
    out: Path,
    workers: int = 0,
    on_progress: OnProgress | None = None,
) -> list[Row]:
    """One row for each data set and split.

    Args:
        winner: what to try.
        datasets: names.
        seeds: of the splits.
        out: folder of the rows; those that lie there are not made again.
        workers: processes; 0: this one.
        on_progress: hears one line a row.
    """
    cases = [Case(f"{label(name)} {seed}", seed, {"dataset": name}) for name in datasets for seed in seeds]
    return run_cases(partial(transferred, winner=winner.plain()), cases, out, workers, on_progress)


def transferred(case: Case, folder: Path, winner: dict[str, Any]) -> Row:
    """The map and default RBF on one split; its test part is opened for these two only."""
    from labwright.graphs.feature_map_search.confinement import CONFINED
    from labwright.tools.feature_maps.assess import test_scores
    from labwright.tools.feature_maps.baselines import baselines

    began, name = time.perf_counter(), str(case.options["dataset"])
    data, found = named_dataset(name, case.seed), Winner(**winner)
    confined = CONFINED.open("landlock")
    how, circuit = placed(
        found, features_of(data), lambda n: confined.compile(found.source, found.n_qubits, n, found.seed).circuit
    )
    split = reduced_split(data, circuit.n_features, case.seed)
    part = split.sealed.open()
    [other] = baselines(split, part, (REFERENCE,), n_qubits=found.n_qubits, seed=case.seed)
    return {
        "case": case.name,
        "seed": case.seed,
        "dataset": name,
        "status": "complete",
        "passed": True,
        "faults": "",
        "how": how,
        "features": circuit.n_features,
        "unused_features": circuit.n_features - len(used_features(circuit)),
        "n_train": len(split.train.y),
        "n_test": len(part.y),
        "classes": len(split.classes),
        "test": test_scores(circuit, split, part).accuracy,
        REFERENCE: other.test.accuracy if other.test else None,
        "seconds": round(time.perf_counter() - began, 2),
    }


def placed(winner: Winner, n_features: int, compiled: Callable[[int], Circuit]) -> tuple[How, Circuit]:
    """The map for data of `n_features`, compiled for this number where its code allows that.

    Args:
        winner: the map.
        n_features: of the data.
        compiled: the map's circuit for a number of features.

    Raises:
        RuleError: the code serves no other number of features, and its own is not known.
    """
    try:
        return "compiled", compiled(n_features)
    except RuleError:
        if winner.n_features in (None, n_features):
            raise
    circuit = compiled(int(winner.n_features or 0))
    return ("data cut", circuit) if circuit.n_features < n_features else ("map cut", cut(circuit, n_features))


def cut(circuit: Circuit, n_features: int) -> Circuit:
    """The circuit for the first `n_features` features only; those that are missing count as 0."""
    gates = []
    for gate in circuit.gates:
        angles = tuple(
            replace(angle, weights=tuple(pair for pair in angle.weights if pair[0] < n_features))
            for angle in gate.angles
        )
        gates.append(replace(gate, angles=angles))
    return Circuit(circuit.n_qubits, n_features, tuple(gates))


def used_features(circuit: Circuit) -> set[int]:
    """Features that some angle depends on."""
    return {feature for gate in circuit.gates for angle in gate.angles for feature, _ in angle.weights}
