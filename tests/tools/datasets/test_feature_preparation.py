"""The preparation: what each scaling promises, and that it is saved to the last bit."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from labwright.tools.datasets.feature_preparation import SCALINGS, Preparation
from labwright.tools.errors import InputError


@parametrize_with_checks([Preparation("none"), Preparation("standardise", 0.9)])
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


@given(seed=st.integers(0, 10_000), scaling=st.sampled_from(SCALINGS), n=st.integers(5, 40))
def test_the_widest_component_spans_one_whatever_the_units(seed, scaling, n):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4)) * 10.0 ** random.uniform(-6, 6, 4) + random.normal(size=4)
    X[:, 3] = 7.0  # a feature that does not vary must change nothing
    fitted = Preparation(scaling).fit(X)
    prepared = fitted.transform(X)
    assert fitted.n_constant_ == 1
    assert np.ptp(prepared, axis=0).max() == pytest.approx(1.0)
    if scaling == "whiten":
        spreads = prepared.std(axis=0)[fitted.components_.any(axis=1)]
        assert spreads == pytest.approx(np.full(len(spreads), spreads[0]))
    if scaling == "min-max":
        assert prepared.min() == pytest.approx(0.0, abs=1e-9)


def test_standardise_and_none_are_scikit_learns_components_in_another_unit():
    X, _ = load_breast_cancer(return_X_y=True)
    for scaling, theirs in (("standardise", make_pipeline(StandardScaler(), PCA(5))), ("none", PCA(5))):
        ours = Preparation(scaling, 5).fit_transform(X) - 0.5
        reference = theirs.fit_transform(X)
        ratio = np.abs(reference[:, 0]).max() / np.abs(ours[:, 0]).max()
        assert np.abs(ours * ratio) == pytest.approx(np.abs(reference), rel=1e-6, abs=1e-6 * ratio)


def test_a_share_of_the_variance_keeps_the_fewest_components_that_hold_it():
    X, _ = load_breast_cancer(return_X_y=True)
    ratio = PCA().fit(StandardScaler().fit_transform(X)).explained_variance_ratio_.cumsum()
    kept = Preparation("standardise", 0.9).fit(X).transform(X).shape[1]
    assert ratio[kept - 2] < 0.9 <= ratio[kept - 1]


@pytest.mark.parametrize("scaling", SCALINGS)
def test_it_is_read_back_from_json_to_the_last_bit(scaling):
    X, _ = load_breast_cancer(return_X_y=True)
    fitted = Preparation(scaling, 7).fit(X[:300])
    again = Preparation.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert again.transform(X).tobytes() == fitted.transform(X).tobytes()
    assert again.describe() == fitted.describe()


def test_what_cannot_be_had_is_refused():
    X = np.random.default_rng(0).normal(size=(6, 3))
    for wrong in (Preparation("minmax"), Preparation("none", 4), Preparation("none", 2.5), Preparation("none", 0)):
        with pytest.raises(InputError, match="Choose"):
            wrong.fit(X)
    plain = Preparation("none", 2).fit(X).to_dict()
    with pytest.raises(InputError, match="do not fit"):
        Preparation.from_dict({**plain, "low_": [0.0]})
    with pytest.raises(InputError, match="not a saved preparation"):
        Preparation.from_dict({"scaling": "none"})
