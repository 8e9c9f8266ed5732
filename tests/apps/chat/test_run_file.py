"""``/run FILE`` in the chat."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.tools.runs.listing import summarise
from labwright.tools.runs.run import load_run, run_ids


def test_a_written_specification_runs_in_the_chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    step = "t1 Q1, points = 21, shots = 500"
    spec = f'{{system: lab_calibration, seed: 3, steps: ["{step}"]}}'
    (tmp_path / "two.yaml").write_text(f"system: sequence\nsteps:\n  - {{label: one, spec: {spec}}}\n")
    said = CliRunner().invoke(app, ["chat", "--approve", "auto"], input="/run missing.yaml\n/run two.yaml\n")
    assert said.exit_code == 0, said.output
    assert "missing.yaml" in said.output
    runs = [load_run(tmp_path / "runs" / name) for name in run_ids(tmp_path / "runs")]
    done = {run.record.system: summarise(run).status for run in runs if run.record.system != "front_desk"}
    assert done == {"sequence": "complete", "lab_calibration": "complete"}
