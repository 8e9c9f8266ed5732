"""T2 Ramsey against the truth: the 1/e time of exp(-t/T2E - (2 pi sigma t)^2 / 2)."""

import math

import pytest
from scipy.optimize import brentq

CALIBRATED = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


@pytest.mark.parametrize(("t2_echo", "sigma"), [(124.0, 0.78e-3), (86.0, 2.37e-3), (71.0, 5.21e-3)])
def test_the_envelope_gives_the_time_of_the_truth(open_lab, t2_echo, sigma):
    truth = brentq(lambda t: t / t2_echo + (2 * math.pi * sigma * t) ** 2 / 2 - 1, 1, 1000)
    lab = open_lab(t1=100.0, t2_echo=t2_echo, detuning_sigma=sigma, **CALIBRATED)
    _, report = lab.run("t2_ramsey")
    life = report.estimates["t2_ramsey"]
    assert report.verdict == "success"
    assert abs(life.value - truth) < max(3 * life.error, 0.04 * truth)
    assert report.updates == {}


def test_a_short_sweep_asks_for_a_longer_one(open_lab):
    _, report = open_lab(**CALIBRATED).run("t2_ramsey", stop=20.0)
    assert report.verdict == "adjust"
    assert report.proposal["stop"] > 20


@pytest.mark.parametrize("error", [0.3, -0.3])
def test_badly_set_pulses_do_not_spoil_the_time(open_lab, error):
    """Two quadratures and a baseline that may slope: what the pulses do wrong does not decay like the fringes."""
    _, report = open_lab(t2_echo=71.0, detuning_sigma=5.21e-3, amplitude_error=error).run("t2_ramsey")
    life = report.estimates["t2_ramsey"]
    assert report.verdict == "success"
    assert abs(life.value - 32.1) < 4 * life.error
    assert report.updates == {}
