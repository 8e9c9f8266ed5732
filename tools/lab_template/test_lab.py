"""test_lab.py: everything in this folder keeps what it promises. Run `pytest` here."""

from pathlib import Path

import pytest

from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.conformance import (
    broken_data_promises,
    broken_promises,
    broken_report_promises,
    unlabelled,
)
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.registry import SHIPPED, experiments
from labwright.tools.qpu.conformance import broken_device_promises
from labwright.tools.qpu.opening import open_device
from labwright.tools.specifications.procedures import load_procedures

HERE = Path(__file__).parent
OURS = {name: kind for name, kind in experiments(HERE).items() if kind not in SHIPPED}
TUNED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


@pytest.mark.parametrize("name", sorted(OURS))
def test_an_experiment_says_all_that_agents_need(name: str) -> None:
    assert broken_promises(OURS[name], HERE) == []


@pytest.mark.parametrize("name", sorted(OURS))
def test_an_experiment_runs_on_the_simulated_processor(name: str, tmp_path: Path) -> None:
    device = open_device("simulated", tmp_path, 1, TUNED)
    done = perform(OURS[name], ExperimentCall(name, {"qubit": "Q1"}), device, "test")
    device.close()
    assert done.report.verdict == "success", done.report.analysis
    assert broken_report_promises(OURS[name], done.report) == []
    assert broken_data_promises(done.experiment) == []
    for draw in done.figures.values():
        assert unlabelled(draw()) == []


def test_a_train_of_wrong_pulses_is_found_out(tmp_path: Path) -> None:
    """The bad case belongs to every experiment: here the pi pulse is a tenth too strong."""
    device = open_device("simulated", tmp_path, 1, TUNED | {"amplitude_error": 0.1})
    done = perform(OURS["pulse_train"], ExperimentCall("pulse_train", {"qubit": "Q1"}), device, "test")
    device.close()
    assert (done.report.verdict, done.report.cause) == ("wrong_setup", "contrast_lost")
    assert broken_report_promises(OURS["pulse_train"], done.report) == []
    assert "tune the pulse amplitude" in done.report.diagnosis


def test_the_procedures_can_be_read() -> None:
    assert "check-the-pulses" in load_procedures([HERE])


def test_the_device_keeps_the_protocol(tmp_path: Path) -> None:
    spec = f"{HERE / 'device.py'}:open_device"
    assert broken_device_promises(lambda: open_device(spec, tmp_path, 1)) == []
