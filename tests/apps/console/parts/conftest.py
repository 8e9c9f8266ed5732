"""A run that has only begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.tools.runs import Run, create_run


@pytest.fixture
def begun(tmp_path: Path) -> Run:
    """A run that has only begun."""
    return create_run(tmp_path, "lab_calibration", "Calibrate Q1", {}, 0)
