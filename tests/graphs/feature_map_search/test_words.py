"""A search said in words: read into a specification, shown to the person, and only then run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from langgraph.checkpoint.memory import InMemorySaver
from scripted_model import Reply, Request, ScriptedModel
from search_model import answers
from searches import clouds, completed, events, search

from labwright.agents.feature_map_search.propose_ideas import PROPOSE
from labwright.agents.feature_map_search.read_request import READ
from labwright.agents.understand.coverage_check import COVER
from labwright.agents.understand.repair import REPAIR
from labwright.graphs.feature_map_search.graph import build_graph
from labwright.graphs.feature_map_search.running import resume
from labwright.graphs.questions import Answer, Question
from labwright.graphs.registry import driver
from labwright.graphs.specification_runs import choices_of
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.evolutionary_search import plain_recipe

WORDS = "On my clouds: RY by every feature, then nothing else, three qubits. One try, leave its numbers."
RECIPE = plain_recipe(axes=["RY"], scale=1.5, decay=1.0, entangler="none").model_dump(mode="json")
SAID: dict[str, Any] = {"trials": 1, "ideas": 1, "tune": False, "evaluations": 1, "persons_ideas": [RECIPE]}
SAID["baselines"] = ["rbf_default"]


def reading(search: dict[str, Any], *, findings: list[dict[str, Any]] | None = None, **more: Any) -> ScriptedModel:
    """A model that reads every request as `search`; a second reader finds `findings`, once."""
    left, right = [findings or []], answers()

    def script(request: Request) -> Reply:
        if request.role == READ.name:
            plain = {"search": yaml.safe_dump(search), "sources": [], "assumed": [], "left_out": [], **more}
            return Reply.answer(plain)
        if request.role == COVER.name:
            return Reply.answer({"findings": left.pop() if left else []})
        if request.role == REPAIR.name:
            return Reply.answer({"reason": "", "patches": [{"path": "seed", "value": "7"}]})
        return right(request)

    return ScriptedModel(script)


def words(root: Path, said: str = WORDS, **more: Any) -> Any:
    """A search of `said`, everything about the data settled besides."""
    chosen = {"words": said, "trials": 20, "baselines": None, "mind": "openai:scripted", **more}
    return search(root, **chosen)


def test_what_is_read_is_what_is_run(root: Path, use: Any) -> None:
    with reading(SAID) as model:
        use(model)
        outcome = words(root)
    assert outcome.status == "complete", outcome.reason
    [one] = outcome.result["tried"]
    assert one["cost"] == 1
    assert outcome.result["feature_map"]["hyperparameters"]["scale"] == 1.5
    saved = yaml.safe_load((outcome.run_dir / "spec.yaml").read_text())
    assert saved["persons_ideas"][0]["entangler"] == "none"
    assert saved["qubits"] == 3  # settled besides the words
    assert "words" not in saved
    assert [request.role for request in model.requests] == [READ.name, COVER.name]


def test_a_file_in_words_is_looked_for_where_the_person_was(
    root: Path, use: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clouds(tmp_path / "desk")
    monkeypatch.chdir(tmp_path / "desk")
    small = {"qubits": 3, "features": 6, "figures": False, "preparation": "min-max"}
    chosen = choices_of("feature_map_search", {"words": WORDS, "mind": "openai:scripted", **small})
    (tmp_path / "worker").mkdir()
    with reading({**SAID, "dataset": "clouds.npz", "baselines": ["rbf_default"]}) as model:
        use(model)
        run = driver("feature_map_search").prepare(WORDS, chosen, root, seed=0)
        monkeypatch.chdir(tmp_path / "worker")
        outcome = resume(run.run_id, root)
    assert outcome.status == "complete", outcome.reason
    assert yaml.safe_load((run.folder / "spec.yaml").read_text())["dataset"] == str(tmp_path / "desk" / "clouds.npz")


def test_what_is_settled_besides_is_in_the_request_and_stays(root: Path, use: Any) -> None:
    with reading({**SAID, "qubits": 5}) as model:
        use(model)
        outcome = words(root)
    assert yaml.safe_load(model.requests[0].input["settled"])["qubits"] == 3
    assert outcome.result["feature_map"]["circuit"]["n_qubits"] == 3


def test_what_is_left_out_is_shown_before_anything_runs(root: Path, use: Any) -> None:
    with reading(SAID, left_out=["nothing else"]) as model:
        use(model)
        waits = words(root)
        assert waits.status == "stopped"
        [question] = waits.questions
        assert question["id"].startswith("plan")
        assert "Left out:\n- nothing else" in question["body_markdown"]
        assert events(waits.run_dir, "prepared") == []
        ended = resume(waits.run_id, root, answers={question["id"]: Answer(id=question["id"], decision="run")})
    assert ended.status == "complete"
    assert [one["cost"] for one in ended.result["tried"]] == [1]  # another process knows what was read


def test_what_the_second_reader_finds_is_repaired(root: Path, use: Any) -> None:
    finding = {"kind": "left_out", "phrase": "One try", "path": "", "why": "which seed"}
    with reading(SAID, findings=[finding]) as model:
        use(model)
        outcome = words(root)
    assert yaml.safe_load((outcome.run_dir / "spec.yaml").read_text())["seed"] == 7
    assert [request.role for request in model.requests][:3] == [READ.name, COVER.name, REPAIR.name]


def test_a_gate_that_is_not_allowed_is_a_problem_of_the_reading(root: Path, use: Any) -> None:
    with reading({**SAID, "gates": ["RX", "CNOT"]}) as model:
        use(model)
        waits = words(root)
    repair = next(request for request in model.requests if request.role == REPAIR.name)
    assert "It uses RY, which `gates` leaves out." in repair.user
    assert waits.status == "stopped"


def test_data_that_are_not_there_are_shown_and_then_refused(root: Path, use: Any) -> None:
    def run(question: Question) -> Answer:
        assert "The data cannot be read as yet: There is no file" in question.body_markdown
        return Answer(id=question.id, decision="run")

    with reading({**SAID, "dataset": str(root / "nowhere.csv")}) as model:
        use(model)
        outcome = search(root, words=WORDS, mind="openai:scripted", dataset="digits", on_question=run)
    assert outcome.status == "refused"
    assert "There is no file" in outcome.reason


def test_without_a_model_words_come_back_and_nothing_is_built(root: Path) -> None:
    outcome = words(root, mind="rules")
    assert outcome.status == "stopped"
    [question] = outcome.questions
    assert f"Not read: «{WORDS}». Nothing was done." in question["body_markdown"]
    assert "persons_ideas" in question["body_markdown"]
    assert not (outcome.run_dir / "data").exists() or not list((outcome.run_dir / "data").iterdir())


def test_a_specification_in_answer_to_words_is_run(root: Path) -> None:
    written = {"spec": 1, "system": "feature_map_search", "dataset": str(clouds(root.parent)), **SAID}

    def write(question: Question) -> Answer:
        return Answer(id=question.id, decision=yaml.safe_dump(written, sort_keys=False))

    outcome = completed(root, words=WORDS, trials=20, on_question=write)
    assert len(outcome.result["tried"]) == 1


def test_limits_on_maps_are_kept_by_what_rules_propose(root: Path) -> None:
    outcome = search(root, trials=2, max_two_qubit_gates=0, max_depth=4)
    sizes = [outcome.result["feature_map"]["circuit"][name] for name in ("two_qubit_gates", "depth")]
    assert sizes[0] == 0
    assert sizes[1] <= 4
    assert {one["outcome"] for one in outcome.result["tried"]} == {"evaluated"}


def test_a_wish_for_every_map_reaches_whoever_proposes_maps(root: Path, use: Any) -> None:
    wish, seen = "Each feature stands in at least three gates", list[str]()

    def run(question: Question) -> Answer:
        seen.append(question.body_markdown)
        return Answer(id=question.id, decision="run")

    said = {"trials": 1, "ideas": 1, "evaluations": 1, "tune": False, "for_every_map": [wish]}
    with reading(said) as model:
        use(model)
        outcome = search(root, words=WORDS, trials=20, approval="always", on_question=run, mind="openai:scripted")
    assert f'Every map: "{wish}" (the model heeds it, nothing checks it).' in seen[0]
    [proposing] = [request for request in model.requests if request.role == PROPOSE.name]
    assert proposing.input["task"]["wishes"] == [wish]
    assert outcome.status == "complete", outcome.reason
    with pytest.raises(InputError, match="needs a model"):
        search(root, for_every_map=(wish,))


def test_a_map_beyond_the_limits_is_not_evaluated(root: Path) -> None:
    ring = plain_recipe(axes=["RY"], entangler="CZ")
    outcome = search(root, trials=1, ideas=1, persons_ideas=(ring,), gates=("RY", "CNOT"), max_two_qubit_gates=1)
    assert outcome.status == "failed"
    [one] = outcome.result["tried"]
    assert one["outcome"] == "illegal"
    assert "The map uses CZ" in one["reason"]
    assert "two qubit gates 3; this search allows 1" in one["reason"]


def test_a_request_without_any_choice_is_words(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Studio starts a graph: a request, and a form that nobody filled in."""
    monkeypatch.setenv("LABWRIGHT_RUNS", str(root))
    state = build_graph(InMemorySaver()).invoke({"request": WORDS}, {"configurable": {"thread_id": "1"}})
    [asked] = state["__interrupt__"]
    assert WORDS in asked.value["body_markdown"]
    assert state["words"] == WORDS
