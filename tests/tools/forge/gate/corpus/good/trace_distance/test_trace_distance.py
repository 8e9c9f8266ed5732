import pytest

from tools.trace_distance import TraceDistanceInput, trace_distance


def _bloch(x, y, z):
    return [[[(1 + z) / 2, 0], [x / 2, -y / 2]], [[x / 2, y / 2], [(1 - z) / 2, 0]]]


def _distance(first, second):
    return trace_distance(TraceDistanceInput(first=first, second=second)).distance


def test_invariant_half_of_the_bloch_distance():
    assert _distance(_bloch(0.1, 0.2, 0.3), _bloch(0.1, 0.5, -0.1)) == pytest.approx(0.25, abs=1e-13)


def test_orthogonal_states():
    assert _distance(_bloch(0, 0, 1), _bloch(0, 0, -1)) == pytest.approx(1.0)
    assert _distance(_bloch(0, 1, 0), _bloch(0, -1, 0)) == pytest.approx(1.0)


def test_error_shape():
    with pytest.raises(ValueError, match="n x n x 2"):
        _distance([[[1.0, 0.0], [0.0, 0.0]]], _bloch(0, 0, 1))
