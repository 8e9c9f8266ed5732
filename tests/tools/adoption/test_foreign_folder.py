"""A folder of three modules that another author wrote for LeeQ, QCoDeS and a lab's own driver, run without an edit.

Its README.txt holds what their owners know; the cards were filled in from it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.tools.adoption.card import read_card
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.registry import experiments
from labwright.tools.qpu.opening import open_device
from labwright.tools.qpu.truth import paper_device

FOLDER = Path(__file__).parents[3] / "evaluation" / "cases" / "adoption"
TUNED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
TRUE = paper_device().qubit("Q1")
# One of each style is quick enough for the default tests.
QUICK = ("leeq_relaxation", "hahn_do1d", "foreign_rabi")
NAMES = sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.card.yaml"))
LIVES = {
    "leeq_relaxation": TRUE.t1, "bootstrapped_relaxation": TRUE.t1, "hahn_do1d": TRUE.t2_echo,
    "echo_orders": TRUE.t2_echo,
}  # fmt: skip


def test_all_objects_of_the_folder_are_found_without_running_them() -> None:
    result = CliRunner().invoke(app, ["adopt", str(FOLDER)])
    assert result.exit_code == 0
    cards = [read_card((FOLDER / f"{name}.card.yaml").read_text(encoding="utf-8")) for name in NAMES]
    assert all(f"  {card.object}  (" in result.output for card in cards)
    assert len(result.output.splitlines()) == len(cards) == 8


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
)
def test_a_foreign_measurement_runs_as_it_is(name: str, tmp_path: Path) -> None:
    card = read_card((FOLDER / f"{name}.card.yaml").read_text(encoding="utf-8"))
    where, lab = str(FOLDER / f"{name}.card.yaml"), tmp_path / "lab"
    words = ["adopt", str(FOLDER / card.file), "--object", card.object, "--card", where, "--lab", str(lab)]
    result = CliRunner().invoke(app, [*words, "--accept", card.sha256[:12]])
    assert result.exit_code == 0, result.output
    kind = experiments(lab)[name]
    device = open_device("simulated", tmp_path / "device", 2, TUNED)
    done = perform(kind, ExperimentCall(name, {"qubit": "Q1", "shots": 4000}), device, "test")
    amplitude = device.settings.current("Q1").amplitude_pi
    device.close()
    assert done.report.verdict == "success", done.report.analysis
    (found,) = done.report.estimates.values()
    truth = amplitude if name == "foreign_rabi" else LIVES.get(name)
    if truth is not None:
        model = 0.05 * truth if name == "foreign_rabi" else 0.0  # its sine knows no compression of the drive
        assert abs(found.value - truth) < 4 * found.error + model
    shutil.rmtree(lab)
