"""Prose through a model on loopback: picked, filled, checked, covered, shown and computed; the rest is forged."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from forging import Player, Turn, evaluates, events, forge, says, who, writes
from scripted_model import Reply, ScriptedModel

from labwright.graphs.questions import Answer
from labwright.graphs.running import Outcome
from labwright.tools.specifications.task import read_card

TASK = """# A driven qubit

A qubit begins in level 0 under H = (1.3/2) X, in rad/us with hbar = 1.
Report `p_end`, the population of level 1 after 1.5 us.
"""
LEVEL = "Level 0 is the first."
MORE = "Report `primes`, the number of primes below 100."
CARD = """system: tool_forging
task: dynamics
title: A driven qubit
parts: {q: {levels: 2}}
hamiltonian: 0.65/us*X(q)
initial: ket(0)
times: linspace(0, 1.5, 61) us
wanted:
  p_end: final(population(q, 1))
"""
RIGHT = math.sin(0.65 * 1.5) ** 2
PICKED = {"reason": "A qubit under a constant drive.", "kind": "dynamics"}
Read = Callable[..., tuple[Outcome, ScriptedModel]]


def filled(card: str = CARD, assumed: tuple[str, ...] = (), left_out: tuple[str, ...] = ()) -> Turn:
    quote = {"path": "initial", "quote": "begins in level 0"}
    return says(Reply.answer({"card": card, "sources": [quote], "assumed": list(assumed), "left_out": list(left_out)}))


def finding(kind: str, phrase: str, path: str) -> dict[str, str]:
    return {"kind": kind, "phrase": phrase, "path": path, "why": "It differs."}


def covered(*findings: dict[str, str]) -> list[Turn]:
    return [says(Reply.answer({"findings": list(findings)}))]


def repaired(path: str, value: str) -> list[Turn]:
    return [says(Reply.answer({"reason": "As the words say.", "patches": [{"path": path, "value": value}]}))]


def turns(**roles: list[list[Turn]]) -> dict[str, list[list[Turn]]]:
    reading = {"pick_card": [[says(Reply.answer(PICKED))]] * 3, "fill_card": [[filled()]], "cover": [covered()] * 3}
    return {**reading, **roles}


@pytest.fixture
def read(root: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Forges for a text with a script; returns the outcome and the model with its requests."""

    def run(player: Player, text: str = TASK, **choices: Any) -> tuple[Outcome, ScriptedModel]:
        with ScriptedModel(player) as model:
            monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
            monkeypatch.setenv("LABWRIGHT_CACHE", "false")
            return forge(text, root, mind="openai:scripted", **{"approval": "auto", **choices}), model

    return run


def shown(questions: list[Any]) -> Callable[[Any], Answer]:
    """A person who keeps what is shown and cancels: nothing is computed."""

    def person(question: Any) -> Answer:
        questions.append(question)
        return Answer(id=question.id, decision="cancel")

    return person


def value(outcome: Outcome, quantity: str) -> float:
    found = json.loads((outcome.run_dir / "results.json").read_text())["records"]
    [one] = [record["value"] for record in found if record["quantity"] == quantity]
    return float(one)


def test_prose_that_a_card_says_costs_three_requests_and_its_specification_none(read: Read) -> None:
    player = Player(turns())
    outcome, model = read(player)
    assert (outcome.status, outcome.reason) == ("complete", "")
    assert player.asked == ["pick_card", "fill_card", "cover"]
    assert value(outcome, "p_end") == pytest.approx(RIGHT, abs=1e-8)
    spec = yaml.safe_load((outcome.run_dir / "spec.yaml").read_text())
    assert (spec["task"], spec["hamiltonian"], spec["question"]) == ("dynamics", "0.65/us*X(q)", TASK)
    assert "## Operators and states" in model.requests[1].input["page"]
    assert not any(line.startswith("free:") for line in model.requests[0].input["kinds"])
    assert read_card((outcome.run_dir / "spec.yaml").read_text()) is not None  # which costs no request


@pytest.mark.slow  # what fits a name: tests/tools/forge/tasks/test_results.py
@pytest.mark.parametrize(("of", "status"), [("curve", "complete"), ("p_start", "failed")])
def test_a_card_names_a_result_of_its_own(root: Path, of: str, status: str) -> None:
    named = f"  curve: population(q, 1)\nnamed: {{halfway: {{of: {of}, at: {{time: 0.75}}}}}}\n"
    outcome = forge(CARD + named, root)
    assert outcome.status == status
    if status == "complete":
        assert value(outcome, "halfway") == pytest.approx(math.sin(0.65 * 0.75) ** 2, abs=1e-8)
    else:
        assert "halfway must be one result, but 0 fit. There are curve" in outcome.reason


