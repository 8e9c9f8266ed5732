"""Calibrate three qubits and their gates, then run the best map's kernel on them: as a sequence, and from the chat."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.tools.runs.listing import read_result, summarise
from labwright.tools.runs.run import load_run, run_ids

EXAMPLE = Path(__file__).parents[3] / "examples" / "chip-kernel.yaml"


def checked(root: Path) -> None:
    """The search's result holds the chip's kernel beside the prediction of the errors that were measured."""
    [search] = [run for run in map(load_run, (root / name for name in run_ids(root))) if "search" in run.record.system]
    assert summarise(search).status == "complete"
    chip = (read_result(search) or {})["result"]["processor"]
    assert 0 < chip["errors"]["single"] < 2e-3
    assert 0 < chip["errors"]["pair"] < 0.05
    assert chip["predicted_deviation"] < chip["exact_deviation"]  # the waits of idle qubits are in neither number
    assert "On a processor" in (search.folder / "report.md").read_text()
    assert (search.folder / "figures" / "processor.png").stat().st_size > 5000


@pytest.mark.nightly
@pytest.mark.parametrize("way", ["run", "chat"])
def test_the_chain_from_calibration_to_kernel(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    text = EXAMPLE.read_text().replace("train: 6", "train: 3").replace("test: 6", "test: 3")
    (tmp_path / "chain.yaml").write_text(text)
    if way == "run":
        said = CliRunner().invoke(app, ["run", "chain.yaml", "--approve", "auto", "--quiet"])
    else:
        said = CliRunner().invoke(app, ["chat", "--approve", "auto"], input="/run chain.yaml\n")
    assert said.exit_code == 0, said.output
    checked(tmp_path / "runs")
