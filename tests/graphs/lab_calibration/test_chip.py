"""A chip: rounds, lanes side by side, failures kept apart, nothing twice; with both minds."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from calibrations import Person, calibrate, side_by_side
from killed_calibrations import Job, disturbed, undisturbed
from scripted_model import Reply, ScriptedModel
from spoiled import Spoiled, planned

from labwright.agents.lab_calibration.read_plan import PLAN
from labwright.evaluation.benchmarks.run_comparison import Witness, repeated_actions
from labwright.graphs.lab_calibration.running import Outcome, fork, resume
from labwright.tools.errors import InputError
from labwright.tools.qpu.qubit_schedule import APART, distance
from labwright.tools.qpu.starting_settings import choose
from labwright.tools.runs.kill_points import POINTS
from labwright.tools.runs.pause_request import request_pause
from labwright.tools.runs.run import open_run, run_ids

GRID: dict[str, float | str] = {"device": "grid:3", "frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
T1_OF_ALL = "Measure T1 of all qubits"
T1_AND_ECHO = "Measure T1 and the spin echo of all qubits"
T1, ECHO = "t1 'dut'", "spin_echo 'dut'"
CALIBRATE, BENCHMARK = "Calibrate single qubit 'dut'", "Benchmark single qubit 'dut'"
WORDS = "How long do Q1, Q2 and Q3 live? You may look at them at the same time."
JOB = Job(side_by_side(T1, ECHO, qubits=("Q1", "Q2", "Q3")), {"seed": 3, "device_options": GRID, "figures": False})


def chip(text: str, root: Path, **more: Any) -> Outcome:
    return calibrate(text, root, **{"device_options": GRID, **more})


def journal(outcome: Outcome) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (outcome.run_dir / "device" / "journal.jsonl").read_text().splitlines()]


def journal_is_empty(outcome: Outcome) -> bool:
    path = outcome.run_dir / "device" / "journal.jsonl"
    return not path.exists() or not path.read_text()


def test_every_qubit_of_a_chip_is_measured_in_three_rounds(root: Path) -> None:
    outcome = chip(T1_OF_ALL, root)
    assert (outcome.status, outcome.reason) == ("complete", "")
    result = outcome.result
    truth, _ = choose(GRID)
    assert list(result["qubits"]) == list(truth.qubits)
    for name, entry in result["qubits"].items():
        t1 = entry["measured"]["t1.t1"]
        assert abs(t1["value"] - truth.qubits[name].t1) < 4 * t1["error"] + 0.03 * truth.qubits[name].t1
    assert [len(names) for names in result["rounds"]] == [6, 5, 5]
    assert result["device_seconds"] < result["one_by_one_seconds"] / 3
    assert result["device_seconds"] == pytest.approx(journal(outcome)[-1]["clock_after"], abs=0.1)
    assert repeated_actions(outcome.run_dir) == []
    _assert_nobody_meets_whom_they_must_not(outcome)


def _assert_nobody_meets_whom_they_must_not(outcome: Outcome) -> None:
    truth, believed = choose(GRID)
    neighbours = {frozenset((a, b)) for a, b, _ in truth.couplings}
    for line in journal(outcome):
        names = [entry["qubit"] for entry in line.get("together", [])]
        for place, one in enumerate(names):
            for two in names[:place]:
                assert frozenset((one, two)) not in neighbours
                assert distance(believed[one], believed[two]) >= APART


def test_one_bad_qubit_does_not_stop_the_others_and_its_reason_is_told(root: Path) -> None:
    options = {"device": "grid:3", "qubit": "Q3", "snr": 0.05}
    outcome = chip(side_by_side(CALIBRATE, qubits=("Q1", "Q3")), root, device_options=options)
    assert outcome.status == "failed"
    assert outcome.reason.startswith("1 of 2 qubits did not pass. Q3:")
    entries = outcome.result["qubits"]
    assert entries["Q1"]["status"] == "complete"
    assert entries["Q3"]["status"] == "failed"
    assert "readout" in entries["Q3"]["cause"] or "tell" in entries["Q3"]["cause"]
    assert outcome.result["rounds"] == [["Q1", "Q3"], ["Q3-again"]]  # who failed has a second chance, alone or not
    report = (outcome.run_dir / "report.md").read_text()
    assert "FAILED" in report
    assert entries["Q3"]["cause"] in report


@pytest.mark.slow
def test_who_turns_out_too_near_is_benchmarked_alone_and_says_so(root: Path) -> None:
    """Q4 is believed 52 MHz from Q2, and truly lies 44 MHz from it."""
    truth, _ = choose(GRID)
    near = {"qubit": "Q4", "frequency": truth.qubits["Q2"].frequency - 44.0, "frequency_offset": -8.0}
    both = side_by_side(CALIBRATE, BENCHMARK, qubits=("Q2", "Q4"))
    outcome = chip(both, root, device_options={"device": "grid:3", **near})
    assert outcome.result["rounds"] == [["Q2", "Q4"], ["Q2-alone"], ["Q4-alone"]], outcome.result["kept_apart"]
    entries = outcome.result["qubits"]
    assert all(entry["benchmarked_alone"] for entry in entries.values())
    assert "benchmarked alone" in (outcome.run_dir / "report.md").read_text()
    own = [
        row for row in outcome.result["stages"] if row["lane"] == "Q2-alone" and row["experiment"] == "single_qubit_rb"
    ]
    assert len(own) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (side_by_side("t1 'dut', stop = 900000 us", qubits=("Q1", "Q3")), "between 0.5 and 1400 us"),
        (side_by_side(T1, qubits=("Q1", "Q33")), "The device has no 'Q33'"),
        (side_by_side("t1 'dut', until = 3 us"), "t1 has no parameter `until`"),
    ],
)
def test_an_order_that_nothing_can_do_is_refused_for_all(text: str, said: str, root: Path) -> None:
    outcome = chip(text, root)
    assert outcome.status == "refused"
    assert said in outcome.reason
    assert not (outcome.run_dir / "parts").exists()


@pytest.mark.slow
def test_words_for_a_chip_are_handed_back_without_a_model(root: Path) -> None:
    outcome = chip("Brew a pot of tea for all qubits", root)
    assert outcome.status == "stopped"
    assert "tea" in outcome.questions[0]["body_markdown"]
    assert not (outcome.run_dir / "parts").exists()


def test_a_request_for_one_qubit_goes_its_old_way(root: Path) -> None:
    outcome = chip("Measure T1 of Q5", root)
    assert "rounds" not in outcome.result
    assert list(outcome.result["qubits"]) == ["Q5"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Witness:
    facts = undisturbed(JOB, tmp_path_factory.mktemp("undisturbed"))
    assert facts.status == "complete"
    assert len(facts.acquisitions) == 6
    return facts


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_a_chip_killed_half_way_and_resumed_repeats_nothing(point: str, root: Path, expected: Witness) -> None:
    """Three lanes in two rounds; finished siblings must not measure again."""
    passage = 60 if point in ("after_writes", "after_checkpoint") else 3
    row = disturbed(JOB, root, expected, f"{point}:{passage}")
    assert row.faults == []
    assert (row.kills, row.lives) == (1, 2)


@pytest.mark.nightly
@pytest.mark.parametrize("passage", range(1, 120, 7))  # it writes about 125
def test_a_chip_killed_at_any_checkpoint(passage: int, root: Path, expected: Witness) -> None:
    row = disturbed(JOB, root, expected, f"after_checkpoint:{passage}")
    assert row.faults == []


@pytest.mark.nightly
def test_sixteen_qubits_killed_half_way_and_resumed_are_those_of_the_undisturbed_twin(root: Path) -> None:
    job = Job(T1_AND_ECHO, {"seed": 3, "device_options": GRID, "figures": False})
    began = time.monotonic()
    facts = undisturbed(job, root / "undisturbed")
    seconds = time.monotonic() - began
    assert sum(bool(entry["after"]) for entry in facts.settings.values()) == 16
    assert len(facts.acquisitions) >= 32
    row = disturbed(job, root / "killed", facts, delays=(0.3 * seconds, 0.4 * seconds))
    assert row.faults == []
    assert row.kills >= 1


@pytest.mark.slow
def test_a_chip_killed_at_moments_that_nobody_chose(root: Path, expected: Witness) -> None:
    row = disturbed(JOB, root, expected, delays=(0.6, 0.9, 1.2, 1.5))
    assert row.faults == []
    assert row.kills >= 2


@pytest.mark.slow
def test_the_same_chip_through_a_model(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The model reads the scope once; lanes ask it side by side."""
    plan = {**planned(WORDS, T1_OF_ALL), "qubits": ["Q1", "Q2", "Q3"]}
    script = Spoiled({WORDS: T1_OF_ALL}, {PLAN.name: [Reply.answer(plan)]})
    with ScriptedModel(script) as model:
        for name, value in {"base_url": model.url, "api_key": "none", "state": tmp_path / "state"}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", str(value))
        outcome = chip(WORDS, root, mind="openai:scripted")
        asked = [request.role for request in model.requests]
    assert outcome.status == "complete", outcome.reason
    assert asked.count(PLAN.name) == 1
    assert outcome.document["usage"]["total"]["calls"] == len(asked)
    by_rules = chip(side_by_side(T1, qubits=("Q1", "Q2", "Q3")), root)
    assert by_rules.result["qubits"]["Q2"]["measured"] == outcome.result["qubits"]["Q2"]["measured"]


