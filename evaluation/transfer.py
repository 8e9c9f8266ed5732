"""Suite `search_transfer`: a map that was found on one data set, on others, beside default RBF on the same samples.

Nothing is tuned: the map keeps the hyperparameters that it was found with, C is 1. ``digits-augmented`` is made of the
same drawings as ``digits``, so that it shows what distortion does rather than what new data do; the other data sets
have nothing to do with digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from labwright.evaluation.case import Case, seeds_of
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.evaluation.sample_data import dataset as named_dataset
from labwright.evaluation.sample_data import features_of, label, reduced_split
from labwright.evaluation.spread import compared
from labwright.evaluation.winners import Winner, prepare
from labwright.tools.errors import RuleError
from labwright.tools.feature_maps.circuit import Circuit

DATASETS = ("digits-augmented", "wine", "breast-cancer")
REFERENCE = "rbf_default"
COLUMNS = ("case", "how", "features", "n_train", "n_test", "test", "rbf_default", "seconds")
How = Literal["compiled", "data cut", "map cut"]  # for the data's number of features; else what is cut to the other's


def cases_of(options: Options) -> list[Case]:
    """Splits of each data set, named as a search names them, or ``wine`` or ``breast-cancer``."""
    return [
        Case(f"{label(name)} {seed}", seed, {"dataset": name})
        for name in options["dataset"]
        for seed in seeds_of(options)
    ]


def transferred(case: Case, context: Context) -> Row:
    """The map and default RBF on one split; its test part is opened for these two only."""
    from labwright.graphs.feature_map_search.confinement import CONFINED
    from labwright.tools.feature_maps.assess import scores, test_predictions
    from labwright.tools.feature_maps.baselines import baselines

    name, found = str(case.options["dataset"]), Winner(**context.options["winner"])
    data = named_dataset(name, case.seed)
    confined = CONFINED.open("landlock")
    how, circuit = placed(
        found, features_of(data), lambda n: confined.compile(found.source, found.n_qubits, n, seed=found.seed).circuit
    )
    split = reduced_split(data, circuit.n_features, case.seed)
    part = split.sealed.open()
    [other] = baselines(split, part, (REFERENCE,), n_qubits=found.n_qubits, seed=case.seed)
    return {
        "dataset": name,
        "passed": True,
        "faults": "",
        "how": how,
        "features": circuit.n_features,
        "unused_features": circuit.n_features - len(used_features(circuit)),
        "n_train": len(split.train.y),
        "n_test": len(part.y),
        "classes": len(split.classes),
        "test": scores(part.y, test_predictions(circuit, split, part)).accuracy,
        REFERENCE: other.test.accuracy if other.test else None,
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


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Accuracies by data set, beside default RBF on the same samples."""
    winner = context.options["winner"]
    notes = [f"map {winner['name']}, found on {winner['dataset'] or 'unknown data'}; nothing was tuned anew"]
    return {"winner": winner, "summary": compared(rows, "dataset", (REFERENCE,)), "notes": notes}


SUITE = Suite(
    name="search_transfer",
    doc="A map that was found on one data set, on others, beside default RBF; --source names the map's run",
    cases=cases_of,
    run=transferred,
    options={"seeds": 3, "first": 0, "mind": "rules", "source": None, "dataset": DATASETS, "winner": None},
    prepare=prepare,
    summarise=summarise,
    chooses=("seeds", "first", "dataset", "source", "mind"),
    columns=COLUMNS,
    required=1.0,
    workers=1,
)
