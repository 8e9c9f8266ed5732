"""Drift is a pure function of seed and clock, with the statistics of the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labwright.tools.qpu.drift import drifted
from labwright.tools.qpu.truth import paper_device

Q1 = paper_device().qubits["Q1"]
HOUR = 3600.0


def test_same_seed_and_clock_give_the_same_drift_whatever_came_before() -> None:
    later = drifted(Q1, 5, 0, 9 * HOUR)
    drifted(Q1, 5, 0, 2 * HOUR)
    assert drifted(Q1, 5, 0, 9 * HOUR) == later
    assert drifted(Q1, 6, 0, 9 * HOUR) != later
    assert drifted(Q1, 5, 1, 9 * HOUR) != later


def test_path_starts_at_zero_and_is_continuous() -> None:
    calm = replace(Q1, jump_rate=0.0)
    assert drifted(calm, 1, 0, 0.0) == (0.0, 1.0)
    path = np.array([drifted(calm, 1, 0, t) for t in np.arange(3000.0, 3300.0, 5.0)])
    assert np.abs(np.diff(path[:, 0])).max() < 3e-4
    assert np.abs(np.diff(path[:, 1])).max() < 3e-4


@pytest.mark.slow
def test_spread_over_seeds_is_the_truths() -> None:
    calm = replace(Q1, jump_rate=0.0)
    hour = np.array([drifted(calm, seed, 0, HOUR) for seed in range(600)])
    day = np.array([drifted(calm, seed, 0, 24 * HOUR) for seed in range(600)])
    assert hour[:, 1].std() == pytest.approx(0.003, rel=0.12)
    assert day[:, 0].std() == pytest.approx(Q1.drift_sigma, rel=0.12)


def test_jumps_are_as_frequent_as_stated() -> None:
    jumpy = replace(Q1, drift_sigma=0.0, jump_rate=1 / HOUR)
    quiet_for_an_hour = np.mean([drifted(jumpy, seed, 0, HOUR)[0] == 0 for seed in range(600)])
    assert quiet_for_an_hour == pytest.approx(np.exp(-1), abs=0.06)


def test_scheduled_step_comes_at_its_time() -> None:
    stepped = replace(Q1, step_at=100.0, step=1.0)
    before, after = drifted(stepped, 1, 0, 99.9)[0], drifted(stepped, 1, 0, 100.0)[0]
    assert after - before == pytest.approx(1.0, abs=1e-3)