SCRIPT = """import json
record = {"quantity": "primes", "labels": {}, "axes": [], "value": 25, "unit": "1"}
json.dump({"parameters": {}, "records": [record]}, open("results.json", "w"))
print(25)
"""
REST = (
    "# Primes\n\n"
    + "Counted by a sieve, which crosses out multiples. " * 4
    + "There are 25 primes below 100; they were counted by a sieve, and the number lies in results.json as primes.\n"
)
STAGE = {"purpose": "Count primes.", "tool": ""}
PLAN = {"stages": [STAGE], "reuse": [], "new": [], "pitfalls": [], "packages": [], "assumptions": []}
PRIMES = """
def expected():
    count = sum(all(k % d for d in range(2, k)) for k in range(2, 100))
    return [{"quantity": "primes", "labels": {}, "at": [], "value": count, "within": 0.5, "why": "trial division"}]
"""
DONE = {
    "scripts": ["script_1.py"], "figures": [], "tools": [], "trial": "Below 10: 4.", "failures": [],
    "summary": "25 primes.",
}  # fmt: skip


def forging() -> dict[str, list[list[Turn]]]:
    """The roles of the loop that counts primes."""
    run = says(Reply.use("execute", command="python script_1.py"))
    return {
        "analyse": [[says(Reply.answer(PLAN))]],
        "execute": [[writes("/script_1.py", SCRIPT), run, writes("/report.md", REST), says(Reply.answer(DONE))]],
        "evaluate_solution": [evaluates(True, PRIMES)],
    }


@pytest.mark.slow
@pytest.mark.parametrize("by", ["fill_card", pytest.param("cover", marks=pytest.mark.slow)])
def test_what_a_card_leaves_out_is_forged_with_its_results_beside(read: Read, by: str) -> None:
    """The leftover is told by the one who fills the card, or found by the second reader, whom no repair satisfies."""
    if by == "fill_card":
        script = turns(fill_card=[[filled(assumed=(LEVEL,), left_out=(MORE,))]], **forging())
    else:
        none = [says(Reply.answer({"reason": "No card counts primes.", "patches": []}))]
        script = turns(cover=[covered(finding("left_out", MORE, "")), covered()], repair=[none], **forging())
    player = Player(script)
    outcome, model = read(player, TASK + MORE)
    assert (outcome.status, outcome.reason) == ("complete", "")
    assert (value(outcome, "p_end"), value(outcome, "primes")) == (pytest.approx(RIGHT, abs=1e-8), 25)
    planned = next(request for request in model.requests if who(request) == "analyse").input
    assert f"Still open:\n\n- {MORE}" in planned["task"]
    assert {"card.yaml", "card_results.json", "card_report.md"} <= set(planned["inputs"])
    assert outcome.result["iterations"] == 2
    assert (LEVEL in outcome.result["assumptions"]) == (by == "fill_card")
    assert len(outcome.result["criteria"]) > 4  # the card's and the rest's
    report = (outcome.run_dir / "report.md").read_text()
    assert "25 primes below 100" in report
    assert "# A driven qubit" in report
    assert yaml.safe_load((outcome.run_dir / "spec.yaml").read_text())["task"] == "free"


@pytest.mark.slow
def test_prose_that_no_card_says_is_forged_as_it_stands(read: Read) -> None:
    player = Player({**forging(), "pick_card": [[says(Reply.answer({"reason": "Number theory.", "kind": ""}))]]})
    outcome, model = read(player, MORE)
    assert (outcome.status, value(outcome, "primes")) == ("complete", 25)
    assert player.asked[:2] == ["pick_card", "analyse"]
    assert model.requests[1].input["task"] == MORE
    assert [event["why"] for event in events(outcome, "no_card")] == ["Number theory."]


@pytest.mark.slow
def test_a_card_that_is_refused_is_repaired_by_the_names_of_its_faults(read: Read) -> None:
    wrong = CARD.replace("0.65/us*X(q)", "0.65/us*sigmap(q)")
    player = Player(turns(fill_card=[[filled(wrong)]], repair=[repaired("hamiltonian", "0.65/us*X(q)")]))
    questions: list[Any] = []
    _, model = read(player, on_question=shown(questions), approval="always")
    assert "0.65/us*X(q)" in questions[0].body_markdown
    assert player.asked == ["pick_card", "fill_card", "repair", "cover"]
    [fault] = model.requests[2].input["problems"]
    assert fault.startswith("hamiltonian:")
    assert "Hermitian" in fault


