"""The live map, from events alone; and which device --maintain means."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from labwright.apps.chip_progress import ChipMap
from labwright.apps.exits import Watch
from labwright.apps.maintained_device import device_of_run
from labwright.apps.progress import Progress
from labwright.tools.errors import InputError
from labwright.tools.runs.run import create_run

PLAN = {
    "kind": "chip_planned",
    "places": {"Q1": [0, 0], "Q2": [0, 1], "Q3": [1, 0], "Q4": [1, 1]},
    "rounds": [["Q1", "Q4"], ["Q2"]],
}


def shown(chip: ChipMap) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(chip.render("run-1  12 s"))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_chosen_couplers_stand_below_the_lattice() -> None:
    chip = ChipMap.planned({**PLAN, "chosen": ["Q1-Q2", "Q3-Q4"]})
    assert "· Q1-Q2  waiting" in shown(chip)
    for event in (
        {"kind": "round_started", "round": 3, "lanes": ["Q1-Q2"]},
        {"kind": "translated", "call": "sizzle_search(qubit='Q1', partner='Q2')", "lane": "Q1-Q2"},
        {"kind": "run_finished", "lane": "Q3-Q4", "status": "refused", "reason": "Q3 did not pass"},
    ):
        chip.hear(event)
    assert "▶ Q1-Q2  sizzle search" in shown(chip)
    assert "✘ Q3-Q4  refused" in shown(chip)
    assert chip.spots["Q1"].status == "waiting"  # the coupler's events are not its first qubit's
    chip.hear({"kind": "inspected", "lane": "Q1-Q2", "estimates": {"cz_error": {"value": 0.0123}}})
    chip.hear({"kind": "run_finished", "lane": "Q1-Q2", "status": "complete", "reason": ""})
    assert "✔ Q1-Q2  CZ error 1.23 %" in shown(chip)


def test_every_qubit_stands_where_it_lies_with_a_sign_and_a_word() -> None:
    chip = ChipMap.planned(PLAN)
    for event in (
        {"kind": "round_started", "round": 1, "lanes": ["Q1", "Q4"]},
        {"kind": "translated", "call": "procedure('bring-up', dut='Q1')", "lane": "Q1"},
        {"kind": "translated", "call": "qubit_spectroscopy(qubit='Q1')", "lane": "Q1"},
        {"kind": "played", "together": 81.2, "lanes": ["Q1", "Q4"]},
        {"kind": "inspected", "lane": "Q4", "estimates": {"error_per_gate": {"value": 1.5e-4}}},
        {"kind": "run_finished", "lane": "Q4", "status": "complete", "reason": ""},
    ):
        chip.hear(event)
    text = shown(chip)
    rows = [line for line in text.splitlines() if line.strip()]
    assert "▶ Q1" in rows[0]
    assert "· Q2" in rows[0]
    assert "qubit spectros" in rows[1]
    assert "waiting" in rows[1]
    assert "✔ Q4" in rows[2]
    assert "1.50e-04" in rows[3]
    assert "Q3" in rows[2]
    assert "· waiting 1" in text
    assert "round 1 of 2   device 81 s" in text
    assert "run-1  12 s" in text
    chip.hear({"kind": "run_finished", "lane": "Q1", "status": "failed", "reason": "no line is seen"})
    assert "✘ Q1" in shown(chip)
    assert "FAILED" in shown(chip)
    assert chip.news()[-1] == "Q1 FAILED: no line is seen"
    assert chip.news() == []


def test_a_calibration_within_the_upkeep_is_not_the_end_of_its_qubit() -> None:
    chip = ChipMap.planned(PLAN)
    chip.hear({"kind": "round_started", "round": 1, "lanes": ["Q1", "Q4"]})
    chip.hear({"kind": "checked", "lane": "Q1", "node": "frequency"})
    chip.hear({"kind": "run_finished", "lane": "Q1-01-frequency", "status": "complete", "reason": ""})
    assert chip.spots["Q1"].status == "running"
    assert "frequency" in shown(chip)
    assert chip.news()[-1] == "Q1 frequency: calibrated"


def test_without_a_terminal_news_are_lines() -> None:
    file = io.StringIO()
    with Progress(Console(file=file, width=100), Watch()) as progress:
        progress.hear(PLAN)
        progress.hear({"kind": "round_started", "round": 1, "lanes": ["Q1", "Q4"]})
        progress.hear({"kind": "run_finished", "lane": "Q1", "status": "complete", "reason": ""})
    assert file.getvalue().splitlines() == ["round 1 of 2: Q1, Q4", "Q1 passed"]


def test_the_newest_run_with_a_device_is_meant_unless_another_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no earlier run"):
        device_of_run(tmp_path, "")
    choices = {"device": "simulated", "device_options": {"device": "grid:3"}, "device_folder": ""}
    older = create_run(tmp_path, "lab_calibration", "calibrate", choices, 7)
    (older.folder / "device").mkdir()
    newer = create_run(tmp_path, "lab_calibration", "calibrate", choices, 8)
    create_run(tmp_path, "tool_forging", "forge", {}, 0)
    kept = device_of_run(tmp_path, "")
    assert kept["seed"] == 7
    assert kept["device_folder"] == str((older.folder / "device").absolute())
    assert kept["device_options"] == {"device": "grid:3"}
    with pytest.raises(InputError, match="never opened a device"):
        device_of_run(tmp_path, newer.run_id)
    lasting = create_run(tmp_path, "lab_calibration", "keep", {**choices, "device_folder": kept["device_folder"]}, 7)
    assert device_of_run(tmp_path, lasting.run_id) == kept
