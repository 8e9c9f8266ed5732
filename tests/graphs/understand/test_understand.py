"""The reading of words: every node and route, with a reader that knows no laboratory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from labwright.agents.typed_call import Question, Refusal
from labwright.agents.understand.coverage_check import CoverOut
from labwright.graphs.understand import Drafted, build_understand
from labwright.graphs.understand.state import MOST_COVERS, MOST_REPAIRS, Checked
from labwright.tools.specifications.base import Problem
from labwright.tools.specifications.nearest_runnable_lines import Nearest
from labwright.tools.specifications.yaml_files import is_document, read_document

LIMIT = Problem(("stop",), "It must be at most 9, but is 10.", "Lower it.")
QUBIT = Problem(("qubits",), "A qubit is needed.", "Which qubit is meant?", True, ("Q1", "Q2"))


@dataclass
class Fake:
    """One reading: a specification is {system, stop, qubits}; `stop` is at most 9, `qubits` has to be there."""

    model: bool = False
    drafts: list[Any] = field(default_factory=list)
    repairs: list[Any] = field(default_factory=list)
    findings: list[list[dict[str, str]]] = field(default_factory=list)
    shows: bool = False
    takes_defaults: bool = False
    system: str = "fake"
    elsewhere: str = ""
    grows: bool = False
    corrects: bool = False
    filler: Any = None
    saved: list[Any] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    told: list[Any] = field(default_factory=list)  # what the repairing agent was given

    def bound(self, state: Mapping[str, Any]) -> Fake:
        return self

    @property
    def reads_words(self) -> bool:
        return self.model

    @property
    def defaults(self) -> bool:
        return self.takes_defaults

    def parse(self, words: str) -> Any:
        if is_document(words):
            return Drafted(read_document(words).data), "written"
        if words.startswith("go "):
            return Drafted({"system": "fake", "stop": int(words[3:]), "qubits": ["Q1"]}), "short form"
        return None

    def draft(self, words: str) -> Any:
        self.asked.append(words)
        return self.drafts.pop(0)

    def check(self, data: dict[str, Any], *, read: bool) -> Checked:
        wrong = [LIMIT] if data.get("stop", 0) > 9 else []
        if not data.get("qubits"):
            wrong.append(QUBIT)
        elif data["qubits"] not in (["Q1"], ["Q2"]):
            wrong.append(Problem(("qubits",), f"There is no {data['qubits']}.", "Name Q1 or Q2."))
        return Checked({**data, "defaults": {"made": "by code"}}, wrong)

    def nearest(self, words: str) -> Nearest:
        return Nearest(words, ("go 1", "go 2"))

    def read_back(self, data: dict[str, Any], *, sampling: bool = False) -> str:
        return f"Goes to {data.get('stop')}."

    def example(self) -> str:
        return "stop: 1"

    def how(self, data: dict[str, Any]) -> list[str]:
        return []

    def besides(self, state: Any) -> str:
        return ""

    def asks(self, state: Mapping[str, Any]) -> bool:
        return self.shows

    def words_start(self) -> bool:
        return False

    def needs_leave(self, before: dict[str, Any], after: dict[str, Any]) -> bool:
        return bool(after.get("stop", 0) > 7)

    def save(self, data: dict[str, Any]) -> None:
        self.saved.append({name: value for name, value in data.items() if name != "defaults"})

    def ask(self, call: Any, given: Any) -> Any:
        self.asked.append(call.name)
        if "cover" in call.name:
            return CoverOut.model_validate({"findings": self.findings.pop(0) if self.findings else []})
        self.told.append(given)
        said = self.repairs.pop(0) if self.repairs else []
        if isinstance(said, Question):
            return said
        plain = said if isinstance(said, dict) else {"patches": said}
        return call.output.model_validate({"reason": "", **plain})

    def emit(self, event: dict[str, Any], once: str) -> None:
        self.asked.append(event["kind"])


def run(fake: Fake, words: str, *answers: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The last state, and the questions that were asked."""
    whole = _checkpointed(fake)
    config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 60}
    state = whole.invoke({"words": words, "draft": {}}, config)
    questions = []
    for answer in answers:
        questions.append(state["__interrupt__"][0].value)
        state = whole.invoke(Command(resume=answer), config)
    if "__interrupt__" in state:
        questions.append(state["__interrupt__"][0].value)
    return state, questions