def test_lanes_ask_side_by_side_and_each_gets_its_own_answer(root: Path) -> None:
    waiting = chip(side_by_side(T1, qubits=("Q1", "Q3")), root, approval="always")
    assert waiting.status == "stopped"
    assert len(waiting.questions) == 2
    assert len({question["id"] for question in waiting.questions}) == 2
    outcome = resume(waiting.run_id, root, on_question=Person(rest="run"))
    assert outcome.status == "complete", outcome.reason


@pytest.mark.slow
@pytest.mark.parametrize("text", [T1_OF_ALL, "Maintain the chip", side_by_side(T1)])
def test_all_means_the_chosen_qubits_where_some_are_chosen(text: str, root: Path) -> None:
    outcome = chip(text, root, qubits=["Q1", "Q3"], approval="always")
    assert outcome.result == {} or set(outcome.result["qubits"]) <= {"Q1", "Q3"}
    assert {path.name[:2] for path in (outcome.run_dir / "parts").iterdir()} == {"Q1", "Q3"}


def test_a_plan_that_asks_first_asks_in_every_lane(root: Path) -> None:
    plan = f"{side_by_side(T1, qubits=('Q1', 'Q3'))}approval: before every measurement\n"
    waiting = chip(plan, root, approval="auto")
    assert (waiting.status, len(waiting.questions)) == ("stopped", 2)
    assert journal_is_empty(waiting)


