"""What an experiment reports against the truth of drawn devices: within its error, and the error is no wider than it.

One device by default, eleven with ``-m slow``; there the share within one and two of the stated errors is checked too.
`labwright eval coverage` does the same on hundreds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiers import sampled

from labwright.evaluation.recovered_parameters import RECOVERED, recovered

NAMES = (
    "power_rabi", "readout_optimization", "leakage_rb", "dispersive_shift", "three_level_readout", "purity_rb",
    "gate_tomography", "t1_tracking", "frequency_tracking", "cpmg",
)  # fmt: skip


def test_every_one_is_tried() -> None:
    assert set(NAMES) == set(RECOVERED)


def pulls(name: str, seed: int, folder: Path) -> list[float]:
    report, found = recovered(name, seed, folder / str(seed))
    assert report.verdict == "success", report
    return [off for _, off in found]


@pytest.mark.parametrize("seed", [3, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_the_truth_is_within_the_error(name: str, seed: int, tmp_path: Path) -> None:
    assert np.abs(pulls(name, seed, tmp_path)).max() < 3.5


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_errors_cover_on_ten_devices(name: str, tmp_path: Path) -> None:
    off = np.abs(np.concatenate([pulls(name, seed, tmp_path) for seed in range(10, 20)]))
    assert off.max() < 4
    assert (off < 2).mean() >= 0.85, off
    assert 0.45 <= (off < 1).mean() <= 0.95, off