def _checkpointed(fake: Fake) -> Any:
    graph = build_understand(fake)
    graph.checkpointer = InMemorySaver()
    return graph


def good(**more: Any) -> Drafted:
    return Drafted({"system": "fake", "stop": 3, "qubits": ["Q1"], **more})


def test_what_is_formal_runs_without_a_question() -> None:
    for words, origin in (("go 3", "short form"), ("system: fake\nstop: 3\nqubits: [Q1]", "written")):
        fake = Fake()
        state, questions = run(fake, words)
        assert (state["standing"], state["origin"], questions) == ("done", origin, [])
        assert fake.saved == [{"system": "fake", "stop": 3, "qubits": ["Q1"]}]


def test_a_wrong_document_is_refused_with_every_reason() -> None:
    state, _ = run(Fake(), "go 10")
    assert (state["standing"], state["why"]) == ("refused", "stop: It must be at most 9, but is 10. Lower it.")
    state, _ = run(Fake(), "system: fake\nstop: [")
    assert state["standing"] == "refused"
    assert "not YAML" in state["why"]


def test_words_without_a_model_are_handed_back_with_lines_and_none_preselected() -> None:
    state, (question,) = run(Fake(takes_defaults=True), "make it so")
    assert question["kind"] == "choose"
    assert question["default"] is None
    assert [option["value"] for option in question["options"]] == ["go 1", "go 2", "cancel"]
    assert "Not read: «make it so». Nothing was done." in question["body_markdown"]
    assert "--model" in question["body_markdown"]
    assert state.get("standing") == "open"


@pytest.mark.parametrize(("answer", "stop"), [("go 2", 2), ("GO 2", 2), ("go 5", 5), ({"decision": "go 1"}, 1)])
def test_a_line_is_chosen_by_its_text_or_another_one_is_written(answer: Any, stop: int) -> None:
    fake = Fake()
    state, _ = run(fake, "make it so", answer)
    assert state["standing"] == "done"
    assert fake.saved[0]["stop"] == stop


@pytest.mark.parametrize("answer", ["cancel", "no", "Cancel.", {"type": "ignore", "args": None}])
def test_cancelling(answer: Any) -> None:
    fake = Fake()
    state, _ = run(fake, "make it so", [answer] if isinstance(answer, dict) else answer)
    assert (state["standing"], fake.saved) == ("stopped", [])


def test_yes_chooses_no_line() -> None:
    state, questions = run(Fake(), "make it so", "yes")
    assert len(questions) == 2
    assert (state["words"], state["standing"]) == ("make it so", "open")


def test_a_missing_value_is_asked_for_with_its_options() -> None:
    fake = Fake()
    state, (question,) = run(fake, "system: fake\nstop: 3", "Q2")
    assert question["title"] == "Which qubit is meant?"
    assert [option["value"] for option in question["options"]] == ["Q1", "Q2", "cancel"]
    assert state["standing"] == "done"
    assert fake.saved[0]["qubits"] == ["Q2"]


def test_a_wrong_answer_to_it_does_not_end_the_run() -> None:
    fake = Fake()
    state, questions = run(fake, "system: fake\nstop: 3", "Q9", "Q1")
    assert "Q9" in questions[1]["body_markdown"]
    assert "run" not in [option["value"] for option in questions[1]["options"]]
    assert state["standing"] == "done"
    assert fake.saved[0]["qubits"] == ["Q1"]


def test_a_model_s_draft_is_covered_and_done() -> None:
    fake = Fake(model=True, drafts=[good()])
    state, questions = run(fake, "three, please")
    assert (state["standing"], state["origin"], questions) == ("done", "model", [])
    assert fake.asked == ["three, please", "drafted", "understand.cover", "covered", "understood"]


