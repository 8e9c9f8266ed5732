"""People in charge of a run: what they skip stays skipped, and what they edit is the whole experiment."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from calibrations import CALIBRATED, ONE_STAGE, TWO_STAGES, Person, calibrate, calls, pause_at
from langgraph.checkpoint.memory import MemorySaver
from langgraph.types import Command

from labwright.graphs.lab_calibration.forking import fork
from labwright.graphs.lab_calibration.graph import build_graph
from labwright.graphs.lab_calibration.running import Outcome, resume
from labwright.graphs.lab_calibration.stage_results import by_stage
from labwright.graphs.questions import Answer
from labwright.graphs.results import Calibrated, typed
from labwright.tools.experiments.base import Report
from labwright.tools.experiments.t1_and_echo import T1
from labwright.tools.runs.run import open_run

# The echo's sweep is a hundredth of its lifetime, so it fails, and the step before it is to be done again.
GOES_BACK = """system: lab_calibration
steps:
  - t1 Q1
  - {experiment: spin_echo, qubits: [Q1], parameters: {stop: 1 us, points: 11}, repeats: 0,
     on: [{if: failed and not went_back once, go: previous}]}
"""


FAR_OFF: dict[str, Any] = {"frequency_offset": 40.0, "drag": 0.5}  # the drive is nowhere near: no pulse turns the qubit


def measured(outcome: Outcome) -> list[str]:
    return [experiment for experiment, _ in calls(outcome)]


IMPRECISE = "spin_echo Q1, stop = 400 us, points = 21, shots = 50"  # its lifetime is known to some 20 % only


def test_results_stand_under_the_name_of_their_stage_accepted_or_not(root: Path) -> None:
    plan = "system: lab_calibration\nsteps:\n  - {experiment: t1, qubits: [Q1], label: relaxation}\n"
    plan += f"  - t1 Q1\n  - t1 Q1\n  - {IMPRECISE}\nresults: What is the echo time of Q1?\n"
    outcome = typed(Calibrated, calibrate(plan, root, max_retries=0))
    assert list(outcome.by_stage)[:3] == ["relaxation", "t1 Q1", "t1 Q1 (2)"]
    echo = outcome.by_stage[IMPRECISE]
    assert (echo.accepted, echo.verdict) == (False, "bad_data")
    assert 90 < echo.results["t2_echo"].value < 250
    assert outcome.by_stage["relaxation"].accepted
    assert abs(outcome.by_stage["relaxation"].results["t1"].value - 125) < 10
    table = (outcome.run_dir / "report.md").read_text().partition("## Results by stage")[2].partition("\n## ")[0]
    [line] = [line for line in table.splitlines() if "spin_echo" in line]
    assert f"t2_echo {echo.results['t2_echo'].value:.0f} +-" in line
    assert "not accepted" in line
    assert "relaxation" in table


def test_a_refusal_of_data_says_the_numbers_that_decided(root: Path) -> None:
    outcome = calibrate(IMPRECISE, root, max_retries=0)
    assert outcome.status == "failed"
    [event] = [e for e in open_run(root, outcome.run_id).events.read() if e["kind"] == "inspected"]
    error, value = (event["estimates"]["t2_echo"][name] for name in ("error", "value"))
    assert f"{100 * error / value:.3g} %" in outcome.reason  # relative error, and what was asked of it
    assert "known to 5 %" in outcome.reason
    assert f"{value:.2f} +- {error:.2f} us" in outcome.reason


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["", "on: [{if: failed and not went_back once, go: Stage 1}]"])
def test_a_skipped_stage_is_not_done_when_a_later_one_goes_back(root: Path, rule: str) -> None:
    plan = GOES_BACK.replace("on: [{if: failed and not went_back once, go: previous}]", rule)
    person = Person(script=["skip"], rest="run")
    outcome = calibrate(plan, root, approval="always", on_question=person)
    assert "t1" not in measured(outcome)
    assert next(row["verdict"] for row in outcome.result["stages"] if row["experiment"] == "t1") == "skipped"
    assert sum("t1(" in question.title for question in person.asked) == 1


@pytest.mark.slow
def test_a_skipped_stage_stays_skipped_in_a_procedure_that_is_done_again(root: Path) -> None:
    plan = """system: lab_calibration
steps: [{procedure: look twice, qubits: [Q1], on: [{if: not failed 2 times, go: repeat}]}]
procedures:
  look-twice: {title: Look twice, parameters: [dut], results: "", steps: [
    {experiment: t1, qubits: [dut]},
    {experiment: spin_echo, qubits: [dut], parameters: {stop: 1 us, points: 11}, repeats: 0,
     on: [{if: failed, go: FAILED}]}]}