@pytest.mark.slow
def test_a_procedure_that_the_plan_brings_along_is_known_in_every_lane(root: Path) -> None:
    own = "procedures:\n  look-around: {title: \"Look around 'dut'\", parameters: [dut], steps: [t1 'dut']}\n"
    plan = side_by_side("{procedure: look around, qubits: [dut]}", qubits=("Q1", "Q3"))
    outcome = chip(plan + own, root)
    assert outcome.status == "complete", outcome.reason
    assert [row["experiment"] for row in outcome.result["stages"] if row["action"]] == ["t1", "t1"]


def test_a_chip_pauses_between_two_acquisitions_and_goes_on(root: Path) -> None:
    def pause(event: dict[str, Any]) -> None:
        if event["kind"] == "played" and len(asked) == 0:
            request_pause(open_run(root, run_ids(root)[-1]))

    asked: list[Any] = []
    paused = chip(side_by_side(T1, ECHO, qubits=("Q1", "Q3")), root, on_event=pause)
    assert paused.status == "stopped"
    assert [question["title"] for question in paused.questions] == ["The run was asked to pause here."]
    outcome = resume(paused.run_id, root, on_question=Person(rest="go"))
    assert outcome.status == "complete"
    assert repeated_actions(outcome.run_dir) == []


@pytest.mark.slow
def test_a_chip_cannot_be_forked(root: Path) -> None:
    outcome = chip(side_by_side(T1, qubits=("Q1", "Q3")), root)
    with pytest.raises(InputError, match="whole chip"):
        fork(outcome.run_id, root)
