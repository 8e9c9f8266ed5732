"""A bench at the simulated processor, and the loop that a patient experimenter would run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from labwright.tools.experiments.base import Bench, Experiment, Report, quantities
from labwright.tools.experiments.conformance import broken_report_promises
from labwright.tools.experiments.registry import experiments
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.opening import open_device

CLASSES = experiments()
GOOD = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
CZ = {
    "frequency": 4759.0, "amplitude_first": 0.3477, "amplitude_second": 0.3463, "duration": 0.4528, "edge": 0.08,
    "z_first": -1.5708, "z_second": -1.5708,
}  # fmt: skip


@dataclass
class Lab:
    """One device, and experiments on its Q1, each under a key of its own."""

    device: Device
    actions: int = 0

    def run(self, name: str, **arguments: Any) -> tuple[Experiment, Report]:
        self.actions += 1
        experiment = CLASSES[name](Bench(self.device, f"action-{self.actions}"))
        experiment.run("Q1", **arguments)
        report = experiment.report()
        assert_sound(experiment, report)
        experiment.update()
        return experiment, report

    def until_done(self, name: str, tries: int = 7, **arguments: Any) -> tuple[Report, int]:
        """Repeat with what the report proposes, until it is content or gives up."""
        for attempt in range(1, tries + 1):
            _, report = self.run(name, **arguments)
            if report.verdict in ("success", "wrong_setup"):
                return report, attempt
            arguments |= report.proposal
        raise AssertionError(f"{name} did not end in {tries} tries: {report}")

    def calibrate(self) -> None:
        for name, arguments in (
            ("ramsey", {"offset": 3.0, "stop": 0.5}),
            ("rabi", {}),
            ("amplitude_pingpong", {}),
            ("drag_calibration", {}),
            ("ramsey", {"offset": 3.0, "stop": 2.0}),
            ("amplitude_pingpong", {}),
        ):
            report, _ = self.until_done(name, **arguments)
            assert report.verdict == "success", report


def assert_sound(experiment: Experiment, report: Report) -> None:
    """What holds for every report: success means that all checks passed; proposals are within bounds."""
    if report.verdict == "success":
        assert all(check.passed for check in report.checks), report
        assert not report.proposal
    bounds = quantities(type(experiment))
    for name, value in report.proposal.items():
        assert bounds[name].minimum <= value <= bounds[name].maximum, (name, value)
    if report.verdict in ("wrong_setup", "bad_data"):
        assert not report.updates
    assert broken_report_promises(type(experiment), report) == []
    assert report.diagnosis
    assert report.analysis
    assert report.checks


@pytest.fixture
def open_lab(tmp_path: Path) -> Callable[..., Lab]:
    def opened(seed: int = 1, **options: float | str) -> Lab:
        return Lab(open_device("simulated", tmp_path / f"device-{seed}-{len(list(tmp_path.iterdir()))}", seed, options))

    return opened


@pytest.fixture
def open_with_gate(open_lab: Callable[..., Lab]) -> Callable[..., Device]:
    """A calibrated device, or what `options` make of it, whose pair has the gate that a search found."""

    def opened(seed: int = 1, **options: float | str) -> Device:
        device = open_lab(seed, **options or GOOD).device
        device.settings.update("Q1-Q2", CZ, key="gate", reason="a search")
        return device

    return opened


@pytest.fixture
def device(open_lab: Callable[..., Lab]) -> Device:
    return open_lab(3, **GOOD).device
