"""Suite `search_splits`: our map beside classical methods on eight data sets, ten random splits each.

Four data sets come with scikit-learn, four are made by its generators with the split's seed. Everything is chosen on
the training and validation parts, by `EVALUATIONS` evaluations for every method; the test part is opened once. The
differences over splits are judged with the error of Nadeau and Bengio, which counts that splits share samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labwright.evaluation.accuracy_spread import compared
from labwright.evaluation.case import Case
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.tools.datasets import load_dataset
from labwright.tools.datasets.checks import dataset_of
from labwright.tools.datasets.labelled_samples import Dataset
from labwright.tools.datasets.load import DRAWN
from labwright.tools.datasets.split import prepare_split
from labwright.tools.feature_maps.baselines import baselines
from labwright.tools.feature_maps.paired_tests import holm, sentence, verdict
from labwright.tools.feature_maps.search_without_graph import search

EVALUATIONS = 60
MOST_QUBITS = 10
METHODS = (
    "rbf_default", "rbf_tuned", "rbf_weighted", "standard_linear", "standard_rbf", "pca_rbf_default", "pca_rbf",
    "gradient_boosting",
)  # fmt: skip
SETS = ("digits", "wine", "breast-cancer", "iris", "moons", "circles", "clusters", "hypercube")
FEATURES = {"digits": 40}


def made(name: str, seed: int) -> Dataset:
    """A data set by its name, or one that another generator of scikit-learn draws with `seed`."""
    from sklearn.datasets import make_blobs, make_classification

    if name == "clusters":
        return dataset_of(name, *make_blobs(DRAWN, 6, centers=4, cluster_std=4.0, random_state=seed))
    if name == "hypercube":
        drawn = make_classification(DRAWN, 12, n_informative=6, n_classes=3, class_sep=1.0, random_state=seed)
        return dataset_of(name, *drawn)
    return load_dataset(name, seed=seed)


def cases_of(options: Options) -> list[Case]:
    """Every data set on every split."""
    first, count = options["first"], options["seeds"]
    return [
        Case(f"{name} {seed}", seed, {"set": name})
        for name in options["dataset"]
        for seed in range(first, first + count)
    ]


def run(case: Case, context: Context) -> Row:
    """One data set on one split."""
    name = str(case.options["set"])
    data = made(name, case.seed)
    features, n_qubits = FEATURES.get(name), min(MOST_QUBITS, max(2, data.X.shape[1]))
    found = search(
        lambda scaling: prepare_split(data, features, case.seed, scaling=scaling), n_qubits, EVALUATIONS, seed=case.seed
    )
    split = prepare_split(data, features, case.seed, scaling=found.scaling)
    part = split.sealed.open()
    tested = float(np.mean(found.test(split, part) == part.y))
    plain = prepare_split(data, features, case.seed)
    others = baselines(plain, plain.sealed.open(), METHODS, n_qubits=n_qubits, seed=case.seed, evaluations=EVALUATIONS)
    return {
        "set": name,
        "passed": True,
        "faults": "",
        "preparation": found.scaling,
        "test": tested,
        **{one.name: one.test.accuracy for one in others if one.test},
        "n_train": len(split.train.y),
        "n_test": len(part.y),
    }


def summarise(rows: list[Row], _context: Context) -> dict[str, Any]:
    """Accuracies with their spread, and what the paired tests allow one to say."""
    table = compared(rows, "set", METHODS)
    notes = []
    for name, entry in table.items():
        p = {one: entry[f"minus {one} p"] for one in METHODS if f"minus {one} p" in entry}
        adjusted = holm(p)
        for one, value in p.items():
            points, error = 100 * entry[f"minus {one}"], 100 * entry[f"minus {one} se"]
            said = verdict(points, value, adjusted[one])
            notes.append(f"{name}: {sentence(one, points, value, said, error)}")
    return {"summary": table, "notes": notes}


SUITE = Suite(
    name="search_splits",
    doc="Our map beside classical methods on eight data sets, ten splits each, paired tests over splits",
    cases=cases_of,
    run=run,
    options={"seeds": 10, "first": 0, "dataset": SETS},
    summarise=summarise,
    chooses=("seeds", "first", "dataset"),
    columns=("set", "preparation", "test", *METHODS),
    workers=1,
)
