"""The five experiments end to end, their references by plain arithmetic, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from labwright.evaluation import protocol_experiment_suite, suites
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.protocol_experiment_suite import compared, scored
from labwright.evaluation.protocol_reference_procedures import Experiment, load_experiments
from labwright.evaluation.scripted_signer import named_person
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.running import DesignRequest, Outcome, start

EXPERIMENTS = {experiment.name: experiment for experiment in load_experiments()}
CALIBRATION, ELECTROLYTES, IMINES, ESTERS, TIMED = EXPERIMENTS
H, C, N, O, BR = 1.008, 12.011, 14.007, 15.999, 79.904  # noqa: E741


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("LABWRIGHT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def added(experiment: Experiment, chemical: str, plate: str = "Plate 1") -> list[float]:
    """The reference's amounts of a chemical, well by well."""
    [step] = [
        step
        for step in experiment.reference
        if step.action == "Add" and step.plate == plate and step.subject.endswith(chemical)
    ]
    return [amount for _, amount in sorted(step.amounts.items())]


def total(experiment: Experiment) -> set[float]:
    """Liquid in the vials of the first plate after all additions, rounded to whole uL."""
    held: dict[tuple[int, int], float] = {}
    for step in experiment.reference:
        if step.action == "Add" and step.plate == "Plate 1" and step.unit == "uL":
            for well, amount in step.amounts.items():
                held[well] = held.get(well, 0.0) + amount
    return {round(volume) for volume in held.values()}


def design(text: str, root: Path) -> Outcome:
    choices = Choices(approval="auto", figures=False, outputs=())
    with named_person(root) as answer:  # some of the experiments put together what the safety rules want accepted
        return start(DesignRequest(text, choices), root, on_question=answer)


def test_every_experiment_passes_as_it_is_written() -> None:
    result = suites.run("protocol_experiments")
    assert [row["faults"] for row in result["rows"]] == [""] * 5
    for row in result["rows"]:
        assert row["questions"] == 0
        assert row["content_nrmse"] <= 0.01
        assert min(row["f1"], row["fair_f1"]) >= 0.95
        assert row["worst"] < 0.02  # densities differ between handbooks, and one is an estimate
    assert result["passed"]


def test_the_warning_about_benzoic_acid_blocks_nothing_and_an_error_blocks_the_file(tmp_path: Path) -> None:
    text = EXPERIMENTS[ESTERS].protocol
    warned = design(text, tmp_path)
    assert warned.status == "complete"
    assert any("benzoic acid" in one["message"] for one in warned.result["findings"] if one["check"] == "solubility")
    hot = design(text.replace("80 degC", "210 degC"), tmp_path)
    assert hot.status == "refused"
    assert "210" in hot.reason
    assert not (hot.run_dir / "robot").exists()


def test_fourteen_molar_ammonia_is_refused_with_the_largest_loading_that_works(tmp_path: Path) -> None:
    """1000 - 50.8 uL benzaldehyde - 89.2 uL benzyl bromide leave 860.0 uL of 14.80 M: 12.72 M.

    Rounded down that is 12.7 M, but then 1.7 uL of water would fill up, less than can be dispensed: 12.6 M.
    """
    refused = design(EXPERIMENTS[IMINES].protocol.replace("12 M", "14 M"), tmp_path)
    assert refused.status == "refused"
    assert "14 M of 'ammonia' needs 946 uL" in refused.reason
    assert "largest workable value is 12.6 M" in refused.reason
    assert not (refused.run_dir / "robot").exists()
    works = design(EXPERIMENTS[IMINES].protocol.replace("12 M", "12.6 M"), tmp_path)
    assert works.status == "complete"


def test_a_wrong_amount_a_lost_step_and_a_lost_vial_fail_the_row(tmp_path: Path) -> None:
    experiment = EXPERIMENTS[CALIBRATION]

    def row(old: str, new: str) -> dict[str, Any]:
        assert old in experiment.protocol
        changed = experiment.protocol.replace(old, new)
        return scored(Experiment(**{**as_dict(experiment), "protocol": changed}), tmp_path, "rules")

    assert "contents differ" in row("total_volume: 10 mL", "total_volume: 8 mL")["faults"]
    assert "step F1" in row("conditions:\n- {kind: mix, by: vortex, time: 10 min}\n", "")["faults"]
    fewer = row(", 50 mg", "")
    assert (fewer["vials_missing"], fewer["vials_extra"]) == (1, 0)
    assert "contents differ" in fewer["faults"]
    assert row("naphthalene}", "zorbinol}")["faults"].startswith("refused")