def test_a_model_asks_or_refuses() -> None:
    fake = Fake(model=True, drafts=[Question(text="How far?", options=["3", "4"]), good()])
    state, (question,) = run(fake, "far away", "3")
    assert (question["title"], state["standing"]) == ("How far?", "done")
    assert "far away\n\nHow far? 3" in fake.asked
    state, _ = run(Fake(model=True, drafts=[Refusal(reason="No.")]), "make tea")
    assert (state["standing"], state["why"]) == ("refused", "No.")


@pytest.mark.parametrize("patches", [[], [{"path": "stop", "value": "4"}]])
def test_a_question_of_the_repairing_agent_is_put_once_and_its_answer_says_to_what(patches: list[Any]) -> None:
    """With a draft at hand it was put again after every answer, as "water" alone changed nothing."""
    fake = Fake(model=True, corrects=True, drafts=[good(stop=10)], repairs=[Question(text="How far?"), patches])
    fake.drafts[0].data["stop"] = 10 if patches else 3
    fake.findings = [] if patches else [[{"kind": "left_out", "phrase": "ten", "path": "", "why": "no"}]]
    state, questions = run(fake, "ten", "three", *([] if patches else ["run"]))
    assert [question["title"] for question in questions].count("How far?") == 1
    assert state["standing"] == "done"
    assert fake.told[1].words == "ten\n\nHow far? three"
    assert 'asked for: "How far? three"' in fake.told[1].uncovered[0]


def test_what_is_wrong_is_repaired_by_patches_a_limited_number_of_times() -> None:
    mended = Fake(model=True, drafts=[good(stop=10)], repairs=[[{"path": "stop", "value": "4"}]])
    assert run(mended, "ten")[0]["standing"] == "done"
    assert mended.saved[0]["stop"] == 4
    wrong = [[{"path": "stop", "value": "11"}]] * MOST_REPAIRS
    stubborn = Fake(model=True, drafts=[good(stop=10)], repairs=wrong)
    state, (question,) = run(stubborn, "ten")
    assert question["title"] == "This cannot be run as it stands."
    assert "stop: It must be at most 9" in question["body_markdown"]
    assert stubborn.asked.count("understand.repair") == MOST_REPAIRS
    assert state["repairs"] == MOST_REPAIRS


def test_a_repair_keeps_what_the_draft_brings_along() -> None:
    own = {"bring-up": {"title": "Mine"}}
    mended = Fake(model=True, drafts=[good(stop=10, procedures=own)], repairs=[[{"path": "stop", "value": "4"}]])
    run(mended, "ten")
    assert (mended.saved[0]["stop"], mended.saved[0]["procedures"]) == (4, own)


@pytest.mark.parametrize(
    ("path", "value", "title", "items"),
    [
        ("procedures.bring-up.title", "Weekly", "Weekly", ["a"]),
        ("procedures[bring-up].title", "Weekly", "Weekly", ["a"]),
        ("items[1]", "= 3", "Mine", ["a", "= 3"]),
        ("items", "- a\n- b: 1", "Mine", ["a", {"b": 1}]),
    ],
)
def test_a_repair_writes_paths_and_values_as_models_do(path: str, value: str, title: str, items: list[Any]) -> None:
    draft = good(stop=10, procedures={"bring-up": {"title": "Mine"}}, items=["a"])
    patches = [{"path": path, "value": value}, {"path": "stop", "value": "4"}]
    mended = Fake(model=True, drafts=[draft], repairs=[patches])
    run(mended, "ten")
    saved = mended.saved[0]
    assert (saved["stop"], saved["procedures"]["bring-up"]["title"], saved["items"]) == (4, title, items)


LOST = {"path": "oven.heat", "value": "200"}


