import pytest
from pydantic import ValidationError
import math

from tools.radiation_fraction import RadiationFractionInput, radiation_fraction


def _made(ratio):
    return radiation_fraction(RadiationFractionInput(ratio=ratio)).fraction


def _series(x):
    # sum over n of exp(-n x) (x^3/n + 3 x^2/n^2 + 6 x/n^3 + 6/n^4)
    terms = (math.exp(-n * x) * (x**3 / n + 3 * x * x / n**2 + 6 * x / n**3 + 6 / n**4) for n in range(1, 200))
    return 15 / math.pi**4 * sum(terms)


def test_invariant_all_of_it():
    assert _made(1e-6) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("ratio", [0.5, 2.8, 10.0])
def test_series(ratio):
    assert _made(ratio) == pytest.approx(_series(ratio), rel=1e-9)


def test_error_negative():
    with pytest.raises(ValidationError, match="ratio"):
        _made(-1.0)
