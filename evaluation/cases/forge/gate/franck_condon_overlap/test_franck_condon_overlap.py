import math

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.special import eval_hermite

from tools.franck_condon_overlap import FranckCondonOverlapInput, franck_condon_overlap


def _run(first, second, displacement, highest):
    given = FranckCondonOverlapInput(
        first_wavenumber=first, second_wavenumber=second, displacement=displacement, highest_state=highest
    )
    return franck_condon_overlap(given)


def _state(v, x, ratio):
    """Eigenfunction v for hbar = m = 1 and frequency ratio."""
    norm = (ratio / math.pi) ** 0.25 / math.sqrt(2.0**v * math.factorial(v))
    return norm * eval_hermite(v, math.sqrt(ratio) * x) * np.exp(-ratio * x**2 / 2)


@pytest.mark.parametrize("case", [(1000.0, 1600.0, 1.3), (1500.0, 700.0, 0.8), (900.0, 850.0, -2.1)])
def test_invariant_integrals_of_the_wave_functions(case):
    first, second, displacement = case
    x = np.linspace(-15, 15, 6001)
    expected = [
        (np.sum(_state(0, x, 1.0) * _state(v, x - displacement, second / first)) * (x[1] - x[0])) ** 2 for v in range(7)
    ]
    assert _run(*case, 6).overlap_squared == pytest.approx(expected, rel=1e-9, abs=1e-13)


def test_invariant_equal_frequencies_are_poissonian():
    s = 1.7**2 / 2
    out = _run(1200.0, 1200.0, 1.7, 5)
    expected = [math.exp(-s) * s**v / math.factorial(v) for v in range(6)]
    assert out.overlap_squared == pytest.approx(expected, rel=1e-12)
    assert out.total == pytest.approx(sum(expected), rel=1e-12)


def test_invariant_no_displacement_only_even_states():
    out = _run(500.0, 2000.0, 0.0, 4)
    # 0.8 (2v)!/(4^v v!^2) r^(2v) with r = 0.6
    assert out.overlap_squared == pytest.approx([0.8, 0.0, 0.8 * 0.36 / 2, 0.0, 0.8 * 0.36**2 * 3 / 8], rel=1e-12)


def test_invariant_sum_rule():
    assert _run(1100.0, 1700.0, 2.2, 60).total == pytest.approx(1.0, abs=1e-12)
    assert _run(1700.0, 1100.0, 2.2, 80).total == pytest.approx(1.0, abs=1e-12)


def test_invariant_mean_energy():
    # <n> + 1/2 in the second oscillator: (r + 1/r)/4 + r D^2/2 with r = w2/w1
    out = _run(1000.0, 1300.0, 1.5, 60)
    mean = sum(v * p for v, p in enumerate(out.overlap_squared))
    assert mean + 0.5 == pytest.approx((1.3 + 1 / 1.3) / 4 + 1.3 * 1.5**2 / 2, rel=1e-10)


def test_only_the_ground_state():
    assert _run(1000.0, 1000.0, 0.0, 0).overlap_squared == pytest.approx([1.0], rel=1e-14)


def test_error_too_far():
    with pytest.raises(ValueError, match="too large"):
        _run(1000.0, 1000.0, 60.0, 3)


def test_error_wavenumber():
    with pytest.raises(ValidationError, match="second_wavenumber"):
        _run(1000.0, 0.0, 1.0, 3)
