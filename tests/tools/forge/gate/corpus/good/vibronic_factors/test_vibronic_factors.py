import pytest
import math

from tools.vibronic_factors import VibronicFactorsInput, vibronic_factors


def _made(s, count):
    return vibronic_factors(VibronicFactorsInput(huang_rhys=s, count=count))


def test_invariant_sum_rule():
    made = _made(1.7, 40)
    assert sum(made.factors) == pytest.approx(1.0)
    assert made.mean_level == pytest.approx(1.7)


def test_first_factors():
    assert _made(0.5, 3).factors == pytest.approx([math.exp(-0.5) * value for value in (1.0, 0.5, 0.125)])


def test_error_too_few():
    with pytest.raises(ValueError, match="Ask for more"):
        _made(9.0, 3)
