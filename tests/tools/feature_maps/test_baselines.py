"""Baselines: their kernels against scikit-learn's, and that they are tuned and scored by one protocol."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from labwright.tools.datasets import load_dataset, prepare_split
from labwright.tools.datasets.feature_preparation import Preparation
from labwright.tools.datasets.labelled_samples import Part, SealedPart, Split
from labwright.tools.errors import InputError, MemoryLimitError
from labwright.tools.feature_maps.baselines import ALL, baselines
from labwright.tools.feature_maps.classical import linear, polynomial, rank_weights, rbf, scale_gamma, sigmoid
from labwright.tools.feature_maps.published_best_map import listing22


@pytest.fixture(scope="module")
def split():
    return prepare_split(load_dataset("digits"), 10, 0, (120, 60, 60))


@pytest.fixture(scope="module")
def test():
    return prepare_split(load_dataset("digits"), 10, 0, (120, 60, 60)).sealed.open()


def test_classical_kernels_are_scikit_learns(split):
    x, y = split.train.X, split.validation.X
    cases = [
        (linear(x, y), pairwise.linear_kernel(x, y)),
        (rbf(x, y, gamma=0.7), pairwise.rbf_kernel(x, y, gamma=0.7)),
        (sigmoid(x, y, gamma=0.2, coef0=-1.0), pairwise.sigmoid_kernel(x, y, gamma=0.2, coef0=-1.0)),
        (
            polynomial(x, y, degree=4, gamma=0.2, coef0=1.5),
            pairwise.polynomial_kernel(x, y, degree=4, gamma=0.2, coef0=1.5),
        ),
    ]
    for ours, theirs in cases:
        assert ours == pytest.approx(theirs, rel=1e-10)


def test_rank_weights_fall_from_block_to_block():
    assert rank_weights(7, 3, 0.5).tolist() == [1, 1, 1, 0.5, 0.5, 0.5, 0.25]


def test_the_default_rbf_is_scikit_learns_default(split, test):
    (found,) = baselines(split, test, ["rbf_default"])
    machine = SVC().fit(split.train.X, split.train.y)
    assert found.test.accuracy == pytest.approx(machine.score(test.X, test.y))
    assert found.validation.accuracy == pytest.approx(machine.score(split.validation.X, split.validation.y))
    assert found.hyperparameters == {"gamma": scale_gamma(split.train.X), "C": 1.0}


@pytest.mark.slow  # two of them by one seed are below
def test_all_baselines_are_tuned_and_scored(split, test):
    told = []
    found = baselines(split, test, n_qubits=4, evaluations=2, progress=told.append)
    assert tuple(one.name for one in found) == ALL == tuple(told)
    default = next(one for one in found if one.name == "rbf_default")
    assert [one.name for one in found if one.why_not] == ["listing22"]
    for one in found[:-1]:
        assert 0.3 < one.test.accuracy <= 1, one.name
        assert 0.3 < one.selection <= 1, one.name
        assert one.hyperparameters.get("C", 1.0) > 0
        assert one.seconds > 0
    for name in ("rbf_tuned", "rbf_weighted"):  # their first trial is the default RBF
        assert next(one for one in found if one.name == name).selection >= default.selection


def test_one_seed_gives_the_same_table_and_the_test_part_changes_no_choice(split, test):
    names = ["polynomial", "yzcx"]
    with_test = baselines(split, test, names, n_qubits=4, evaluations=3, seed=7)
    without = baselines(split, None, names, n_qubits=4, evaluations=3, seed=7)
    for one, other in zip(with_test, without, strict=True):
        assert one.hyperparameters == other.hyperparameters
        assert one.validation == other.validation
        assert other.test is None


def test_the_weighted_rbf_of_decay_one_is_an_rbf_and_wins_where_late_features_are_noise():
    random = np.random.default_rng(0)

    def part(n):
        y = np.arange(n) % 2
        X = random.random((n, 20))
        X[:, 0] = y * 0.3 + 0.7 * X[:, 0]
        return Part(X, y, X, np.arange(n))

    split = Split("noise", part(120), part(80), SealedPart(part(10)), ("0", "1"), 20, Preparation())
    plain, weighted = baselines(split, None, ["rbf_tuned", "rbf_weighted"], n_qubits=2, evaluations=15)
    assert weighted.hyperparameters["decay"] < 0.9
    assert weighted.selection > plain.selection


def test_an_unknown_baseline_is_answered_with_the_known_ones(split):
    with pytest.raises(InputError, match=r"no baseline 'rbf'\. There are: linear, polynomial"):
        baselines(split, None, ["linear", "rbf"])


def test_kernels_beyond_the_memory_limit_are_refused(split):
    with pytest.raises(MemoryLimitError):
        baselines(split, None, memory_mb=0.1)


@pytest.mark.parametrize(
    ("n_qubits", "n_features", "out"), [(5, 10, {"npqc", "listing22"}), (2, 13, {"npqc", "listing22"})]
)
def test_a_method_that_cannot_be_had_is_not_applicable_and_the_others_are_compared(n_qubits, n_features, out):
    split = prepare_split(load_dataset("digits"), n_features, 0, (120, 60, 60))
    found = baselines(split, split.sealed.open(), ["npqc", "listing22", "linear"], n_qubits=n_qubits, evaluations=2)
    assert {one.name for one in found if one.why_not} == out
    for one in found:
        assert (one.test is None) == bool(one.why_not)


def test_methods_outside_our_preparation_are_scikit_learns(split, test):
    found = {one.name: one for one in baselines(split, test, ["pca_rbf_default", "standard_rbf"], evaluations=1)}
    unscaled = make_pipeline(PCA(10), SVC()).fit(split.train.raw, split.train.y)
    assert found["pca_rbf_default"].test.accuracy == pytest.approx(unscaled.score(test.raw, test.y))
    standard = make_pipeline(StandardScaler(), SVC()).fit(split.train.raw, split.train.y)
    assert found["standard_rbf"].test.accuracy == pytest.approx(standard.score(test.raw, test.y))


def test_the_published_map_is_left_as_it_is_and_takes_fewer_features():
    whole, half = listing22(), listing22(n_features=40)
    assert (len(whole.gates), len(half.gates)) == (226, 226)
    used = {feature for gate in half.gates for angle in gate.angles for feature, _ in angle.weights}
    assert used == set(range(40))
    with pytest.raises(InputError, match="10 qubits and at most 80 features"):
        listing22(8, 40)
