"""``labwright limits``, ``labwright new limits`` and ``--limits``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from calibrations import calibrate
from own_folders import root as root
from typer.testing import CliRunner

from labwright.apps.cli import app


def said(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done.output


def test_the_template_is_a_file_of_limits_that_the_example_calibrations_keep_to(root: Path) -> None:
    assert "No limits hold besides those of the device" in said("limits")
    said("new", "limits", "-o", "limits.yaml")
    assert said("new", "limits") == Path("limits.yaml").read_text()
    assert "is there already" in said("new", "limits", "-o", "limits.yaml", code=2)
    shown = said("--limits", "limits.yaml", "limits")
    for line in (
        "drive.amplitude 0.9",
        "drive.bands 4.5 GHz to 5.5 GHz",
        "qubits.Q8.drive.amplitude 0.8",
        "run.device_time 4 h",
    ):
        assert f"  {line}\n" in shown
    assert "LABWRIGHT_LIMITS" not in os.environ, "it held for the command alone"
    said("--limits", "limits.yaml", "calibrate", "t1 Q1, points = 21; rabi Q1; ramsey Q1", "-q", "--approve", "auto")


def test_a_run_shows_what_holds_for_it_and_what_it_has_taken(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("one.yaml").write_text("limits: 1\ntitle: One\nrun: {actions: 5}\n")
    monkeypatch.setenv("LABWRIGHT_LIMITS", "one.yaml")
    assert calibrate("t1 Q1, points = 21, shots = 500", root).status == "complete"
    monkeypatch.delenv("LABWRIGHT_LIMITS")
    shown = said("limits", "--run", "latest")
    assert "one.yaml  (One)\n  run.actions 5\ntaken: " in shown
    assert "1 measurements" in shown


def test_a_file_that_does_not_read_stops_everything_before_a_run_is_made(root: Path) -> None:
    Path("wrong.yaml").write_text("limits: 1\ndrive:\n  amplitude: 80 percent\n")
    for command in (["limits"], ["calibrate", "t1 Q1"]):
        assert "wrong.yaml, line 3: drive.amplitude" in said("--limits", "wrong.yaml", *command, code=2)
        assert "cannot be read" in said("--limits", "none.yaml", *command, code=2)
    assert not root.exists()


def test_a_setting_in_a_file_and_an_option_both_hold(root: Path) -> None:
    Path("one.yaml").write_text("limits: 1\ntitle: One\nrun: {actions: 5}\n")
    Path("two.yaml").write_text("limits: 1\ntitle: Two\nrun: {actions: 9}\n")
    Path(".env").write_text("LABWRIGHT_LIMITS=one.yaml\n")
    shown = said("--limits", "two.yaml", "limits")
    assert "(One)" in shown
    assert "(Two)" in shown
