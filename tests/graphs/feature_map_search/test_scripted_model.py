"""Searches driven by a chat model behind a loopback server, through the real client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_model import Reply, Request, ScriptedModel
from search_model import answers
from searches import completed, events, facts, search

from labwright.agents.feature_map_search.propose_ideas import PROPOSE
from labwright.agents.feature_map_search.repair_code import MEND_CODE
from labwright.agents.feature_map_search.review_trial import REVIEW
from labwright.agents.feature_map_search.score_idea import SCORE
from labwright.agents.feature_map_search.summarise_paper import SUMMARISE
from labwright.agents.feature_map_search.write_code import WRITE_CODE
from labwright.graphs.feature_map_search.running import Outcome, resume

MIND = "openai:scripted"
Use = Callable[..., None]
Script = Callable[[Request], Reply]

SQUARES = """
import pennylane as qml

from labwright.tools.feature_maps.base import BaseFeatureMap


class {name}(BaseFeatureMap):
    def feature_map(self, x):
        for wire in range(self.n_qubits):
            qml.RY({keyword}=x[wire]{power}, wires=wire)
"""


def coding(code: Callable[[int, str], str | None], mend: Callable[[Request], Reply | None]) -> Script:
    """Right answers, but for the code of the ideas that `code` (number of the idea, name) knows, and its repairs."""
    right, count = answers(bare=True), [0]

    def script(request: Request) -> Reply:
        if request.role == WRITE_CODE.name:
            count[0] += 1
            name = request.input["idea"]["name"]
            own = code(count[0], name)
            return Reply.answer({"code": own, "class_name": name}) if own else right(request)
        if request.role == MEND_CODE.name:
            return mend(request) or right(request)
        return right(request)

    return script


def asked(model: ScriptedModel, role: str) -> list[Request]:
    return [request for request in model.requests if request.role == role]


def assert_meter_is_the_servers(outcome: Outcome, model: ScriptedModel) -> None:
    usage, spent = outcome.document["usage"], model.spent
    assert (usage["total"]["calls"], usage["total"]["failures"]) == (spent.replies, 0)
    assert usage["total"]["input_tokens"] == spent.input_tokens
    assert usage["total"]["output_tokens"] == spent.output_tokens
    for role, used in usage["agents"].items():
        assert used["calls"] == len(asked(model, role)), role
        assert used["input_tokens"] > 0, role


def test_a_search_of_three_trials_with_code_to_mend_and_an_illegal_idea(root: Path, use: Use) -> None:
    def code(number: int, name: str) -> str | None:
        if number == 1:  # PennyLane calls this argument phi
            return SQUARES.format(name=name, keyword="theta", power="")
        return SQUARES.format(name=name, keyword="phi", power="**2") if number == 4 else None

    def mend(request: Request) -> Reply | None:
        code = request.input["code"]
        if "theta" in code:
            mended = code.replace("theta", "phi")
            return Reply.answer({"code": mended, "class_name": request.input["idea"]["name"]})
        return Reply.refuse("The idea needs squares of features, and angles have to be affine in them.")

    with ScriptedModel(coding(code, mend)) as model:
        use(model)
        outcome = completed(root, trials=3, mind=MIND)
    rows = outcome.result["tried"]
    outcomes = ["evaluated"] * 3 + ["illegal"] + ["evaluated"] * 3  # the last is the best, tuned
    assert [row["outcome"] for row in rows] == outcomes

    first, illegal = asked(model, MEND_CODE.name)
    assert [one["rule"] for one in first.input["findings"]] == ["arguments"]
    assert any("phi" in reference for reference in first.input["references"])
    assert "theta" not in (outcome.run_dir / f"candidates/1-1-{rows[0]['name']}.py").read_text()
    assert illegal.input["findings"][0]["rule"] == "rule: not_affine"

    told = asked(model, REVIEW.name)[1].input["last"]
    assert [one["outcome"] for one in told] == ["evaluated", "illegal"]
    assert "not linear" in told[1]["reason"]
    heard = asked(model, PROPOSE.name)[2].input["history"]
    assert "illegal" in [one["outcome"] for one in heard]
    assert rows[3]["name"] in (outcome.run_dir / "report.md").read_text().partition("## Not evaluated")[2]

    assert_meter_is_the_servers(outcome, model)
    used = set(outcome.document["usage"]["agents"])
    assert used == {role.name for role in (PROPOSE, WRITE_CODE, MEND_CODE, REVIEW)}
    assert len(asked(model, REVIEW.name)) == 2  # nothing follows the last trial
    best = max((one for one in heard if one.get("selection")), key=lambda one: one["selection"])
    assert best["name"] in best["code"]
    assert best["formula"]
    levels = asked(model, PROPOSE.name)[0].input["data"]["levels"]
    assert set(levels) >= {"rbf_default", "standard_rbf"}


@pytest.mark.slow
def test_a_model_that_answers_as_the_rules_finds_what_they_find(root: Path, use: Use) -> None:
    with ScriptedModel(answers()) as model:
        use(model)
        theirs = search(root, mind=MIND)
    ours = facts(search(root).run_dir)
    assert facts(theirs.run_dir)["result"]["tried"] == ours["result"]["tried"]
    assert facts(theirs.run_dir)["code"] == ours["code"]


def test_papers_are_read_summarised_and_asked_for_again(root: Path, use: Use, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    for number, about in enumerate(("entangling rings of CNOT gates", "data re-uploading", "kernels that concentrate")):
        text = f"On {about}. " + f"We study {about} in quantum feature maps and kernels for classification. " * 30
        (tmp_path / "papers" / f"paper{number}.txt").write_text(text)
    right, scored = answers(), [0]

    def script(request: Request) -> Reply:
        if request.role != SCORE.name:
            return right(request)
        scored[0] += 1
        score = {"originality": 5, "feasibility": 6, "versatility": 4, "reason": "As far as the papers tell."}
        more = ["kernels that concentrate"] if scored[0] == 1 else []
        return Reply.answer({"score": score, "enough": not more, "queries": more})

    with ScriptedModel(script) as model:
        use(model)
        outcome = completed(root, trials=1, ideas=1, mind=MIND, papers=str(tmp_path / "papers"))
    rounds = [request.input["round"] for request in asked(model, SCORE.name)]
    assert rounds[:2] == [1, 2]
    papers = asked(model, SCORE.name)[0].input["papers"]
    assert {paper["source"] for paper in papers} <= {"paper0.txt", "paper1.txt", "paper2.txt"}
    assert len(asked(model, SUMMARISE.name)) == len({paper["source"] for paper in papers}) > 0
    assert len(events(outcome.run_dir, "retrieved")) == 2
    assert outcome.document["usage"]["agents"][SUMMARISE.name]["input_tokens"] > 0


@pytest.mark.slow
def test_a_passage_without_science_is_left_out(root: Path, use: Use, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    text = "[1] Quantum feature maps and kernels for classification. [2] Kernels. " * 30
    (tmp_path / "papers" / "references.txt").write_text(text)
    right = answers()

    def script(request: Request) -> Reply:
        return Reply.refuse("References only.") if request.role == SUMMARISE.name else right(request)

    with ScriptedModel(script) as model:
        use(model)
        completed(root, trials=1, ideas=1, mind=MIND, papers=str(tmp_path / "papers"))
    assert asked(model, SUMMARISE.name)
    assert all(request.input["papers"] == [] for request in asked(model, SCORE.name))


def test_code_that_is_never_mended_is_invalid_and_the_search_goes_on(root: Path, use: Use) -> None:
    def code(number: int, name: str) -> str | None:
        return f"class {name}:\n    def feature_map(self, x)\n        pass\n" if number == 1 else None

    with ScriptedModel(coding(code, lambda request: Reply.refuse("I do not know how."))) as model:
        use(model)
        outcome = completed(root, trials=1, mind=MIND)
    assert [row["outcome"] for row in outcome.result["tried"]] == ["invalid", "evaluated", "evaluated"]


@pytest.mark.slow
def test_a_spent_budget_of_tokens_stops_and_more_goes_on(root: Path, use: Use) -> None:
    with ScriptedModel(answers()) as model:
        use(model, cache="false")
        stopped = search(root, mind=MIND, budget="tokens=4000")
        assert stopped.status == "stopped"
        assert "tokens is spent" in stopped.reason
        assert events(stopped.run_dir, "revealed") == []
        ended = resume(stopped.run_id, root, budget="tokens=10000000")
    assert ended.status == "complete"
    assert_meter_is_the_servers(ended, model)
    assert ended.result["tried"] == search(root).result["tried"]