def test_a_patch_that_leads_nowhere_drops_no_other_and_is_told() -> None:
    fake = Fake(model=True, drafts=[good(stop=10)], repairs=[[LOST, {"path": "stop", "value": "4"}]])
    assert run(fake, "ten")[0]["standing"] == "done", "what was wrong is right now"
    assert fake.saved[0]["stop"] == 4
    fake = Fake(model=True, drafts=[good()], findings=[[FINDING]], repairs=[[LOST, {"path": "stop", "value": "4"}]])
    _, (question,) = run(fake, "three and a cake")
    assert "stop: 4" in question["body_markdown"]
    assert "not changed: oven.heat (There is no field oven.heat. Fields are: system" in question["body_markdown"]


def test_a_repair_that_leads_nowhere_is_tried_again_with_the_reason() -> None:
    fake = Fake(model=True, drafts=[good(stop=10)], repairs=[[LOST], [{"path": "stop", "value": "4"}]])
    assert run(fake, "ten")[0]["standing"] == "done"
    assert "not changed: oven.heat" in fake.told[1].uncovered[0]
    stubborn = Fake(model=True, drafts=[good(stop=10)], repairs=[[LOST]] * MOST_REPAIRS)
    _, (question,) = run(stubborn, "ten")
    assert stubborn.asked.count("understand.repair") == MOST_REPAIRS
    assert "not changed: oven.heat" in question["body_markdown"]


FINDING = {"kind": "left_out", "phrase": "and a cake", "path": "", "why": "No step bakes."}


def test_what_is_uncovered_goes_to_repair_and_then_to_the_person() -> None:
    fake = Fake(model=True, drafts=[good()], findings=[[FINDING]] * 9)
    _, (question,) = run(fake, "three and a cake")
    assert fake.asked.count("understand.cover") <= MOST_COVERS
    assert 'Left out:\n- "and a cake" (No step bakes.)' in question["body_markdown"]
    for answer in ("yes", "ok", "run", "Run it"):
        fake = Fake(model=True, drafts=[good()], findings=[[FINDING]] * 9)
        assert run(fake, "three and a cake", answer)[0]["standing"] == "done"
        assert len(fake.saved) == 1


def shown(**more: Any) -> Fake:
    """A reading that shows every specification."""
    return Fake(model=True, drafts=[good(), good(stop=5)], shows=True, **more)


def test_a_specification_is_shown_without_what_code_wrote() -> None:
    _, (question,) = run(shown(), "three")
    assert "Goes to 3." in question["body_markdown"]
    assert "stop: 3" in question["body_markdown"]
    assert "by code" not in question["body_markdown"]
    assert question["form_schema"]["properties"]["yaml"]["default"] == "system: fake\nstop: 3\nqubits: [Q1]\n"


def quoting(words: str, *steps: Any, **more: Any) -> Fake:
    """A reading whose first step quotes `words`, and which is shown."""
    draft = Drafted(good(stop=1, steps=list(steps or [{"stop": "7 us"}])).data, {"steps.0": words})
    return Fake(model=True, drafts=[draft], shows=True, **more)


def test_the_person_s_words_stand_beside_what_was_made_of_them() -> None:
    _, (question,) = run(quoting("as far as 9 us"), "Go as far as 9 us")
    assert 'Read from your words:\n- steps.0: "as far as 9 us" (differs: 9 us)' in question["body_markdown"]
    _, questions = run(quoting("as far as 9 us"), "Go as far as 9 us", "steps.0.stop = 9 us")
    assert "Read from your words" not in questions[1]["body_markdown"], "the value is the person's own now"


def test_a_quotation_whose_place_has_moved_is_not_shown() -> None:
    another, other = [{"path": "steps[1]", "value": "{stop: 3 us}"}], [{"path": "steps", "value": "7"}]
    for repairs, shows in (([], True), ([another], False), ([other], False)):
        fake = quoting("as far as 7 us", findings=[[FINDING]], repairs=repairs)
        _, (question,) = run(fake, "Go as far as 7 us and a cake")
        assert ("Read from your words" in question["body_markdown"]) is shows


