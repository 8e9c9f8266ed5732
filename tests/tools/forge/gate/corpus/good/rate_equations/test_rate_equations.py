import pytest
import math

from tools.rate_equations import RateEquationsInput, rate_equations


def _made(rates, initial, time):
    return rate_equations(RateEquationsInput(rates=rates, initial=initial, time=time)).populations


def test_invariant_sum_and_steady_state():
    populations = _made([[0.0, 2.0], [1.0, 0.0]], [0.0, 1.0], 50.0)
    assert populations == pytest.approx([2 / 3, 1 / 3])
    assert sum(_made([[7.0, 2.0], [1.0, 0.0]], [0.3, 0.7], 0.4)) == pytest.approx(1.0)


def test_decay():
    assert _made([[0.0, 0.5], [0.0, 0.0]], [0.0, 1.0], 3.0) == pytest.approx([1 - math.exp(-1.5), math.exp(-1.5)])


def test_error_negative_rate():
    with pytest.raises(ValueError, match="negative"):
        _made([[0.0, -1.0], [0.0, 0.0]], [1.0, 0.0], 1.0)
    with pytest.raises(ValueError, match="3 levels"):
        _made([[0.0, 1.0], [0.0, 0.0]], [1.0, 0.0, 0.0], 1.0)
