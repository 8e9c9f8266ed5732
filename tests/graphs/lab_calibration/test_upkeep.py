"""Upkeep of a device that outlives its runs: only what is stale is measured, a jump is found, nothing is done twice."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from killed_calibrations import Job, disturbed, undisturbed

from labwright.evaluation.benchmarks.run_comparison import Witness
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start
from labwright.tools.errors import InputError
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.oracle import optimal_settings
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.qpu.starting_settings import choose
from labwright.tools.upkeep.calibration_graph import ONE_QUBIT
from labwright.tools.upkeep.upkeep_journal import UpkeepBook

STILL: dict[str, float | str] = {"device": "grid:3", "drift_sigma": 0.0, "amplitude_drift": 0.0, "jump_rate": 0.0}
SENTENCE = "Maintain Q1 and Q3"
SEED = 3
QUBITS = ("Q1", "Q3")


@cache
def best(qubit: str) -> dict[str, float]:
    """The best settings of a qubit that stands still."""
    truth, believed = choose(STILL)
    found = optimal_settings(Transmon(truth.qubits[qubit], 0.0), believed[qubit])
    return {name: getattr(found, name) for name in ("frequency", "amplitude_pi", "amplitude_pi2", "drag")}


def calibrated(folder: Path, options: dict[str, float | str], qubits: tuple[str, ...] = QUBITS) -> Path:
    """A device as a calibration leaves it: the best settings there are, and a memory of when."""
    device, book = open_simulated(folder, SEED, options), UpkeepBook(folder)
    for qubit in qubits:
        device.settings.update(qubit, best(qubit), key=f"best {qubit}", reason="calibrated")
        for node in ONE_QUBIT:
            numbers = {"error_per_gate": 2.2e-4} if node == "gates" else {}
            book.add(f"{qubit} {node}", qubit, node, "calibrated", device.clock, numbers)
    device.close()
    return folder


def choices(folder: Path, options: dict[str, float | str], **more: Any) -> Choices:
    plain = {"device_folder": str(folder), "device_options": options, "seed": SEED, "figures": False}
    return Choices.model_validate({"approval": "auto", "answers": "defaults", **plain, **more})


def upkeep(root: Path, folder: Path, options: dict[str, float | str], text: str = SENTENCE, **more: Any) -> Outcome:
    return start(CalibrationRequest(text, choices(folder, options, **more)), root)


def states(outcome: Outcome, qubit: str) -> dict[str, str]:
    return {row["node"]: row["state"] for row in outcome.result["upkeep"][qubit]}


def played(outcome: Outcome) -> list[str]:
    """What was measured, by the claims of the run's parts."""
    claims = sorted(outcome.run_dir.glob("parts/*/actions/*/claim.json"))
    return sorted(json.loads(path.read_text())["call"]["experiment"] for path in claims)


@pytest.mark.slow
def test_without_drift_nothing_but_data_is_looked_at(root: Path, tmp_path: Path) -> None:
    folder = calibrated(tmp_path / "device", STILL)
    outcome = upkeep(root, folder, STILL, idle_hours=24)
    assert outcome.status == "complete", outcome.reason
    assert set(states(outcome, "Q1").values()) == set(states(outcome, "Q3").values()) == {"in spec"}
    assert played(outcome) == sorted(f"check {node}" for node in ONE_QUBIT for _ in QUBITS)
    assert outcome.result["qubits"]["Q1"]["before"] == outcome.result["qubits"]["Q1"]["after"]
    # the next upkeep knows that all this was seen
    assert upkeep(root, folder, STILL, idle_hours=0.5).result["acquisitions"] == 0


@pytest.mark.slow
def test_upkeep_of_the_chip_is_for_the_qubits_that_were_ever_calibrated(root: Path, tmp_path: Path) -> None:
    folder = calibrated(tmp_path / "device", STILL)
    outcome = upkeep(root, folder, STILL, "Maintain the chip", idle_hours=2)
    assert list(outcome.result["upkeep"]) == list(QUBITS)