@pytest.mark.parametrize(
    "answer",
    [
        "stop = 7",
        "stop = 7\nqubits = [Q1]",
        {"decision": "edit", "value": {"stop": 7}},
        {"decision": "edit", "value": {"yaml": "system: fake\nstop: 7\nqubits: [Q1]"}},
        "go 7",
        "system: fake\nstop: 7\nqubits: [Q1]",
    ],
)
def test_corrections(answer: Any) -> None:
    fake = shown()
    state, _ = run(fake, "three", answer)
    if "__interrupt__" in state:  # what the model read is shown again, what the person wrote is not
        state = run(fake := shown(), "three", answer, "run")[0]
    assert state["standing"] == "done"
    assert fake.saved[0]["stop"] == 7


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"decision": "edit", "value": {"yaml": "stop: ["}}, "not YAML"),
        ({"decision": "edit", "value": {"yaml": "- a"}}, "not a mapping"),
        ({"decision": "edit", "value": {"²": 3}}, "no field ²"),
        ("edit", "The edit changes nothing"),
        ("stopp = 7", "There is no field stopp"),
        ("system: [\nstop: 3", "not YAML"),
    ],
)
def test_an_answer_that_cannot_be_used_is_asked_again_and_runs_nothing(answer: Any, why: str) -> None:
    fake = shown()
    state, (first, second) = run(fake, "three", answer)
    assert why in second["body_markdown"]
    assert first["id"] != second["id"]
    assert "Goes to 3." in second["body_markdown"]
    assert (fake.saved, state["standing"]) == ([], "open")
    assert fake.asked.count("understand.cover") == 1
    state, questions = run(fake := shown(), "three", answer, answer, "run")
    assert len({question["id"] for question in questions}) == 3
    assert state["standing"] == "done"


def test_an_edit_that_is_wrong_is_shown_as_wrong() -> None:
    state, questions = run(shown(), "three", "stop = 10", "stop = 4", "run")
    assert questions[1]["title"] == "This cannot be run as it stands."
    assert state["standing"] == "done"


def test_words_go_back_to_the_model_below_the_first_ones() -> None:
    fake = shown()
    state, questions = run(fake, "three", "rather five", "run")
    assert "three\n\nrather five" in fake.asked
    assert "Goes to 5." in questions[1]["body_markdown"]
    assert fake.saved[0]["stop"] == 5
    assert state["standing"] == "done"


@pytest.mark.parametrize(
    ("then", "stop", "asked"),
    [("start", 5, 1), ("ask", 5, 2), ("start", 8, 2), ("start", 3, 2)],  # 8 needs leave; 3 changes nothing
)
def test_a_correction_that_says_to_run_it_runs_what_was_shown(then: str, stop: int, asked: int) -> None:
    patches = [{"path": "stop", "value": str(stop)}] if stop != 3 else []
    said = {"patches": patches, "overruled": [], "then": then}
    fake = Fake(model=True, corrects=True, drafts=[good()], repairs=[said], shows=True)
    state, questions = run(fake, "three", "another way, then run it")
    assert len(questions) == asked
    assert state.get("standing") == ("done" if asked == 1 else "open")


def test_a_changed_plan_says_what_changed_and_what_is_no_longer_assumed() -> None:
    draft = Drafted(good().data, assumed=("The stop is three.", "It is Q1."))
    said = {"patches": [{"path": "stop", "value": "5"}], "overruled": [1], "then": "ask"}
    fake = Fake(model=True, corrects=True, drafts=[draft], repairs=[said], shows=True)
    state, (first, second) = run(fake, "three", "five")
    assert fake.told[0].settled == ["1. The stop is three.", "2. It is Q1."]
    assert (first["changed"], state["reading"]) == ("", ["It is Q1."])
    assert second["changed"] == "Changed:\n- stop: 3 -> 5\n\nHolds no longer:\n- The stop is three."
    assert "The stop is three." not in second["body_markdown"]


def test_a_default_is_taken_only_where_there_is_one_possibility() -> None:
    _, questions = run(Fake(takes_defaults=True), "system: fake\nstop: 3")
    assert len(questions) == 1  # two qubits: no default
