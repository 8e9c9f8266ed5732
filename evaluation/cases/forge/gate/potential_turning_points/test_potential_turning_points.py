import numpy as np
import pytest
from numpy.polynomial import polynomial
from pydantic import ValidationError

from tools.potential_turning_points import PotentialTurningPointsInput, potential_turning_points


def _run(coefficients, energy, lower=-10.0, upper=10.0):
    given = PotentialTurningPointsInput(coefficients=list(coefficients), energy=energy, lower=lower, upper=upper)
    return potential_turning_points(given).turning_points


def test_invariant_harmonic():
    # 0.5 * 3 * (x - 0.4)^2 = 2
    a = np.sqrt(2 * 2.0 / 3.0)
    assert _run([0.24, -1.2, 1.5], 2.0) == pytest.approx([0.4 - a, 0.4 + a], rel=1e-12)


def test_invariant_double_well():
    # (x^2 - 1)^2 = 1/4: x^2 = 3/2 and 1/2
    outer, inner = np.sqrt(1.5), np.sqrt(0.5)
    assert _run([1.0, 0.0, -2.0, 0.0, 1.0], 0.25) == pytest.approx([-outer, -inner, inner, outer], rel=1e-12)
    assert _run([1.0, 0.0, -2.0, 0.0, 1.0], 4.0) == pytest.approx([-np.sqrt(3), np.sqrt(3)], rel=1e-12)


def test_invariant_energy_at_the_top_of_the_barrier():
    assert _run([1.0, 0.0, -2.0, 0.0, 1.0], 1.0) == pytest.approx([-np.sqrt(2), 0.0, np.sqrt(2)], abs=1e-7)


def test_invariant_energy_at_the_bottom():
    assert _run([1.0, 0.0, -2.0, 0.0, 1.0], 0.0) == pytest.approx([-1.0, 1.0], abs=1e-7)


def test_energy_below_the_potential():
    assert _run([1.0, 0.0, 1.0], 0.5) == []


def test_only_the_interval():
    assert _run([0.0, 2.0, 0.0, -0.5], 0.0, -1.0, 10.0) == pytest.approx([0.0, 2.0], abs=1e-12)
    assert _run([0.0, 2.0, 0.0, -0.5], 0.0, -3.0, 1.0) == pytest.approx([-2.0, 0.0], abs=1e-12)


def test_ends_of_the_interval_belong_to_it():
    points = _run(polynomial.polyfromroots([0.1, 0.7, 1.3]), 0.0, 0.1, 1.3)
    assert points == pytest.approx([0.1, 0.7, 1.3], rel=1e-12)
    assert min(points) >= 0.1
    assert max(points) <= 1.3


def test_close_roots_stay_apart():
    assert _run(polynomial.polyfromroots([1.0, 1.001, 3.0]), 0.0) == pytest.approx([1.0, 1.001, 3.0], abs=1e-8)


def test_complex_roots_near_the_axis_are_no_turning_points():
    # (x - 1)^2 + 1e-6 is never zero
    assert _run([1.000001, -2.0, 1.0], 0.0) == []


def test_invariant_multiple_root_off_the_origin():
    # (x - 1)^4 and (x + 2)^2 (x - 3)
    assert _run([1.0, -4.0, 6.0, -4.0, 1.0], 0.0) == pytest.approx([1.0], abs=1e-6)
    assert _run(polynomial.polyfromroots([-2.0, -2.0, 3.0]), 0.0) == pytest.approx([-2.0, 3.0], abs=1e-7)


def test_far_root_does_not_blur_the_others():
    assert _run([-0.5, 0.0, 1.0, 1e-7], 0.0) == pytest.approx([-(0.5**0.5), 0.5**0.5], abs=1e-6)


def test_leading_zero_coefficients():
    assert _run([1.0, 2.0, 0.0, 0.0], 4.0) == pytest.approx([1.5], rel=1e-14)


def test_constant_potential_off_the_energy():
    assert _run([1.0], 2.0) == []


def test_error_everywhere():
    with pytest.raises(ValueError, match="everywhere"):
        _run([2.0, 0.0], 2.0)


def test_error_interval():
    with pytest.raises(ValueError, match="less than upper"):
        _run([0.0, 1.0], 0.5, 1.0, 1.0)


def test_error_no_coefficients():
    with pytest.raises(ValidationError, match="coefficients"):
        _run([], 0.5)
