"""Suite `qml-benchmarks`: published data sets with their published split, our map, our baselines, published scores.

The data (XanaduAI/qml-benchmarks; Bowles, Ahmed, Schuld, arXiv:2403.07059) stay outside: ``--data FOLDER`` names
them. One process chooses everything from the training file: preparation, map, constants, penalty, and the settings of
each baseline, all by at most `EVALUATIONS` evaluations. Another process opens the test file, once, fits what was chosen
to all training samples, and predicts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.tools.datasets.checks import dataset_of
from labwright.tools.datasets.labelled_samples import Dataset, Part, Split
from labwright.tools.datasets.split import prepare_split
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.baselines import baselines, predicted
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.paired_tests import mcnemar, verdict
from labwright.tools.feature_maps.search_without_graph import Found, search
from labwright.tools.runs.hashed_files import to_json

EVALUATIONS = 60
QUBITS = 10
SHARES = (0.75, 0.25, 0.0)  # training and validation; the test samples lie in a file of their own
METHODS = ("standard_linear", "standard_rbf", "rbf_tuned", "pca_rbf", "gradient_boosting", "yzcx")
TUNED_RBF = ("standard_rbf", "rbf_tuned", "pca_rbf")
MNIST, BEST_QUANTUM = "mnist_pca_10d_250", "IQPKernelClassifier"
QUANTUM_KERNELS = ("IQPKernelClassifier", "ProjectedQuantumKernel", "SeparableKernelClassifier", "QuantumKitchenSinks")
COLUMNS = ("case", "preparation", "test", *METHODS, "p", "published SVC", "published kernel", "best published")


@dataclass(frozen=True, slots=True)
class Published:
    """One data set of the folder."""

    name: str
    seed: int
    folder: str


def cases_of(options: Options) -> list[Published]:
    """Every data set of the folder.

    Raises:
        InputError: no folder was named, or it holds none.
    """
    folder = Path(str(options["data"] or "")).expanduser()
    names = sorted(path.name.removesuffix("_train.csv") for path in folder.glob("*_train.csv"))
    if not options["data"] or not names:
        raise InputError("Name the folder with the published data sets: --data FOLDER.")
    return [Published(name, seed, str(folder.absolute())) for name in names for seed in range(options["seeds"])]


def read(path: Path) -> Dataset:
    """A published file: features, then the label, no header."""
    table = np.loadtxt(path, delimiter=",")
    return dataset_of(path.stem, table[:, :-1], table[:, -1])


def split_of(train: Dataset, scaling: str, seed: int) -> Split:
    """The training file as training and validation parts."""
    return prepare_split(train, None, seed, SHARES, scaling=scaling)


def run(case: Published, context: Context) -> Row:
    """Choose in this process, test in another."""
    folder, base = context.folder, Path(case.folder) / case.name
    train = read(base.with_name(f"{case.name}_train.csv"))
    found = search(lambda scaling: split_of(train, scaling, case.seed), QUBITS, EVALUATIONS, seed=case.seed)
    split = split_of(train, "min-max", case.seed)
    tuned = baselines(split, None, METHODS, n_qubits=QUBITS, seed=case.seed, evaluations=EVALUATIONS)
    chosen = {
        "data": str(base),
        "seed": case.seed,
        "map": {"scaling": found.scaling, "C": found.C, "circuit": found.circuit.to_json()},
        "methods": {one.name: one.hyperparameters for one in tuned if not one.why_not},
    }
    (folder / "chosen.json").write_bytes(to_json(chosen))
    subprocess.run([sys.executable, "-m", __name__, str(folder)], check=True)
    tested = json.loads((folder / "tested.json").read_bytes())
    return _row(case, found, tested)


def _row(case: Published, found: Found, tested: dict[str, Any]) -> Row:
    true, ours = np.array(tested["true"]), np.array(tested["map"])
    right = {name: np.array(labels) == true for name, labels in tested["methods"].items()}
    tests = {name: mcnemar(ours == true, one) for name, one in right.items()}
    apart = {name: float(np.mean(ours == true) - np.mean(one)) for name, one in right.items()}
    worse = [name for name in TUNED_RBF if verdict(apart[name], tests[name].p) == "worse"]
    strongest = max(TUNED_RBF, key=lambda name: float(np.mean(right[name])))
    published = json.loads((Path(case.folder) / "published_scores.json").read_bytes())["scores"].get(case.name, {})
    scores = {name: one["mean_test_accuracy"] for name, one in published.items()}
    return {
        "passed": not worse,
        "faults": f"worse than {', '.join(worse)}" if worse else "",
        "preparation": found.scaling,
        "test": round(float(np.mean(ours == true)), 4),
        **{name: round(float(np.mean(one)), 4) for name, one in right.items()},
        "p": round(tests[strongest].p, 4),
        "against": {name: [one.wins, one.losses, round(one.p, 5)] for name, one in tests.items()},
        "published": ", ".join(f"{name} {score:.3f}" for name, score in sorted(scores.items())),
        "published_scores": scores,
        "evaluations": found.evaluations,
        "n_test": len(true),
    }


def summarise(rows: list[Row], _context: Context) -> dict[str, Any]:
    """One table with the published scores; whether the best published quantum kernel on MNIST is reached."""
    notes = [_tests(row) for row in rows]
    for row in (one for one in rows if one["case"].startswith(MNIST)):
        best = row["published_scores"][BEST_QUANTUM]
        said = "reached" if row["test"] >= best else "not reached"
        notes.append(
            f"{MNIST}, seed {row['seed']}: {row['test']:.4f}; {best} (best published quantum kernel) is {said}."
        )
    notes.append("p: exact test of McNemar against the tuned RBF that does best on the test samples.")
    return {"table": [{**row, **_published(row["published_scores"])} for row in rows], "notes": notes}


def _published(scores: dict[str, float]) -> dict[str, str]:
    """The published scores that belong beside ours: their support vector machine, best quantum kernel, best of all."""
    kernels = {name: scores[name] for name in QUANTUM_KERNELS if name in scores}
    shown = {"published kernel": kernels, "best published": scores}
    best = {title: max(some, key=lambda name: some[name]) for title, some in shown.items() if some}
    found = {title: f"{scores[name]:.3f} {name}" for title, name in best.items()}
    return {**found, "published SVC": f"{scores['SVC']:.3f}" if "SVC" in scores else ""}


def _tests(row: Row) -> str:
    """How many samples only the map has right, and only the other; p of McNemar."""
    said = ", ".join(f"{name} +{wins} -{losses} p {p:.2g}" for name, (wins, losses, p) in row["against"].items())
    return f"{row['case']}: map against {said}"


def test(folder: Path) -> None:
    """Open the test file, once, and predict with what was chosen, after fitting it to all training samples."""
    chosen = json.loads((folder / "chosen.json").read_bytes())
    base = Path(chosen["data"])
    train, other = (read(base.with_name(f"{base.name}_{part}.csv")) for part in ("train", "test"))
    own = chosen["map"]
    split, part = _with_test(train, other, own["scaling"], chosen["seed"])
    found = Found(own["scaling"], Circuit.from_json(own["circuit"]), own["C"], 0.0, 0)
    plain, plain_part = _with_test(train, other, "min-max", chosen["seed"])
    settings: dict[str, Any] = {"n_qubits": QUBITS, "seed": chosen["seed"], "refit": True}
    predictions = {
        name: predicted(name, values, plain, plain_part, **settings).tolist()
        for name, values in chosen["methods"].items()
    }
    result = {"true": other.y.tolist(), "map": found.test(split, part, refit=True).tolist(), "methods": predictions}
    (folder / "tested.json").write_bytes(to_json(result))


test.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test by its name


def _with_test(train: Dataset, other: Dataset, scaling: str, seed: int) -> tuple[Split, Part]:
    split = split_of(train, scaling, seed)
    rows = np.arange(len(other.y))
    return split, Part(split.preparation.transform(other.X), other.y, other.X, rows)


SUITE = Suite(
    name="qml-benchmarks",
    doc="Published data sets with their published split: our map, our baselines, published scores (--data FOLDER)",
    cases=cases_of,
    run=run,
    options={"data": None, "seeds": 1},
    summarise=summarise,
    chooses=("seeds",),
    columns=COLUMNS,
    required=1.0,
    workers=1,
)

if __name__ == "__main__":
    test(Path(sys.argv[1]))
