"""One sentence to Labwright on a simulated device, unattended; for suites that look at what a whole run leaves."""

from __future__ import annotations

from pathlib import Path

from labwright.evaluation.case import Case
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start


def started(case: Case, folder: Path, mind: str) -> Outcome:
    """The run itself: unattended, nothing drawn."""
    choices = Choices(
        device_options=case.options, seed=case.seed, mind=mind, approval="auto", answers="defaults", figures=False
    )
    return start(CalibrationRequest(case.request, choices), folder)
