"""The chat behind a real terminal: typing while runs work, Ctrl-C, and the whole of a working day."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pseudo_terminal import PseudoTerminal
from talks import DILUTION

from labwright.tools.runs import list_runs, read_result
from labwright.tools.runs.run import open_run

SAMPLES = Path(__file__).parents[3] / "examples" / "calibration_samples.txt"
CTRL_C, CTRL_D = "\x03", "\x04"


@pytest.fixture
def terminal(root: Path, tmp_path: Path) -> Iterator[PseudoTerminal]:
    quiet = {"TERM": "xterm-256color", "OMP_NUM_THREADS": "1", "LABWRIGHT_STATE": str(tmp_path / "state")}
    program = [str(Path(sys.executable).parent / "labwright"), "chat"]
    with PseudoTerminal(program, {**os.environ, **quiet}) as opened:
        opened.expect("/help lists")
        yield opened


@pytest.mark.slow
def test_an_approval_is_given_at_the_keyboard_and_the_history_is_kept(
    terminal: PseudoTerminal, root: Path, tmp_path: Path
) -> None:
    terminal.line(DILUTION)
    terminal.expect("Write the robot's file?")
    terminal.expect("[abort]")
    terminal.line("write")
    terminal.expect("COMPLETE")
    terminal.send(CTRL_D)
    assert terminal.ended() == 0
    assert [run.status for run in list_runs(root)] == ["complete"]
    assert "Caffeine in water" in (tmp_path / "state" / "chat_history").read_text()


def test_a_ctrl_c_outside_raw_mode_is_a_signal() -> None:
    """As at a real terminal: the line editor leaves raw mode whenever a run prints something."""
    waits = (
        "import time; print('ready', flush=True)\nwhile True: time.sleep(0.01)"  # `pause` may begin after the signal
    )
    with PseudoTerminal([sys.executable, "-c", waits], os.environ) as opened:
        opened.expect("ready")
        opened.send(CTRL_C)
        opened.expect("KeyboardInterrupt")


@pytest.mark.slow
def test_ctrl_c_pauses_and_nothing_is_lost(terminal: PseudoTerminal, root: Path) -> None:
    terminal.line("calibrate Q2")
    terminal.expect("success")  # three stages are behind us
    terminal.send(CTRL_C)
    terminal.expect("pauses before its next stage")
    terminal.expect("asked to pause here")
    measured = len(list((root / list_runs(root)[0].run_id / "actions").iterdir()))
    terminal.line("/resume")
    terminal.expect("COMPLETE")
    terminal.send(CTRL_D)
    terminal.ended()
    document = read_result(open_run(root, "latest"))
    assert document is not None
    stages = document["result"]["stages"]
    assert len({stage["action"] for stage in stages}) == len(stages) > measured >= 3


@pytest.mark.slow
def test_a_day_at_the_desk(terminal: PseudoTerminal, root: Path) -> None:
    """Calibrate, design, search and ask what it cost in one session without a key; every question answered in it."""
    terminal.line("calibrate Q1")
    terminal.expect("Started the calibration")
    terminal.line("hello")  # the chat is free meanwhile
    terminal.expect("Without a model")
    terminal.expect("COMPLETE")
    terminal.line(SAMPLES.read_text().strip())
    terminal.expect("Write the robot's file?")
    terminal.expect("[abort]")
    terminal.line("1")
    terminal.expect("COMPLETE")
    terminal.line("run search with trials = 1, evaluations = 4, preparation = min-max, qubits = 4, features = 8")
    terminal.expect("Started the search")
    terminal.expect("COMPLETE")
    terminal.line("cost")
    terminal.expect("3 runs and this conversation, in all: model calls 0, tokens 0, money 0")
    terminal.line("/quit")
    assert terminal.ended() == 0
    ended = {run.system: run.status for run in list_runs(root)}
    assert ended == dict.fromkeys(("lab_calibration", "protocol_design", "feature_map_search"), "complete")
    designed = next(run for run in list_runs(root) if run.system == "protocol_design")
    document = read_result(open_run(root, designed.run_id))
    assert document is not None
    assert len(document["result"]["vials"]) == 12
