import pytest
import math

from tools.damped_oscillator import DampedOscillatorInput, damped_oscillator


def _made(frequency, damping, displacement, times):
    given = DampedOscillatorInput(frequency=frequency, damping=damping, displacement=displacement, times=times)
    return damped_oscillator(given).displacements


def test_invariant_undamped_is_periodic():
    period = 2 * math.pi / 3
    values = _made(3.0, 0.0, 0.5, [0.0, period / 4, period])
    assert values == pytest.approx([0.5, 0.0, 0.5], abs=1e-7)


def test_underdamped_solution():
    w, g, t = 2.0, 0.3, 1.7
    q = math.sqrt(w * w - g * g)
    exact = math.exp(-g * t) * (math.cos(q * t) + g / q * math.sin(q * t))
    assert _made(w, g, 1.0, [0.0, t])[1] == pytest.approx(exact, abs=1e-7)


def test_error_times():
    with pytest.raises(ValueError, match="ascend"):
        _made(1.0, 0.0, 1.0, [0.0, 2.0, 1.0])
    with pytest.raises(ValueError, match="begin with 0"):
        _made(1.0, 0.0, 1.0, [0.5, 1.0])
