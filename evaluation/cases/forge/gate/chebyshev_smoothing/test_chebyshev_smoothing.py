import numpy as np
import pytest
from pydantic import ValidationError

from tools.chebyshev_smoothing import ChebyshevSmoothingInput, chebyshev_smoothing


def _run(times, values, degree):
    return chebyshev_smoothing(ChebyshevSmoothingInput(times=list(times), values=list(values), degree=degree))


def test_invariant_polynomial_is_reproduced():
    t = np.array([3.0, -1.0, 0.5, 2.2, 7.0])
    out = _run(t, 2 - 3 * t + 0.5 * t**3, 3)
    assert out.smoothed == pytest.approx((2 - 3 * t + 0.5 * t**3).tolist(), rel=1e-12)
    assert out.derivative == pytest.approx((-3 + 1.5 * t**2).tolist(), rel=1e-12)


def test_invariant_normal_equations():
    rng = np.random.default_rng(6)
    t = rng.uniform(2.0, 5.0, 30)
    y = np.sin(t) + 0.1 * rng.normal(size=30)
    out = _run(t, y, 2)
    powers = np.vander(t, 3)
    best = np.linalg.solve(powers.T @ powers, powers.T @ y)
    assert out.smoothed == pytest.approx((powers @ best).tolist(), rel=1e-8)
    assert out.derivative == pytest.approx((2 * best[0] * t + best[1]).tolist(), rel=1e-6)


def test_straight_line_by_hand():
    # slope 1.4 by sum((t - 1.5)(y - 3)) / sum((t - 1.5)^2) = 7 / 5
    out = _run([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 4.0, 5.0], 1)
    assert out.derivative == pytest.approx([1.4] * 4, rel=1e-13)
    assert out.smoothed == pytest.approx([0.9, 2.3, 3.7, 5.1], rel=1e-13)


def test_invariant_degree_zero_is_the_mean():
    out = _run([0.0, 1.0, 4.0], [1.0, 2.0, 6.0], 0)
    assert out.smoothed == pytest.approx([3.0] * 3, rel=1e-14)
    assert out.derivative == pytest.approx([0.0] * 3, abs=1e-14)


def test_repeated_times():
    out = _run([0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 3.0, 6.0], 1)
    assert out.smoothed == pytest.approx([1.5, 1.5, 4.5, 4.5], rel=1e-13)
    assert out.derivative == pytest.approx([3.0] * 4, rel=1e-13)


def test_error_lengths():
    with pytest.raises(ValueError, match="same length"):
        _run([0.0, 1.0, 2.0], [1.0, 2.0], 1)


def test_error_too_few_times():
    with pytest.raises(ValueError, match="not determined"):
        _run([0.0, 1.0, 1.0, 0.0], [1.0, 2.0, 3.0, 4.0], 2)
    with pytest.raises(ValueError, match="not determined"):
        _run([1.0, 1.0], [1.0, 2.0], 0)


def test_error_degree():
    with pytest.raises(ValidationError, match="degree"):
        _run([0.0, 1.0], [1.0, 2.0], -1)
