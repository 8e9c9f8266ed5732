import pytest
import math

from tools.arrhenius_fit import ArrheniusFitInput, arrhenius_fit


def _made(temperatures, rates, gas_constant=0.01):
    return arrhenius_fit(ArrheniusFitInput(temperatures=temperatures, rates=rates, gas_constant=gas_constant))


def test_invariant_recovers_what_made_the_data():
    temperatures = [300.0, 350.0, 420.0]
    made = _made(temperatures, [1e3 * math.exp(-20.0 / (0.01 * t)) for t in temperatures])
    assert made.activation_energy == pytest.approx(20.0, rel=1e-9)
    assert made.prefactor == pytest.approx(1e3, rel=1e-8)


def test_error_signs():
    with pytest.raises(ValueError, match="positive"):
        _made([300.0, 0.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="positive"):
        _made([300.0, 310.0], [1.0, -2.0])
    with pytest.raises(ValueError, match="one rate"):
        _made([300.0, 310.0], [1.0])
