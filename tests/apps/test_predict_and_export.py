"""``labwright predict`` and ``labwright export``."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.tools.datasets.feature_preparation import Preparation
from labwright.tools.feature_maps.product.classifier import FidelityKernelClassifier
from labwright.tools.feature_maps.product.saved import About, pipeline_of, save_pipeline


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    random = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.round(random.normal(size=(60, 4)) + 2 * np.eye(4)[y], 3)
    preparation = Preparation("standardise", 3).fit(X[:30])
    classifier = FidelityKernelClassifier().fit(preparation.transform(X[:30]), y[:30])
    save_pipeline(pipeline_of(preparation, classifier), tmp_path / "saved", About("Found"))
    np.savez(tmp_path / "new.npz", X=X[30:], y=y[30:])
    for name, labels in (("new.csv", y[30:]), ("bare.csv", None)):
        with (tmp_path / name).open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["a", "b", "c", "d", *([] if labels is None else ["label"])])
            writer.writerows([[*row, *([] if labels is None else [labels[k]])] for k, row in enumerate(X[30:])])
    return tmp_path


def command(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_a_table_is_predicted_with_and_without_labels(folder: Path) -> None:
    said = command("predict", "saved", "new.csv", "--json", "found.json")
    assert said.exit_code == 0, said.output
    rows = list(csv.DictReader(said.stdout.splitlines()))
    assert [row["row"] for row in rows] == [str(k) for k in range(30)]
    assert {"decision 0", "decision 1", "decision 2"} <= rows[0].keys()
    found = json.loads((folder / "found.json").read_text())["result"]
    assert found["predicted"] == [int(row["predicted"]) for row in rows]
    assert f"accuracy {found['accuracy']:.4f}" in said.stderr
    assert found["accuracy"] > 0.6
    for name in ("bare.csv", "new.npz"):
        again = command("predict", "saved", name, "--out", "table.csv")
        assert again.exit_code == 0, again.output
        assert (folder / "table.csv").read_text() == said.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("predict", "saved", "missing.csv"), "There is no file"),
        (("predict", "nowhere", "new.csv"), "nowhere"),
        (("predict", "runs", "new.csv"), "holds no saved pipeline"),
        (("predict", "saved", "narrow.csv"), "takes 4 features"),
        (("predict", "saved", "words.csv"), "is not a number"),
        (("export", "saved", "--to", "fortran", "--out", "o"), "must be one of"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(folder: Path, words: tuple[str, ...], said: str) -> None:
    (folder / "runs").mkdir()
    (folder / "narrow.csv").write_text("a,b\n1,2\n")
    (folder / "words.csv").write_text("a,b,c,d\n1,2,3,many\n")
    done = command(*words)
    assert done.exit_code == 2, done.output
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("to", "files"),
    [
        ("qiskit", {"predict_with_qiskit.py", "feature_map.qasm", "pipeline.json", "arrays.npz"}),
        ("pennylane", {"feature_map.py"}),
        ("qasm", {"feature_map.qasm"}),
        ("pipeline", {"pipeline.json", "arrays.npz", "feature_map.py", "feature_map.qasm", "README.md"}),
    ],
)
def test_exports_leave_their_files(folder: Path, to: str, files: set[str]) -> None:
    done = command("export", "saved", "--to", to, "--out", "elsewhere")
    assert done.exit_code == 0, done.output
    assert {path.name for path in (folder / "elsewhere").iterdir()} == files
