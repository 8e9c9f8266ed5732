"""Assessments, against scikit-learn used in the plainest way on the same kernels."""

import numpy as np
import pytest

from labwright.tools.datasets import load_dataset, prepare_split
from labwright.tools.datasets.checks import dataset_of
from labwright.tools.errors import InputError, MemoryLimitError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.svm_assessment import (
    assess,
    cross_validated,
    judge,
    kernels,
    scores,
    selection_of,
    selection_score,
)


def rotations(n_qubits, n_features, scale=2.0):
    """One RY and one CZ after another: entangled, and good enough to classify with."""
    gates = []
    for feature in range(n_features):
        wire = feature % n_qubits
        gates.append(Gate("RY", (wire,), (Angle(((feature, scale),), 0.1),)))
        gates.append(Gate("CZ", (wire, (wire + 1) % n_qubits)))
    return Circuit(n_qubits, n_features, tuple(gates))


@pytest.fixture(scope="module")
def split():
    return prepare_split(load_dataset("digits"), 8, 0, (240, 80, 80))


def test_an_assessment_agrees_with_a_machine_on_the_plain_kernel(split):
    from sklearn.metrics import classification_report
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.svm import SVC

    circuit = rotations(4, 8)
    found = assess(circuit, split, precision="complex128", seed=3)
    train, validation = kernels(circuit, split.train, split.validation, precision="complex128", memory_mb=512)
    machine = SVC(C=1.0, kernel="precomputed").fit(train, split.train.y)
    report = classification_report(split.validation.y, machine.predict(validation), output_dict=True, zero_division=0.0)
    assert found.validation.accuracy == pytest.approx(report["accuracy"])
    macro = report["macro avg"]
    assert found.validation.precision == pytest.approx(macro["precision"])
    assert found.validation.recall == pytest.approx(macro["recall"])
    assert found.validation.f1 == pytest.approx(macro["f1-score"])
    folds = StratifiedKFold(3, shuffle=True, random_state=3)
    crossed = cross_val_score(SVC(C=1.0, kernel="precomputed"), train, split.train.y, cv=folds)
    assert found.cross_validation == pytest.approx(crossed.mean())  # 240 samples: folds of one size
    assert found.selection == pytest.approx((80 * report["accuracy"] + 240 * crossed.mean()) / 320)
    assert found.validation.accuracy > 0.8
    assert 0 < found.alignment < 1
    assert found.kernel_seconds > 0


def test_the_same_seed_gives_the_same_assessment(split):
    first, again = (assess(rotations(4, 8), split, seed=1) for _ in range(2))
    timed = ("kernel_seconds", "training_seconds")
    for name in first.__slots__:
        assert name in timed or getattr(first, name) == getattr(again, name)


def test_an_assessment_leaves_the_test_part_sealed():
    split = prepare_split(load_dataset("digits"), 6, 0, (120, 40, 60))
    assess(rotations(3, 6), split)
    split.sealed.open()  # would be refused if it had been opened
    with pytest.raises(InputError, match="opened before"):
        split.sealed.open()


def test_scores_of_a_case_that_is_counted_by_hand():
    found = scores(np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 1]))
    assert found.accuracy == pytest.approx(4 / 6)
    assert found.precision == pytest.approx((1 + 2 / 4 + 0) / 3)
    assert found.recall == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert found.f1 == pytest.approx((0.8 + 2 / 3 + 0) / 3)


def test_the_selection_score_weighs_by_samples():
    assert selection_score(1.0, 100, 0.5, 300) == pytest.approx(0.625)


def test_folds_leave_groups_whole():
    # Each group is one random point, copied; its label is random. A fold that parts groups would score nearly 1.
    random = np.random.default_rng(0)
    labels, points = np.arange(60) % 2, random.normal(size=(60, 4))
    groups = np.repeat(np.arange(60), 5)
    data = dataset_of("copies", points[groups], labels[groups], groups=groups)
    split = prepare_split(data, 4, 0)
    K = np.exp(-50 * ((split.train.X[:, None] - split.train.X[None]) ** 2).sum(-1))
    assert cross_validated(K, split, 10.0, 3, 0) < 0.8
    parted = type(split)(*(getattr(split, name) for name in split.__slots__ if name != "groups"), None)
    assert cross_validated(K, parted, 10.0, 3, 0) > 0.95


@pytest.mark.parametrize("folds", [1, 0, 30])
def test_impossible_folds_are_refused(split, folds):
    with pytest.raises(InputError, match="folds cannot be had"):
        assess(rotations(4, 8), split, folds=folds)


def test_a_map_for_another_number_of_features_is_refused(split):
    with pytest.raises(InputError, match=r"shape \(n_samples, 9\)"):
        assess(rotations(3, 9), split)


def test_kernels_beyond_the_memory_limit_are_refused_before_they_are_computed(split):
    with pytest.raises(MemoryLimitError, match="may use 1 MB"):
        assess(rotations(4, 8), split, memory_mb=1.0)


def test_the_penalty_matters(split):
    train, validation = kernels(rotations(4, 8), split.train, split.validation, precision="complex64", memory_mb=512)
    weak, strong = (judge(train, validation, split, C=C).selection for C in (1e-4, 10.0))
    assert weak < strong - 0.2


def test_the_score_alone_is_that_of_the_whole_assessment(split):
    found = assess(rotations(4, 8), split, C=3.0, seed=1)
    assert selection_of(rotations(4, 8), split, C=3.0, seed=1) == found.selection
