"""A saved pipeline predicts the same in another process and through Qiskit; a changed folder is refused."""

import hashlib
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import labwright
from labwright.tools.datasets.feature_preparation import Preparation
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.product.classifier import FidelityKernelClassifier
from labwright.tools.feature_maps.product.saved import (
    ARRAYS,
    CODE,
    FILES,
    PIPELINE,
    PREDICT,
    About,
    export_pipeline,
    load_pipeline,
    pipeline_of,
    save_pipeline,
)
from labwright.tools.feature_maps.recipe import circuit_of

SETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
FRESH = """
import sys, numpy, labwright
pipeline = labwright.load_pipeline(sys.argv[1])
numpy.savez(sys.argv[3], predicted=pipeline.predict(numpy.load(sys.argv[2])))
"""


def fitted(name):
    """A pipeline on 3 qubits, the raw samples, and which of them it was not fitted to."""
    data = SETS[name]()
    order = np.random.default_rng(1).permutation(len(data.target))
    train, test = order[:90], order[90:]
    preparation = Preparation("standardise", 4).fit(data.data[train])
    circuit = circuit_of(plain_recipe(axes=["RX", "RZ"], entangler="CNOT", scale=3.0), 3, 4)
    classifier = FidelityKernelClassifier(circuit, 5.0)
    classifier.fit(preparation.transform(data.data[train]), data.target_names[data.target[train]])
    return pipeline_of(preparation, classifier), data.data, train, test


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    pipeline, X, train, test = fitted("iris")
    folder = tmp_path_factory.mktemp("saved")
    save_pipeline(pipeline, folder, About("Winner", {"name": "iris", "seed": 1}, {"train": train, "test": test}))
    return folder, pipeline, X, train, test


@pytest.fixture
def folder(saved, tmp_path):
    return shutil.copytree(saved[0], tmp_path / "pipeline")


def exported_to_qiskit(saved, place):
    """What the exported program defines."""
    export_pipeline(saved, "qiskit", place)
    space = {"__name__": "exported", "__file__": str(place / PREDICT)}
    exec(compile((place / PREDICT).read_text(), PREDICT, "exec"), space)
    return space


def change(folder, **values):
    plain = json.loads((folder / PIPELINE).read_text())
    (folder / PIPELINE).write_text(json.dumps(plain | values))


def hash_anew(folder, name):
    """As a stranger would, who changed the file."""
    files = json.loads((folder / PIPELINE).read_text())["files"]
    change(folder, files=files | {name: hashlib.sha256((folder / name).read_bytes()).hexdigest()})


@pytest.mark.slow  # in one process: test_what_was_saved_comes_back
@pytest.mark.parametrize("name", SETS)
def test_a_fresh_process_and_qiskit_predict_every_row_alike(name, tmp_path):
    pipeline, X, train, test = fitted(name)
    save_pipeline(pipeline, tmp_path / "saved", About("Winner", rows={"train": train}))
    np.save(tmp_path / "X.npy", X[test])
    places = [str(tmp_path / each) for each in ("saved", "X.npy", "found.npz")]
    subprocess.run([sys.executable, "-c", FRESH, *places], check=True)
    predicted = np.load(tmp_path / "found.npz", allow_pickle=False)["predicted"]
    assert (predicted == pipeline.predict(X[test])).all()

    space = exported_to_qiskit(tmp_path / "saved", tmp_path / "qiskit")
    assert (space["predict"](X[test]) == pipeline.predict(X[test])).all()
    prepared = pipeline["prepare"].transform(X[test])
    ours = pipeline["classify"].kernel(prepared, pipeline["classify"].support_vectors_)
    assert np.abs(space["overlaps"](space["prepared"](X[test])) - ours).max() < 1e-9


@pytest.mark.slow
def test_qiskit_samples_the_same_kernel(saved, tmp_path):
    from qiskit.primitives import StatevectorSampler
    from qiskit_machine_learning.state_fidelities import ComputeUncompute

    folder, pipeline, X, _, test = saved
    space = exported_to_qiskit(folder, tmp_path)
    sampled = ComputeUncompute(StatevectorSampler(default_shots=4000, seed=1))
    prepared = pipeline["prepare"].transform(X[test[:1]])
    exact = pipeline["classify"].kernel(prepared, pipeline["classify"].support_vectors_)
    found = space["overlaps"](prepared, fidelity=sampled)
    assert np.abs(found - exact).max() < 5 * 0.5 / np.sqrt(4000)


def test_what_was_saved_comes_back(saved):
    folder, pipeline, X, train, _ = saved
    again = labwright.load_pipeline(folder)
    assert (again.decision_function(X) == pipeline.decision_function(X)).all()
    assert (np.load(folder / ARRAYS)["rows_train"] == train).all()
    assert again.fit(X[:120], np.arange(120) % 2).score(X[:120], np.arange(120) % 2) >= 0.5  # fits anew


@pytest.mark.parametrize("name", FILES)
def test_a_changed_or_missing_file_is_noticed(folder, name):
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(CorruptRecordError, match="was changed"):
        load_pipeline(folder)
    (folder / name).unlink()
    with pytest.raises(CorruptRecordError, match="No such file"):
        load_pipeline(folder)


def test_code_beside_a_pipeline_is_not_run_when_it_is_loaded(folder, tmp_path):
    (folder / CODE).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    hash_anew(folder, CODE)
    load_pipeline(folder)
    assert not (tmp_path / "ran").exists()


def test_pickled_arrays_are_refused(folder):
    with (folder / ARRAYS).open("wb") as stream:
        np.savez(stream, support_=np.array([{}], dtype=object))
    hash_anew(folder, ARRAYS)
    with pytest.raises(CorruptRecordError, match="plain arrays"):
        load_pipeline(folder)


def circuit(*gates, n_qubits=3, n_features=4):
    return {"circuit": {"n_qubits": n_qubits, "n_features": n_features, "gates": gates}}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"version": 2}, "version"),
        ({"surprise": 1}, "surprise"),
        ({"classes": ["a"]}, "n_support_"),
        (circuit(n_qubits=60), "60 qubits"),
        (circuit({"gate": "Exec", "wires": [0], "angles": []}), "Exec"),
        (circuit({"gate": "CNOT", "wires": [0, 7], "angles": []}), "wire"),
        (circuit(n_features=5), "5"),
        ({"preparation": {}}, "scaling"),
    ],
    ids=str,
)  # fmt: skip
def test_a_document_that_cannot_be_is_refused(folder, values, said):
    change(folder, **values)
    with pytest.raises(CorruptRecordError, match=said):
        load_pipeline(folder)


def test_arrays_larger_than_allowed_are_refused(folder):
    with pytest.raises(CorruptRecordError, match="MB are allowed"):
        load_pipeline(folder, memory_mb=0.001)


def test_an_export_overwrites_nothing(saved, tmp_path):
    export_pipeline(saved[0], "pennylane", tmp_path)
    with pytest.raises(InputError, match="there already"):
        export_pipeline(saved[0], "pennylane", tmp_path)
