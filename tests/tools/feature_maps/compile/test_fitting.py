"""The affine fit is exact where there is one, and what misses it is seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.feature_maps.affine_angle_fit import TOLERANCE, solve
from labwright.tools.feature_maps.probe_points import CHECKS, FEWEST, OUTSIDE, choose_probes


@given(st.integers(1, 90), st.integers(1, 40), st.integers(0, 2**31))
def test_affine_angles_are_found_to_the_last_digits(n_features, n_angles, seed):
    random = np.random.default_rng(seed)
    weights = random.normal(size=(n_angles, n_features)) * (random.random((n_angles, n_features)) < 0.2) * np.pi
    offsets = random.normal(size=n_angles)
    x = choose_probes("", n_features, seed).x
    fit = solve(x, x @ weights.T + offsets)
    assert fit.worst() is None
    np.testing.assert_allclose(fit.weights, weights, atol=2e-12)
    np.testing.assert_allclose(fit.offsets, offsets, atol=2e-12)
    assert ((fit.weights != 0) <= (weights != 0)).all(), "a weight where there is none"


@pytest.mark.parametrize("n_features", [2, 10, 80])
@pytest.mark.parametrize("size", [1e-4, 1.0])
def test_one_probe_that_is_off_is_seen_wherever_it_is(n_features, size):
    """A branch that a single probe meets: least squares must not bend to it."""
    x = choose_probes("", n_features, 1).x
    angles = np.repeat((x @ np.ones(n_features))[:, None], len(x), axis=1)  # a column for each probe that may be off
    angles[np.diag_indices(len(x))] += size
    fit = solve(x, angles)
    assert (fit.residuals > TOLERANCE * fit.scales).all()


@pytest.mark.parametrize("n_features", [1, 8, 80])
def test_probes_meet_every_narrow_interval_of_every_feature(n_features):
    x = choose_probes("some code", n_features, 0).x
    n_inside = max(n_features + CHECKS, FEWEST)
    inside = np.sort(x[1 : 1 + n_inside], axis=0)
    gaps = np.diff(np.vstack([np.zeros(n_features), inside, np.ones(n_features)]), axis=0)
    assert gaps.max() < 2 / n_inside
    outside = x[-OUTSIDE:]
    assert (outside.min(axis=0) < 0).all()
    assert (outside.max(axis=0) > 1).all()
    assert ((x[0] > 0.2) & (x[0] < 0.8)).all()


def test_probes_depend_on_the_code_and_the_seed_and_on_nothing_else():
    first = choose_probes("a", 8, 0).x
    assert np.array_equal(first, choose_probes("a", 8, 0).x)
    assert not np.array_equal(first, choose_probes("b", 8, 0).x)
    assert not np.array_equal(first, choose_probes("a", 8, 1).x)
