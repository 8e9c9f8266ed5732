import pytest
from pydantic import ValidationError
import math

from tools.thermal_occupation import ThermalOccupationInput, thermal_occupation


def _n(energy, temperature, boltzmann=1.0):
    return thermal_occupation(
        ThermalOccupationInput(energy=energy, temperature=temperature, boltzmann=boltzmann)
    ).occupation


def test_invariant_detailed_balance():
    # n / (n + 1) is the Boltzmann factor
    n = _n(2.0, 1.5)
    assert n / (n + 1) == pytest.approx(math.exp(-2.0 / 1.5), rel=1e-12)


def test_known_value():
    # exp(ln 2) - 1 = 1
    assert _n(math.log(2) * 0.5 * 3.0, 3.0, 0.5) == pytest.approx(1.0, rel=1e-12)


def test_error_cold():
    with pytest.raises(ValidationError, match="temperature"):
        _n(1.0, 0.0)
