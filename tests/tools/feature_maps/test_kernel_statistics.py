"""Statistics by sums, against the definitions with every matrix written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.kernel_statistics import statistics


def by_definition(K, y):
    n = len(y)
    Y = np.equal.outer(y, y).astype(float)
    H = np.eye(n) - 1 / n
    Kc, Yc = H @ K @ H, H @ Y @ H
    off = K[~np.eye(n, dtype=bool)]
    centred = np.sum(Kc * Yc) / (np.linalg.norm(Kc) * np.linalg.norm(Yc))
    return centred, off.mean(), off.std()


@given(n=st.integers(4, 40), classes=st.integers(2, 4), seed=st.integers(0, 1000), narrow=st.booleans())
def test_statistics_are_those_of_the_definition(n, classes, seed, narrow):
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), random.integers(0, classes, n - classes)]) if n > classes else np.arange(n)
    X = random.normal(size=(n, 3))
    K = np.exp(-(10.0 if narrow else 0.3) * ((X[:, None] - X[None]) ** 2).sum(-1))
    found = statistics(K, y)
    expected = by_definition(K, y)
    got = (found.alignment, found.mean, found.std)
    assert got == pytest.approx(expected, abs=1e-7)


def test_the_kernel_of_the_labels_is_perfectly_aligned():
    y = np.repeat([0, 1, 2], 5)
    found = statistics(np.equal.outer(y, y).astype(float), y)
    assert found.alignment == pytest.approx(1.0)


def test_a_concentrated_kernel_is_seen():
    y = np.repeat([0, 1], 300)  # more rows than are summed at a time
    found = statistics(np.eye(600, dtype=np.float32), y)
    assert (found.mean, found.std) == pytest.approx((0.0, 0.0), abs=1e-12)
    constant = statistics(np.ones((600, 600), dtype=np.float32), y)
    assert (constant.alignment, constant.mean, constant.std) == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)


def test_single_precision_is_summed_in_double():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(900, 4)), random.integers(0, 3, 900)
    K = np.exp(-0.05 * ((X[:, None] - X[None]) ** 2).sum(-1))
    single, double = statistics(K.astype(np.float32), y), statistics(K, y)
    assert single.std == pytest.approx(double.std, rel=1e-5)
    assert single.alignment == pytest.approx(double.alignment, abs=1e-5)


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (4,)])
def test_another_shape_is_refused(shape):
    with pytest.raises(InputError, match=r"need a kernel of shape \(4, 4\)"):
        statistics(np.ones(shape), np.array([0, 1, 0, 1]))
