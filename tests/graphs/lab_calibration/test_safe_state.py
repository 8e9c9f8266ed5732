"""Whatever ends a run, its device is at rest; and a device that somebody left behind comes to rest first."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import racks
from calibrations import CALIBRATED, TWO_STAGES, Person, calibrate

from labwright.graphs.lab_calibration.running import Outcome, resume
from labwright.tools.errors import LeaseError
from labwright.tools.process_file_lock import Lease
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import open_run, runs_root

RACK: dict[str, Any] = {"device": "racks:open_rack", "device_options": CALIBRATED, "qubits": ["Q1"]}


def outputs(run: Path) -> list[str]:
    """What became of the outputs, in order."""
    return (run / "device" / "outputs").read_text().split()


def at_rest(outcome: Outcome, status: str, *, measured: int) -> None:
    assert outcome.status == status, outcome.reason
    said = outputs(outcome.run_dir)
    assert (said.count("on") > 0, said[-1]) == (measured > 0, "rest") if measured else not said
    events = [event["kind"] for event in open_run(runs_root(), outcome.run_id).events.read()]
    assert events.count("measured") == measured
    assert events.index("safe_state") < events.index("run_finished")


def interrupts(event: dict[str, Any]) -> None:
    if event["kind"] == "measured":
        raise KeyboardInterrupt


def test_a_run_that_completes(root: Path) -> None:
    at_rest(calibrate(TWO_STAGES, root, **RACK), "complete", measured=2)


def test_a_run_that_waits_for_a_person(root: Path) -> None:
    waits = calibrate(TWO_STAGES, root, approval="always", on_question=Person(["run"]), **RACK)
    at_rest(waits, "stopped", measured=1)
    assert waits.questions


def test_a_run_that_is_interrupted_goes_on_from_rest(root: Path) -> None:
    stopped = calibrate(TWO_STAGES, root, on_event=interrupts, **RACK)
    at_rest(stopped, "stopped", measured=1)
    at_rest(resume(stopped.run_id, root), "complete", measured=2)


def test_a_run_whose_bounds_are_spent(root: Path) -> None:
    steps = "{experiment: t1, qubits: [Q1], on: [{if: always, go: repeat}]}"
    spent = calibrate(f"system: lab_calibration\nbounds: {{actions: 1}}\nsteps: [{steps}]\n", root, **RACK)
    at_rest(spent, "stopped", measured=1)
    assert "1 of 1 measurements" in spent.reason
    assert "(the plan, bounds.actions)" in spent.reason
    again = resume(spent.run_id, root)
    assert (again.status, outputs(again.run_dir).count("on")) == ("stopped", outputs(spent.run_dir).count("on"))


def test_a_key_that_is_pressed_during_an_import_stops_the_run(root: Path) -> None:
    def pressed(event: dict[str, Any]) -> None:
        if event["kind"] == "measured":
            raise ImportError("initialization failed") from KeyboardInterrupt()

    plan = "system: lab_calibration\nsteps: [{experiment: t1, qubits: [Q1]}, {experiment: t1, qubits: [Q1]}]\n"
    stopped = calibrate(plan, root, on_event=pressed, **RACK)
    at_rest(stopped, "stopped", measured=1)
    assert stopped.reason == "Interrupted from the keyboard."


@pytest.mark.slow  # in this process: test_a_run_that_is_interrupted_goes_on_from_rest
@pytest.mark.parametrize(("sent", "rests"), [(signal.SIGTERM, True), (signal.SIGINT, True), (signal.SIGKILL, False)])
def test_a_process_that_is_ended(sent: signal.Signals, rests: bool, root: Path, tmp_path: Path) -> None:
    plan = "system: lab_calibration\nsteps: [{experiment: t1, qubits: [Q1], on: [{if: always, go: repeat}]}]\n"
    (tmp_path / "plan.yaml").write_text(plan)
    rack = Path(racks.__file__)
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a background shell ignores it
    start = f"{heard}; from labwright.apps.cli import main; main()"
    command = [sys.executable, "-c", start, "run", "plan.yaml", "-q"]
    command += ["--device", f"{rack}:open_rack"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    until = time.monotonic() + 90
    while not (found := list(root.glob("*/device/outputs"))) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.1)
    process.send_signal(sent)
    said = process.communicate(timeout=90)[0].decode()
    assert found, said
    if rests:
        why = "SIGTERM" if sent == signal.SIGTERM else "Interrupted from the keyboard"
        assert why in read_json(found[0].parents[1] / "result.json", "")["reason"]
    assert (found[0].read_text().split()[-1] == "rest") == rests
    assert process.returncode == (3 if rests else -sent), said
    if not rests:
        before = len(found[0].read_text().split())
        resume("latest", root, on_event=interrupts)
        assert found[0].read_text().split()[before] == "rest", "before anything else"


def mark_of(state: Path) -> Path:
    """The file that says who drives the one device that is not simulated."""
    [lease] = (state / "devices").glob("*.lease")
    return lease.with_suffix(".run")


def test_a_device_that_a_dead_run_left_on_rests_before_the_next_one_begins(root: Path, tmp_path: Path) -> None:
    calibrate("t1 Q1", root, **RACK)
    mark = mark_of(tmp_path / ".labwright")
    assert not mark.exists()
    mark.write_text("runs/20260101-000000-dead")
    following = calibrate("t1 Q1", root, **RACK)
    assert outputs(following.run_dir)[0] == "rest"
    told = [event for event in open_run(root, following.run_id).events.read() if event["kind"] == "safe_state"]
    assert told[0]["reason"] == "Run 20260101-000000-dead died while it drove the device"
    assert not mark.exists()


def test_a_device_that_another_run_drives_is_left_alone(root: Path, tmp_path: Path) -> None:
    calibrate("t1 Q1", root, **RACK)
    mark = mark_of(tmp_path / ".labwright")
    with Lease(mark.with_suffix(".lease"), "The device"):
        mark.write_text("runs/20260101-000000-alive")
        with pytest.raises(LeaseError, match="The device is driven by process"):
            calibrate("t1 Q1", root, **RACK)
    assert mark.read_text() == "runs/20260101-000000-alive"
    newest = sorted(root.iterdir())[-1]
    assert not (newest / "device" / "outputs").exists()
