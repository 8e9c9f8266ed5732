"""Real runs, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright import calibrate
from labwright.tools.runs import Run, create_run, load_run


@pytest.fixture(scope="session")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Q1 of the simulated processor, calibrated by the rules."""
    done = calibrate("Calibrate Q1", seed=3, runs=tmp_path_factory.mktemp("runs"), approval="auto", answers="defaults")
    return load_run(done.run_dir)


@pytest.fixture
def begun(tmp_path: Path) -> Run:
    """A run that has only begun."""
    return create_run(tmp_path, "lab_calibration", "Calibrate Q1", {}, 0)
