"""Steps are runs of their own; values of earlier results go into later steps; nothing is done twice."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from lives import life
from sequences import PRELOADED, TWO, live, run, sequence_in

from labwright.graphs.questions import Answer
from labwright.graphs.sequence.running import SEQUENCE
from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import load_run, run_ids
from labwright.tools.specifications.yaml_files import read_document

PROTOCOL = """system: protocol_design
outputs: []
chemicals: [{name: propanol}, {name: water}]
groups:
  - factors: [{name: share, levels: [10 % v/v, 20 % v/v]}]
    doses: [{substance: propanol, kind: fraction, factor: share}, {substance: water, kind: remainder}]
    total_volume: 2 mL
"""


def steps(root: Path) -> list[dict[str, Any]]:
    return list(read_json(root / sequence_in(root) / "sequence.json", "")["steps"])


def measured(root: Path, run_id: str) -> dict[str, Any]:
    result = (read_result(load_run(root / run_id)) or {})["result"]
    return dict(result["qubits"]["Q1"]["measured"]["t1.t1"])


def test_a_later_step_uses_what_an_earlier_one_measured(root: Path) -> None:
    outcome = run(TWO, root)
    assert outcome.status == "complete", outcome.reason
    rough, fine = steps(root)
    assert [rough["label"], fine["label"], rough["status"]] == ["rough", "fine", "complete"]
    data = read_document((root / fine["run_id"] / "spec.yaml").read_text()).data
    stop = data["steps"][0]["parameters"]["stop"]
    assert float(stop.removesuffix(" us")) == pytest.approx(4 * measured(root, rough["run_id"])["value"])
    assert outcome.result["steps"]["fine"]["run_id"] == fine["run_id"]


@pytest.mark.parametrize("crash_at", ["after_claim:3", pytest.param("after_checkpoint:20", marks=pytest.mark.slow)])
def test_a_killed_sequence_repeats_no_step(root: Path, crash_at: str) -> None:
    assert life(live, (root,), crash_at, PRELOADED) == -signal.SIGKILL
    begun = [name for name in run_ids(root) if name != sequence_in(root)]
    assert life(live, (root,), "", PRELOADED) == 0
    assert (read_result(load_run(root / sequence_in(root))) or {})["status"] == "complete"
    assert begun[0] == steps(root)[0]["run_id"]
    for step in steps(root):
        log = load_run(root / step["run_id"]).events.read()
        assert len([event for event in log if event["kind"] == "run_started"]) == 1
    assert len(run_ids(root)) == 3


def test_a_question_of_a_step_is_asked_and_answered(root: Path) -> None:
    (root.parent / "p.yaml").write_text(PROTOCOL)
    outcome = run("system: sequence\nsteps: [{label: mix, file: p.yaml}]\n", root)
    assert outcome.status == "stopped"
    [question] = outcome.questions
    answer = {question["id"]: Answer(id=question["id"], decision="2-propanol")}
    asked: list[str] = []

    def person(open_question: Any) -> Answer:
        asked.append(open_question.id)
        assert len(asked) < 5, "an answer that does not fit is asked for again"
        return Answer(id=open_question.id, decision="write" if open_question.kind == "approve" else "2-propanol")

    done = SEQUENCE.resume(outcome.run_id, root, answers=answer, on_question=person)
    assert done.status == "complete", done.reason
    assert question["id"] not in asked
    assert len(run_ids(root)) == 2


def test_the_sequence_ends_with_the_status_of_a_step_that_fails(root: Path) -> None:
    text = "system: sequence\nsteps: [{label: a, spec: {system: lab_calibration, steps: [{experiment: nope}]}},"
    outcome = run(f"{text} {{spec: {{system: lab_calibration, steps: [t1 Q1]}}}}]\n", root)
    assert outcome.status == "refused"
    assert outcome.reason.startswith("Step a: steps.0.experiment: There is no experiment 'nope'.")
    assert len(steps(root)) == 1


@pytest.mark.slow
def test_a_value_that_is_not_there_fails_the_step_that_wants_it(root: Path) -> None:
    outcome = run(TWO.replace("measured.t1.t1", "measured.t2.t2"), root)
    assert outcome.status == "failed"
    assert "Step fine: 'rough.qubits.Q1.measured.t2.t2' of run" in outcome.reason
    assert "leads nowhere at 't2'. There is: t1.t1" in outcome.reason


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("[{file: nowhere.yaml}]", "Step step1: File"),
        ("[{spec: {system: lab_calibration, stps: [t1 Q1]}}]", "stps: There is no such field. Did you mean 'steps'?"),
        ("[{spec: {system: sequence, steps: []}}]", "A sequence cannot hold another one."),
        (
            "[{spec: {system: tool_forging, question: x, seed: {from: later.a}}}, {label: later, file: x}]",
            "Earlier: none",
        ),
        ("[{spec: {system: tool_forging, question: x, seed: {from: 'run:gone#a'}}}]", "There is no run 'gone'"),
        ("[{file: a.yaml, spec: {}}]", "steps.0: A step has either a `spec` or a `file`"),
    ],
)
def test_what_cannot_work_is_said_before_a_run_is_made(root: Path, steps: str, said: str) -> None:
    with pytest.raises(InputError) as wrong:
        run(f"system: sequence\nsteps: {steps}\n", root)
    assert said in str(wrong.value)
    assert run_ids(root) == []


@pytest.mark.slow
def test_the_budget_is_that_of_all_steps_together(root: Path) -> None:
    outcome = run(TWO, root, choices={"budget": "seconds=10000,calls=5"})
    left = load_run(root / steps(root)[1]["run_id"]).record.choices["budget"]
    parts = dict(part.split("=") for part in left.split(","))
    assert outcome.status == "complete"
    assert float(parts["seconds"]) < 10000
    assert parts["calls"] == "5"
