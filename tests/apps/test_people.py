"""A person in charge, at the command line and through pipes: the same answers do the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.graphs.lab_calibration.stage_results import by_stage
from labwright.tools.runs import open_run, read_result
from labwright.tools.runs.run import run_ids

CALIBRATED = [f"--device-option={each}" for each in ("frequency_offset=0", "amplitude_error=0", "drag=1")]
GOES_BACK = "t1 Q1; spin_echo Q1, stop = 1 us, points = 11"  # the echo fails, and the step before is to be done again

IMPRECISE = "spin_echo Q1, stop = 400 us, points = 21, shots = 50"  # its lifetime is known to some 20 % only

ONCE = "Repeat at most 0 times. If exhausted, go to FAILED."


def run(*arguments: str, said: str = "") -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, [*arguments], input=said)


def calibrate(text: str, *more: str, said: str = "") -> Result:
    return run("calibrate", text, "--seed", "3", *CALIBRATED, *more, said=said)


def measured(root: Path) -> list[tuple[str, dict[str, Any]]]:
    events = open_run(root, "latest").events.read()
    return [(event["experiment"], event["arguments"]) for event in events if event["kind"] == "measured"]


def result(root: Path) -> dict[str, Any]:
    return dict((read_result(open_run(root, "latest")) or {})["result"])


@pytest.mark.parametrize("chat", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_piped_answers_are_taken_and_edits_offer_the_whole_signature(root: Path, chat: bool) -> None:
    request, said = "t1 Q1; spin_echo Q1", "edit stop = 0.42 ms, points = 31\nrun\n"
    if chat:
        done = run("chat", "--approve", "always", "--seed", "3", *CALIBRATED, said=f"{request}\n{said}")
    else:
        done = calibrate(request, "--approve", "always", said=said)
    assert done.exit_code == 0, done.output
    assert measured(root)[0] == ("t1", {"qubit": "Q1", "stop": 420.0, "points": 31})
    assert "stop = 400.0 us (0.5 to 1400 us)" in done.output
    assert "Estimated device time" in done.output


def test_a_pipe_that_ends_leaves_the_run_waiting_and_a_slip_is_no_approval(root: Path) -> None:
    done = calibrate("t1 Q1", "--approve", "always", said="runn\n")
    assert done.exit_code == 3
    assert "is not offered" in done.stderr
    assert measured(root) == []


def test_what_was_skipped_is_not_done_when_a_later_stage_goes_back(root: Path) -> None:
    done = calibrate(GOES_BACK, "--approve", "always", said="skip\nrun\nrun\n")
    assert "  1  t1  skipped" in done.output
    assert {name for name, _ in measured(root)} == {"spin_echo"}


@pytest.mark.parametrize("named", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_an_answer_may_hold_equals_signs_as_its_question_does(root: Path, named: bool) -> None:
    assert calibrate("t1 Q1, stop = 300 us", "--approve", "always").exit_code == 3
    [question] = (read_result(open_run(root, "latest")) or {})["questions"]
    assert "=" in question["id"]
    answer = "edit stop = 420, points = 31"
    done = run("runs", "resume", "latest", "--answer", f"{question['id']}={answer}" if named else answer)
    assert done.exit_code == 0, done.output
    assert measured(root) == [("t1", {"qubit": "Q1", "stop": 420.0, "points": 31})]


def test_a_question_is_answered_with_what_was_measured_and_marked(root: Path) -> None:
    asked = run("chat", "--seed", "3", *CALIBRATED, said=f"What is T2 of Q1?\n{IMPRECISE}. {ONCE}\n")
    assert asked.exit_code == 1, asked.output
    stage = next(iter(by_stage(result(root)["stages"]).values()))
    shown = f"{stage['results']['t2_echo']['value']:.0f}("
    for said in (asked.stdout, run("runs", "show", "latest").stdout):
        [line] = [line for line in said.splitlines() if line.startswith(IMPRECISE) and "t2 echo" in line]
        assert "not accepted" in line
        assert shown in line
    assert "known to 5 %" in asked.stdout


def test_the_end_of_a_run_says_what_was_measured_and_not_accepted(root: Path) -> None:
    done = calibrate(IMPRECISE, "--max-retries", "0")
    assert done.exit_code == 1
    [line] = [line for line in done.stdout.splitlines() if line.startswith("not accepted")]
    assert "t2_echo" in line
    assert "+-" in line


def test_a_failure_that_no_stage_needs_ends_nothing_and_is_not_repeated_as_it_is(root: Path) -> None:
    request = "resonator_spectroscopy Q1, update = false; spin_echo Q1; t1 Q2"
    off = ["--device-option=frequency_offset=40", "--device-option=drag=0.5", "--device-option=qubit=Q1"]
    done = run("calibrate", request, "--seed", "3", *off)
    assert done.exit_code == 1
    # the step before the echo is done again, but the echo not: nothing has changed
    again = "resonator_spectroscopy"
    assert [name for name, _ in measured(root)] == [again, "spin_echo", again, "t1"]
    assert measured(root)[-1][1]["qubit"] == "Q2"
    reason = (read_result(open_run(root, "latest")) or {})["reason"]
    assert reason.startswith("spin_echo Q1: ")
    assert "not measured again" in done.stdout


def frequency(run_id: str, when: str) -> float:
    return float((read_result(open_run(Path("runs"), run_id)) or {})["result"]["qubits"]["Q1"][when]["frequency"])


MIS_SET = ["--seed", "3", "--device-option=frequency_offset=0.4", "--device-option=drag=1"]
TUNE = "ramsey Q1, offset = 1 MHz, stop = 5 us"


@pytest.mark.slow  # between runs: below
def test_the_device_keeps_its_state_within_a_conversation(root: Path) -> None:
    done = run("chat", *MIS_SET, said=f"{TUNE}\nt1 Q2\n{TUNE}\n")
    assert done.exit_code == 0, done.output
    first, _, last = run_ids(root)
    assert frequency(first, "before") != frequency(first, "after")
    assert frequency(last, "before") == frequency(first, "after")
    journals = [(root / name / "device" / "journal.jsonl").read_text() for name in run_ids(root)]
    assert journals[2].startswith(journals[1])  # the same device: its clock and its random numbers go on
    assert journals[1].startswith(journals[0])
    run("chat", *MIS_SET, said=f"{TUNE}\n")  # another conversation has a device of its own
    assert frequency(run_ids(root)[-1], "before") == frequency(first, "before")


def test_the_device_keeps_its_state_between_runs_if_asked(root: Path) -> None:
    for _ in range(2):
        assert run("calibrate", TUNE, *MIS_SET, "--device-folder", "qpu").exit_code == 0
    first, second = run_ids(root)
    assert frequency(second, "before") == frequency(first, "after") != frequency(first, "before")
    assert not (root / second / "device").exists()
    # a fork goes on with a copy of the device as it was then, and leaves the device alone
    journal = Path("qpu/journal.jsonl").read_text()
    fork = run("runs", "fork", first, "--stage", "0").stdout.split()[0]
    assert run("runs", "resume", fork).exit_code == 0
    assert frequency(fork, "after") == frequency(first, "after")
    assert Path("qpu/journal.jsonl").read_text() == journal
