"""Scorers: what passes, what fails, and what they say."""

from dataclasses import replace

import pytest

from labwright.evaluation.scoring import Ended, benchmark_faults, rb_deviation, wilson
from labwright.tools.qpu.oracle import GateErrors

TRUE = GateErrors(per_gate=1.3e-4, limit=1.2e-4, gates={})
GOOD = Ended("complete", rb_error=1.27e-4, rb_std=4e-6, measured_limit=1.2e-4)


def test_a_good_benchmark_has_no_faults():
    assert benchmark_faults(GOOD, TRUE) == []
    assert rb_deviation(GOOD, TRUE) == pytest.approx(-0.75)


@pytest.mark.parametrize(
    ("ended", "says"),
    [
        (replace(GOOD, rb_error=None), "not measured"),
        (replace(GOOD, rb_std=0.0), "not measured"),
        (replace(GOOD, rb_error=1.171e-4), "-3.2 of its sigma"),
        (replace(GOOD, rb_error=1.429e-4), "+3.2 of its sigma"),
        (replace(GOOD, rb_std=6.1e-6), "5.1 % of the limit"),
    ],
)
def test_every_demand_can_fail(ended, says):
    faults = benchmark_faults(ended, TRUE)
    assert len(faults) == 1
    assert says in faults[0]


def test_wilson_interval():
    # 19 of 20 by hand: (0.95 + 3.8416/40 -+ 1.96 sqrt(0.95*0.05/20 + 3.8416/1600)) / (1 + 3.8416/20)
    low, high = wilson(19, 20)
    assert low == pytest.approx(0.7639, abs=1e-4)
    assert high == pytest.approx(0.9911, abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(20, 20)[1] == 1.0