@pytest.mark.slow
def test_a_changed_number_is_found_and_put_right(read: Read) -> None:
    wrong = CARD.replace("1.5, 61", "2.5, 61")
    changed = finding("changed", "after 1.5 us", "times")
    player = Player(
        turns(
            fill_card=[[filled(wrong)]],
            cover=[covered(changed), covered()],
            repair=[repaired("times", "linspace(0, 1.5, 61) us")],
        )
    )
    questions: list[Any] = []
    read(player, on_question=shown(questions), approval="always")
    assert "linspace(0, 1.5, 61) us" in questions[0].body_markdown


def test_a_changed_number_that_stays_is_a_persons_even_where_all_is_granted(read: Read) -> None:
    changed = finding("changed", "after 1.5 us", "times")
    none = [says(Reply.answer({"reason": "It is as said.", "patches": []}))]
    outcome, _ = read(Player(turns(cover=[covered(changed), covered()], repair=[none])))
    assert outcome.status == "stopped"
    assert not (outcome.run_dir / "results.json").exists()
    assert '"after 1.5 us"' in outcome.questions[0]["body_markdown"]


def test_the_person_sees_what_was_assumed_and_cancels_or_without_a_question_hears_of_it(read: Read) -> None:
    asked: list[Any] = []
    script = turns(fill_card=[[filled(assumed=(LEVEL,))]])
    outcome, _ = read(Player(script), on_question=shown(asked), approval="risky")
    assert (asked, LEVEL in outcome.result["assumptions"]) == ([], True)
    outcome, _ = read(Player(script), on_question=shown(asked), approval="always")
    [question] = asked
    assert f"Assumed:\n- {LEVEL}" in question.body_markdown
    assert outcome.status == "stopped"
    assert not (outcome.run_dir / "results.json").exists()


@pytest.mark.slow
def test_a_person_rejects_the_card_with_a_reason_and_another_is_written(read: Read) -> None:
    said, questions = ["It is to end after 2 us.", "cancel"], []

    def person(question: Any) -> Answer:
        questions.append(question)
        return Answer(id=question.id, decision=said.pop(0))

    later = CARD.replace("1.5, 61", "2, 81")
    player = Player(turns(fill_card=[[filled()], [filled(later)]]))
    _, model = read(player, on_question=person, approval="always")
    assert "linspace(0, 2, 81) us" in questions[1].body_markdown
    assert model.requests[3].input["words"].endswith("It is to end after 2 us.")


@pytest.mark.slow
def test_a_person_wants_no_card_and_the_analyser_hears_why(read: Read) -> None:
    person: Any = lambda question: Answer(id=question.id, decision="elsewhere", note="It is about primes.")  # noqa: E731
    outcome, model = read(Player(turns(**forging())), TASK + MORE, on_question=person, approval="always")
    assert (outcome.status, value(outcome, "primes")) == ("complete", 25)
    planned = next(request for request in model.requests if who(request) == "analyse").input
    assert "- Not as a card: It is about primes." in planned["task"]


@pytest.mark.slow
def test_a_card_that_fails_is_told_to_the_loop(read: Read) -> None:
    crude = CARD.replace("parts: {q: {levels: 2}}", "parts: {q: {oscillator: 3}}").replace(
        "0.65/us*X(q)", "2/us*(a(q) + adag(q))"
    )
    player = Player(turns(fill_card=[[filled(crude)]], **forging()))
    outcome, model = read(player)
    planned = next(request for request in model.requests if who(request) == "analyse").input
    assert "The card failed, so nothing is done yet: 1." in planned["task"]
    assert (outcome.status, value(outcome, "primes")) == ("complete", 25)


def test_a_models_question_is_put_to_the_person(read: Read) -> None:
    asks = says(Reply.question("Which level is up?", ["0", "1"]))
    said = ["0", "cancel"]
    person: Any = lambda question: Answer(id=question.id, decision=said.pop(0))  # noqa: E731
    player = Player(turns(pick_card=[[asks], [says(Reply.answer(PICKED))]]))
    _, model = read(player, on_question=person, approval="always")
    assert said == []
    assert model.requests[1].input["words"].endswith("\n\nWhich level is up? 0")