def as_dict(experiment: Experiment) -> dict[str, Any]:
    return {name: getattr(experiment, name) for name in Experiment.__slots__}


def test_a_reference_agrees_fully_with_itself() -> None:
    for experiment in EXPERIMENTS.values():
        row = compared(experiment.reference, experiment.reference)
        assert (row["f1"], row["fair_f1"], row["content_nrmse"], row["nrmse"]) == (1, 1, 0, 0)
        assert (row["steps_missing"], row["steps_extra"]) == ([], [])


def test_calibration_and_electrolytes_by_arithmetic() -> None:
    assert added(EXPERIMENTS[CALIBRATION], "naphthalene") == [5, 10, 15, 20, 25, 30, 35, 50]
    assert total(EXPERIMENTS[CALIBRATION]) == {10_000}
    electrolytes = EXPERIMENTS[ELECTROLYTES]
    assert (
        added(electrolytes, "ethylene carbonate") == [500 * percent / 1.0 for percent in (0, 0.2, 0.4, 0.6, 0.8, 1)] * 4
    )
    assert total(electrolytes) == {500}
    salts = [added(electrolytes, name) for name in ("perchlorate", "tetrafluoroborate", "hexafluorophosphate")]
    assert salts == [[20] * 6, [20] * 6, [20] * 6 + [50] * 6]


def test_imines_by_arithmetic() -> None:
    imines = EXPERIMENTS[IMINES]
    stock = 0.28 * 900 / (N + 3 * H)  # mol/L
    assert stock == pytest.approx(14.80, abs=0.01)
    expected = [1000 * molar / stock for molar in (3, 3, 9, 9, 12, 12) for _ in range(8)]
    assert added(imines, "ammonia") == pytest.approx(expected, abs=0.06)
    assert added(imines, "benzaldehyde") == pytest.approx([0.5 * (7 * C + 6 * H + O) / 1.044] * 48, abs=0.06)
    assert added(imines, "benzyl bromide") == pytest.approx([0.75 * (7 * C + 7 * H + BR) / 1.438] * 6, abs=0.06)
    assert total(imines) == {1000}


def test_esters_by_arithmetic() -> None:
    esters = EXPERIMENTS[ESTERS]
    mmol = [8 * ratio / (1 + ratio) for ratio in (0.5, 1, 2)]  # of alcohol; the acid is the rest of 8
    methanol = (C + 4 * H + O) / 0.791
    assert added(esters, "methanol") == pytest.approx([one * methanol for one in mmol] * 3, abs=0.06)
    benzoic = 7 * C + 6 * H + 2 * O
    assert added(esters, "benzoic acid") == pytest.approx([(8 - one) * benzoic for one in mmol] * 2, abs=0.06)
    acetic = (2 * C + 4 * H + 2 * O) / 1.049
    assert added(esters, "acetic acid") == pytest.approx([(8 - one) * acetic for one in mmol] * 4, abs=0.06)
    assert added(esters, "sulfuric acid") == [1000 * 0.025 * 2 / 0.5] * 24
    assert added(esters, "water", "Plate 2") == [900] * 24
    assert total(esters) == total(EXPERIMENTS[TIMED]) == {2000}
    assert added(EXPERIMENTS[TIMED], "acetic acid") == pytest.approx([4 * acetic] * 24, abs=0.06)
    [timers] = [step for step in EXPERIMENTS[TIMED].reference if step.subject == "VialTimers"]
    assert [minutes for _, minutes in sorted(timers.amounts.items())] == [15, 30, 60, 90, 120, 150] * 4


def test_the_committed_result_is_of_this_suite() -> None:
    kept = json.loads((FOLDER / "protocol_experiments.json").read_text(encoding="utf-8"))
    assert kept["suite"] == "protocol_experiments"
    assert {row["case"] for row in kept["rows"]} == set(EXPERIMENTS)
    assert kept["score"] == sum(row["passed"] for row in kept["rows"]) / kept["n"]
    assert set(kept["columns"]) <= set(kept["rows"][0])
    assert protocol_experiment_suite.MOST_QUESTIONS == 3
