"""Scorers: what passes, what fails, and what they say."""

from dataclasses import replace

import pytest

from labwright.evaluation.scoring import (
    Ended,
    TrueState,
    calibration_faults,
    case_faults,
    rb_deviation,
    spoilt_faults,
    wilson,
)

TRUE = TrueState(
    error_per_gate=1.3e-4,
    limit=1.2e-4,
    best_error_per_gate=1.25e-4,
    frequency_error=1.0,
    amplitude_pi_error=0.1,
    amplitude_pi2_error=0.1,
    drag_error=0.01,
)
GOOD = Ended("complete", rb_error=1.27e-4, rb_std=4e-6, measured_limit=1.2e-4)


def test_a_good_calibration_has_no_faults():
    assert calibration_faults(GOOD, TRUE) == []
    assert rb_deviation(GOOD, TRUE) == pytest.approx(-0.75)


@pytest.mark.parametrize(
    ("ended", "true", "says"),
    [
        (replace(GOOD, status="failed", cause="no line"), TRUE, "ended failed: no line"),
        (replace(GOOD, status="stopped"), TRUE, "no cause given"),
        (GOOD, None, "ended complete"),
        (GOOD, replace(TRUE, error_per_gate=1.15e-4 * 1.2 + 1e-9), "1.150 times the limit"),
        (replace(GOOD, rb_error=None), TRUE, "not measured"),
        (replace(GOOD, rb_std=0.0), TRUE, "not measured"),
        (replace(GOOD, rb_error=1.171e-4), TRUE, "-3.2 of its sigma"),
        (replace(GOOD, rb_error=1.429e-4), TRUE, "+3.2 of its sigma"),
        (replace(GOOD, rb_std=6.1e-6), TRUE, "5.1 % of the limit"),
    ],
)
def test_every_demand_can_fail(ended, true, says):
    faults = calibration_faults(ended, true)
    assert len(faults) == 1
    assert says in faults[0]


@pytest.mark.parametrize(
    ("ended", "true", "passes"),
    [
        (GOOD, TRUE, True),
        (GOOD, replace(TRUE, error_per_gate=5e-4), False),  # complete and wrong
        (Ended("failed", "Calibrate the readout of Q1: Readout cannot tell the states apart"), TRUE, True),
        (Ended("failed", "amplitude too large"), TRUE, False),  # another cause
        (Ended("stopped", "readout"), TRUE, False),
        (Ended("crashed"), None, False),
    ],
)
def test_a_spoilt_device_may_fail_for_its_own_cause_only(ended, true, passes):
    assert (spoilt_faults(ended, true, ("readout",)) == []) is passes


def test_only_a_case_with_causes_may_fail():
    failed = Ended("failed", "readout cannot tell the states apart")
    assert case_faults(("readout",), failed, TRUE) == []
    assert case_faults((), failed, TRUE) != []


def test_wilson_interval():
    # 19 of 20 by hand: (0.95 + 3.8416/40 -+ 1.96 sqrt(0.95*0.05/20 + 3.8416/1600)) / (1 + 3.8416/20)
    low, high = wilson(19, 20)
    assert low == pytest.approx(0.7639, abs=1e-4)
    assert high == pytest.approx(0.9911, abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(20, 20)[1] == 1.0