def test_only_what_is_stale_is_looked_at(root: Path, tmp_path: Path) -> None:
    outcome = upkeep(root, calibrated(tmp_path / "device", STILL), STILL, idle_hours=2)
    assert set(played(outcome)) == {"check frequency", "check amplitude"}


def test_a_jump_is_found_by_diagnosis_from_the_gates(root: Path, tmp_path: Path) -> None:
    """Q3 jumps after 11 h by 0.3 MHz. Frequency and amplitude were seen in spec before that; the gates are due."""
    options = {**STILL, "qubit": "Q3", "step": 0.3, "step_at": 11 * 3600.0}
    folder = calibrated(tmp_path / "device", options)
    device, book = open_simulated(folder, SEED, options), UpkeepBook(folder)
    for qubit in QUBITS:
        for node in ("readout", "frequency", "amplitude", "drag"):
            book.add(f"later {qubit} {node}", qubit, node, "in_spec", 11.3 * 3600)
    device.close()
    outcome = upkeep(root, folder, options, idle_hours=11.5)
    assert outcome.status == "complete", outcome.reason
    assert states(outcome, "Q1") == {**dict.fromkeys(ONE_QUBIT, "trusted"), "gates": "in spec"}
    found = states(outcome, "Q3")
    assert found["frequency"] == "recalibrated"
    assert [node for node, state in found.items() if state == "recalibrated"] == ["frequency"]
    after = outcome.result["qubits"]["Q3"]
    assert after["after"]["frequency"] - after["before"]["frequency"] == pytest.approx(0.3, abs=0.01)
    report = (outcome.run_dir / "report.md").read_text()
    assert "data of gates are off" in report
    assert "| Q3 |" in report


@pytest.mark.slow
def test_what_was_never_calibrated_is_brought_up(root: Path, tmp_path: Path) -> None:
    options = {**STILL, "frequency_offset": 0.5}
    folder = calibrated(tmp_path / "device", options, qubits=("Q1",))
    outcome = upkeep(root, folder, options)
    assert outcome.status == "complete", outcome.reason
    assert states(outcome, "Q3")["whole"] == "recalibrated"
    assert outcome.result["qubits"]["Q3"]["rb_error_per_gate"] is not None
    assert set(states(outcome, "Q1").values()) == {"trusted"}


JUMPED: dict[str, float | str] = {**STILL, "qubit": "Q3", "step": 0.05, "step_at": 3600.0}


def job(folder: Path) -> Job:
    given = choices(calibrated(folder, JUMPED), JUMPED, idle_hours=24)
    return Job(SENTENCE, given.model_dump(mode="json"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Witness, Path]:
    """Upkeep that nobody killed, and its device."""
    folder = tmp_path_factory.mktemp("whole")
    facts = undisturbed(job(folder / "device"), folder / "runs")
    assert facts.status == "complete"
    assert {row["experiment"] for row in facts.stages} == {"ramsey", "amplitude_pingpong"}  # Q1 drifts
    return facts, folder / "device"


@pytest.mark.slow
@pytest.mark.parametrize("point", ["after_act:4", "after_done:7", "after_checkpoint:40", "after_writes:60"])
def test_upkeep_that_is_killed_goes_on_and_repeats_nothing(
    point: str, root: Path, tmp_path: Path, whole: tuple[Witness, Path]
) -> None:
    row = disturbed(job(tmp_path / "device"), root, whole[0], point)
    assert row.faults == []
    journals = [(folder / "journal.jsonl").read_text().splitlines() for folder in (whole[1], tmp_path / "device")]
    clocks = [json.loads(lines[-1])["clock_after"] for lines in journals]
    assert clocks[0] == clocks[1]
    assert len(journals[0]) == len(journals[1])


def test_time_does_not_pass_by_hand_for_other_devices(root: Path) -> None:
    given = {"device": "forgetful_device:open_forgetful", "idle_hours": 1.0}
    with pytest.raises(InputError, match="passes by itself"):
        start(CalibrationRequest("Maintain the chip", Choices.model_validate(given)), root)
