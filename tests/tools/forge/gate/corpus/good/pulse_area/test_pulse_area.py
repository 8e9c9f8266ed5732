import pytest
import math

from tools.pulse_area import PulseAreaInput, pulse_area


def _made(times, amplitudes):
    return pulse_area(PulseAreaInput(times=times, amplitudes=amplitudes))


def test_invariant_pi_pulse():
    made = _made([0.0, 10.0], [math.pi / 10, math.pi / 10])
    assert made.area == pytest.approx(math.pi)
    assert made.flip_probability == pytest.approx(1.0)


def test_triangle():
    made = _made([0.0, 1.0, 3.0], [0.0, 0.4, 0.0])
    assert made.area == pytest.approx(0.6)
    assert made.flip_probability == pytest.approx(math.sin(0.3) ** 2)


def test_error_times():
    with pytest.raises(ValueError, match="ascend"):
        _made([0.0, 0.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="2 times"):
        _made([0.0, 1.0], [1.0])
