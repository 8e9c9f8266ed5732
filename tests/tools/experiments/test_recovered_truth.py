"""What an experiment reports against the truth of drawn devices: within its error, and the error is no wider than it.

Two devices by default, ten with ``-m slow``; there the share within one and two of the stated errors is checked too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from labwright.tools.experiments.base import Estimate, Experiment, Report
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.oracle import optimal_settings
from labwright.tools.qpu.telegraph import coherence

Known = Iterator[tuple[Estimate, float]]  # what was reported, and what is true
CALIBRATED = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


def now(lab: Any) -> Transmon:
    return lab.device.transmon("Q1", lab.device.settings.current("Q1").frequency)


def power_rabi(lab: Any, _: Experiment, report: Report) -> Known:
    best = optimal_settings(now(lab))
    yield report.estimates["amplitude_pi"], best.amplitude_pi
    yield report.estimates["amplitude_pi2"], best.amplitude_pi2
    yield report.estimates["drive_offset"], -now(lab).detuning


def cpmg(lab: Any, _: Experiment, report: Report) -> Known:
    truth = now(lab).truth
    for name, n in (("t2_one_pulse", 1), ("t2_cpmg", 16)):

        def left(t: float, n: int = n) -> float:
            waits = (t / 2 / n, *(n - 1) * (t / n,), t / 2 / n)
            return float(np.exp(1 - t / truth.t2_echo)) * coherence(truth, waits) - 1

        yield report.estimates[name], brentq(left, 1, 1400)


# experiment -> what the device is opened with besides, arguments, what is known
CASES: dict[str, tuple[dict[str, float], dict[str, Any], Callable[..., Known]]] = {
    "power_rabi": ({"amplitude_error": -0.15, "frequency_offset": 0.4}, {}, power_rabi),
    "cpmg": ({"telegraph": 0.006}, {}, cpmg),
}


def pulls(open_lab: Any, name: str, seed: int) -> list[float]:
    """How many of its stated errors every estimate is off, on Q1 of the drawn device `seed`."""
    options, arguments, known = CASES[name]
    lab = open_lab(seed, device=f"drawn:{seed}", **CALIBRATED | options)
    experiment, report = lab.run(name, **arguments)
    assert report.verdict == "success", report
    found = [(estimate.value - true) / estimate.error for estimate, true in known(lab, experiment, report)]
    lab.device.close()
    return found


@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.parametrize("name", CASES)
def test_the_truth_is_within_the_error(open_lab: Any, name: str, seed: int) -> None:
    assert np.abs(pulls(open_lab, name, seed)).max() < 3.5


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_errors_cover_on_ten_devices(open_lab: Any, name: str) -> None:
    off = np.abs(np.concatenate([pulls(open_lab, name, seed) for seed in range(10, 20)]))
    assert off.max() < 4
    assert (off < 2).mean() >= 0.85, off
    assert 0.45 <= (off < 1).mean() <= 0.95, off