"""
    outcome = calibrate(plan, root, approval="always", on_question=Person(script=["skip"], rest="run"))
    assert [row["verdict"] for row in outcome.result["stages"] if row["experiment"] == "t1"] == ["skipped"] * 2
    assert set(measured(outcome)) == {"spin_echo"}


@pytest.mark.slow
def test_a_skip_at_a_pause_is_kept_when_the_run_is_replayed_from_its_journal(root: Path) -> None:
    person = Person(script=["skip"], rest="run")
    outcome = calibrate(TWO_STAGES, root, qubits=["Q1"], on_event=pause_at("planned", root), on_question=person)
    assert measured(outcome) == ["spin_echo"]
    again = resume(outcome.run_id, root, rebuild=True)
    assert (again.status, measured(again)) == ("complete", ["spin_echo"])


@pytest.mark.slow
def test_a_fork_keeps_what_was_skipped_before_it(root: Path) -> None:
    old = calibrate(GOES_BACK, root, approval="always", on_question=Person(script=["skip"], rest="run"))
    new = resume(fork(old.run_id, root, stage=1), root, on_question=Person(rest="run"))
    assert "t1" not in measured(new)
    assert new.result["stages"][0]["diagnosis"] == "skipped by a person"


def test_the_edit_form_holds_the_whole_signature_and_the_device_time(root: Path) -> None:
    [question] = calibrate("t1 Q1, stop = 300 us", root, approval="always").questions
    fields = question["form_schema"]["properties"]
    assert list(fields) == ["qubit", "stop", "points", "shots"]
    assert fields["stop"] | {"description": ""} == {
        "type": "number", "default": 300.0, "unit": "us", "minimum": 0.5, "maximum": 1400.0, "description": "",
    }  # fmt: skip
    assert (fields["shots"]["type"], fields["shots"]["minimum"]) == ("integer", 50)
    assert all(field["description"] for field in fields.values())
    # 2 x 41 sequences of 1000 shots at 402 us, and on average 150 us of delay
    assert "Estimated device time:" in question["body_markdown"]


@pytest.mark.slow
def test_an_edit_may_name_a_unit_and_what_lies_outside_is_asked_again(root: Path) -> None:
    person = Person(
        script=[("edit", {"stop": "1e9 us"}), ("edit", {"spot": 1}), ("edit", {"stop": "0.42 ms"})], rest="run"
    )
    outcome = calibrate(ONE_STAGE, root, approval="always", on_question=person)
    assert "must be between" in person.asked[1].body_markdown
    assert "no field 'spot'" in person.asked[2].body_markdown
    [event] = [e for e in open_run(root, outcome.run_id).events.read() if e["kind"] == "measured"]
    assert event["arguments"]["stop"] == 420.0


@pytest.mark.slow
def test_the_compiled_graph_alone_keeps_a_skip(root: Path) -> None:
    graph = build_graph(MemorySaver())
    config: Any = {"configurable": {"thread_id": "a"}, "recursion_limit": 200}
    choices = {"seed": 3, "figures": False, "device_options": CALIBRATED, "approval": "always"}
    given: Any = {"request": GOES_BACK, "choices": choices}
    said = iter(["skip"])
    for _ in range(20):
        graph.invoke(given, config)
        if not (waiting := graph.get_state(config).interrupts):
            break
        given = Command(resume=Answer(id=waiting[0].value["id"], decision=next(said, "run")).model_dump())
    rows = graph.get_state(config).values["history"]
    assert {row["verdict"] for row in rows if row["experiment"] == "t1"} == {"skipped"}
    assert any(row["experiment"] == "spin_echo" for row in rows)


@pytest.mark.slow
def test_a_stage_that_nothing_needs_does_not_end_the_others(root: Path) -> None:
    outcome = calibrate("t1 Q1, stop = 2 us, points = 11; spin_echo Q1; t1 Q2", root, max_retries=0)
    assert outcome.status == "failed"  # the run says so, and says what
    assert "t1 Q1, stop = 2 us" in outcome.reason
    assert "spin_echo" not in outcome.reason
    stages = typed(Calibrated, outcome).by_stage
    assert [stage.accepted for stage in stages.values()] == [False, True, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    "later",
    [
        "'spin_echo Q1, stop = 3 * t1.t1'",
        "{experiment: spin_echo, qubits: [Q1], on: [{if: t1 < 10 us, go: FAILED}]}",
        "{procedure: look, qubits: [Q1]}",
    ],
)
def test_a_stage_that_a_later_one_needs_ends_the_run(root: Path, later: str) -> None:
    look = '{title: Look, parameters: [dut], results: "", steps: ["spin_echo \'dut\', stop = 3 * t1.t1"]}'
    plan = (
        f"system: lab_calibration\nsteps: ['t1 Q1, stop = 2 us, points = 11', {later}]\nprocedures: {{look: {look}}}\n"
    )
    outcome = calibrate(plan, root, max_retries=0)
    assert (outcome.status, set(measured(outcome))) == ("failed", {"t1"})


@pytest.mark.slow
def test_what_may_write_settings_ends_what_comes_after_it_on_the_same_qubit(root: Path) -> None:
    lost = "{experiment: qubit_spectroscopy, qubits: [Q1], parameters: {start: 40 MHz, stop: 60 MHz}, repeats: 0}"
    plan = f"system: lab_calibration\nsteps: [{lost}, t1 QUBIT]\n"
    one, other = (calibrate(plan.replace("QUBIT", qubit), root) for qubit in ("Q1", "Q2"))
    assert (one.status, other.status) == ("failed", "failed")
    assert ("t1" in measured(one), "t1" in measured(other)) == (False, True)


@pytest.mark.slow
@pytest.mark.parametrize("procedure", [False, True])
def test_a_hopeless_set_up_is_not_measured_twice(root: Path, procedure: bool) -> None:
    rules = "[{if: failed, go: repeat}, {if: failed and not went_back once, go: previous}]"
    steps = (
        f"""["resonator_spectroscopy 'dut', update = false", {{experiment: spin_echo, qubits: [dut], on: {rules}}}]"""
    )
    plan = f"system: lab_calibration\nfor: Q1\nsteps: {steps}\n"
    if procedure:
        plan = "system: lab_calibration\nsteps: [{procedure: look, qubits: [Q1], on: [{if: failed, go: repeat}]}]\n"
        plan += f"procedures: {{look: {{title: Look, parameters: [dut], results: '', steps: {steps}}}}}\n"
    outcome = calibrate(plan, root, device_options=FAR_OFF)
    assert outcome.status == "failed"
    assert measured(outcome).count("spin_echo") == 1
    assert "not measured again" in outcome.reason


@pytest.mark.slow
def test_data_that_stay_bad_are_repeated_unchanged_once(root: Path) -> None:
    step = "{experiment: spin_echo, qubits: [Q1], parameters: {stop: 400 us, points: 21, shots: 50}, on: [ON]}"
    rule = "{if: failed, go: repeat, change: {shots: 50, stop: 400 us}}"  # not what the inspection proposes
    outcome = calibrate(f"system: lab_calibration\nsteps: [{step.replace('ON', rule)}]\n", root)
    rows = [row for row in outcome.result["stages"] if row["action"]]
    counted = Counter((str(row["arguments"]), row["cause"]) for row in rows)
    assert max(counted.values()) == 2
    assert "not measured again" in outcome.reason


@pytest.mark.slow
def test_the_compiled_graph_alone_goes_on_and_does_not_repeat(root: Path) -> None:
    config: Any = {"configurable": {"thread_id": "a"}, "recursion_limit": 200}
    choices = {"seed": 3, "figures": False, "device_options": FAR_OFF | {"qubit": "Q1"}}
    request = "resonator_spectroscopy Q1, update = false; spin_echo Q1; t1 Q2"
    values = build_graph(MemorySaver()).invoke({"request": request, "choices": choices}, config)
    stages = by_stage(values["history"])
    assert [stage["runs"] for stage in stages.values()] == [2, 1, 1]
    assert [stage["accepted"] for stage in stages.values()] == [True, False, True]
    assert values["status"] == "failed"
    assert f"{stages['spin_echo Q1']['results']['contrast']['value']:.3f}" in values["cause"]


@pytest.mark.slow
def test_the_compiled_graph_alone_goes_on_with_a_device_that_is_kept(root: Path, tmp_path: Path) -> None:
    kept = {"device_options": {"frequency_offset": 0.4, "drag": 1.0}, "device_folder": str(tmp_path / "qpu")}
    found = []
    for thread in "ab":
        given: Any = {"request": "ramsey Q1, offset = 1 MHz, stop = 5 us", "choices": {"figures": False, **kept}}
        values = build_graph(MemorySaver()).invoke(given, {"configurable": {"thread_id": thread}})
        found.append(json.loads((Path(values["run_dir"]) / "result.json").read_text())["result"]["qubits"]["Q1"])
    assert found[1]["before"] == found[0]["after"] != found[0]["before"]


@pytest.mark.slow
def test_a_proposal_that_cannot_be_measured_does_not_hide_what_was_found(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Report("adjust", "longer still", "No end in sight.", proposal={"stop": 1e9}, cause="sweep_too_short")
    monkeypatch.setattr(T1, "report", lambda _self: said)
    outcome = calibrate("t1 Q1; spin_echo Q2", root)
    assert outcome.status == "failed"
    assert outcome.reason.startswith("t1 Q1: longer still")
    assert measured(outcome)[-1] == "spin_echo"


@pytest.mark.slow
def test_a_replayed_run_inserts_the_same_prerequisites_and_measures_nothing(root: Path) -> None:
    outcome = calibrate("system: lab_calibration\ninsert: prerequisites\nsteps: [t1 Q1]\n", root)
    journal = outcome.run_dir / "device" / "journal.jsonl"
    played = journal.read_text()
    again = resume(outcome.run_id, root, rebuild=True)
    assert (again.status, again.result) == ("complete", outcome.result)
    assert len(outcome.result["stages"]) > 1
    assert journal.read_text() == played
