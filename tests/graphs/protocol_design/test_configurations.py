"""Twenty ways in which agents write the steps themselves, each through the real client."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from designs import CLEAR, OPEN, WRITERS, design, events
from pydantic import ValidationError
from scripted_model import Reply, Request, ScriptedModel, by_policy

from labwright.agents.protocol_design.written.configuration import CONFIGURATIONS
from labwright.agents.protocol_design.written.tagged import parse
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.handing_in import UNPROVED
from labwright.graphs.protocol_design.written import AUTOPILOT, MOST_TURNS
from labwright.tools.liquid_handler.reading import read_lsr

MIND = "openai:general"
HONEST = by_policy(*WRITERS)
Use = Callable[..., None]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Points the settings at a server."""

    def point(model: ScriptedModel, **settings: str) -> None:
        for name, value in {"base_url": model.url, "api_key": "none", "cache": "false", **settings}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)

    return point


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the planner puts into the vials."""
    vials: list[dict[str, Any]] = design(CLEAR, tmp_path_factory.mktemp("planned")).result["vials"]
    return vials


def roles(model: ScriptedModel) -> list[str]:
    return [request.role.rpartition("written_")[2] for request in model.requests if "written_" in request.role]


def test_there_are_twenty_with_a_name_each() -> None:
    assert len(CONFIGURATIONS) == 20
    assert sum(name.startswith("single-agent/") for name in CONFIGURATIONS) == 8
    with pytest.raises(ValidationError, match="no configuration 'multi-agent/half/plain'"):
        Choices.model_validate({"configuration": "multi-agent/half/plain"})


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_configuration_runs_to_a_file(name: str, root: Path, use: Use, planned: list[dict[str, Any]]) -> None:
    configuration = CONFIGURATIONS[name]
    with ScriptedModel(HONEST, name="general") as model:
        use(model)
        outcome = design(CLEAR, root, mind=MIND, configuration=name)
    assert outcome.status == "complete", outcome.reason
    assert outcome.result["vials"] == planned
    assert (
        parse(outcome.result["draft"]).steps == read_lsr((outcome.run_dir / outcome.result["xml"]).read_bytes()).steps
    )
    single = configuration.agents == "single-agent"
    asked = roles(model)
    begin = ["single"] * (1 + configuration.tools) if single else ["supervise", "understand"]
    assert asked[: len(begin)] == begin
    computed = [request for request in model.requests if "stock_volume(" in str(request.input.get("said"))]
    assert bool(computed) == configuration.tools
    assert ("review" in asked) == (configuration.checks == "unguided")
    assert outcome.result["path"] == [role for role in asked if role not in ("review", "mend")]
    assert outcome.document["usage"]["total"]["calls"] == len(model.requests)


@pytest.mark.parametrize(
    ("name", "thinkers"),
    [
        ("single-agent/none/tools+guided", set()),
        ("single-agent/full/plain", {"single"}),
        ("multi-agent/none/tools+unguided", {"review"}),
        ("multi-agent/partial/plain", {"understand"}),
        ("multi-agent/full/plain", {"supervise", "understand", "calculate", "arrange", "process", "finish"}),
    ],
)
def test_the_reasoning_model_answers_the_roles_that_the_configuration_gives_it(
    name: str, thinkers: set[str], root: Path, use: Use
) -> None:
    with ScriptedModel(HONEST, name="general") as quick:
        seen: dict[str, set[str]] = {"general": set(), "thinker": set()}

        def decide(body: dict[str, Any], key: str, inner: Any = quick.decide) -> Any:
            quick.name = body["model"]
            request, reply = inner(body, key)
            if "written_" in request.role:
                seen[body["model"]].add(request.role.rpartition("written_")[2])
            return request, reply

        quick.decide = decide  # type: ignore[method-assign]
        use(quick, model_reasoning="openai:thinker", model_general=MIND, model_light=MIND)
        outcome = design(CLEAR, root, mind=MIND, configuration=name)
    assert outcome.status == "complete", outcome.reason
    assert seen["thinker"] == thinkers
    assert not seen["general"] & thinkers


def test_without_a_model_the_planners_own_steps_go_the_same_way(root: Path, planned: list[dict[str, Any]]) -> None:
    outcome = design(CLEAR, root, configuration="multi-agent/full/tools+unguided")
    assert outcome.status == "complete"
    assert outcome.result["vials"] == planned
    report = (outcome.run_dir / "report.md").read_text()
    assert "10 mM caffeine" in report
    assert UNPROVED in report


@pytest.mark.parametrize("name", ["single-agent/none/plain", "multi-agent/none/tools"])
def test_a_question_gets_the_unattended_reply_and_nobody_is_asked(name: str, root: Path, use: Use) -> None:
    with ScriptedModel(HONEST, name="general") as model:
        use(model)
        outcome = design(OPEN, root, mind=MIND, configuration=name)
    assert outcome.status == "complete", outcome.reason
    assert events(outcome, "question") == []
    [assumed] = outcome.result["assumptions"]
    assert "propanol" in assumed
    assert AUTOPILOT in assumed
    told = [request.input["said"] for request in model.requests if "said" in request.input]
    assert {"by": "person", "text": AUTOPILOT} in told[-1]


def spoilt(role: str, spoil: Callable[[str], str], times: int = 1) -> Callable[[Request], Reply]:
    """Honest, but the first steps that `role` writes are spoilt."""
    left = [times]

    def script(request: Request) -> Reply:
        reply = HONEST(request)
        if request.role.endswith(role) and left[0] > 0 and reply.content["answer"]["steps"]:
            left[0] -= 1
            answer = {**reply.content["answer"], "steps": spoil(reply.content["answer"]["steps"])}
            return Reply.answer(json.loads(json.dumps(answer)))
        return reply

    return script


def left_on(steps: str) -> str:
    return steps.replace("[set] VortexRate | Plate 1 | rpm | A1-A3=0", "")


def test_steps_that_do_not_read_go_back_with_their_line(root: Path, use: Use) -> None:
    script = spoilt("written_finish", lambda steps: steps.replace("A1=990", "Z9=990"))
    with ScriptedModel(script, name="general") as model:
        use(model)
        outcome = design(CLEAR, root, mind=MIND, configuration="multi-agent/none/plain")
    assert outcome.status == "complete", outcome.reason
    [complaint] = [request.complaints[0] for request in model.requests if request.complaints]
    assert "Line 4: 'Z9=990' is not written like" in complaint


@pytest.mark.parametrize("checks", ["guided", "unguided"])
def test_a_fault_is_found_and_mended(checks: str, root: Path, use: Use) -> None:
    with ScriptedModel(spoilt("written_single", left_on), name="general") as model:
        use(model)
        outcome = design(CLEAR, root, mind=MIND, configuration=f"single-agent/none/tools+{checks}")
    assert outcome.status == "complete", outcome.reason
    [mended] = [request for request in model.requests if request.role.endswith("written_mend")]
    assert "still on at the end" in mended.input["mistakes"][0]["what"]
    assert roles(model).count("review") == (2 if checks == "unguided" else 0)


def test_without_self_checks_a_fault_stops_the_file_and_the_steps_are_kept(root: Path, use: Use) -> None:
    with ScriptedModel(spoilt("written_single", left_on), name="general") as model:
        use(model)
        outcome = design(CLEAR, root, mind=MIND, configuration="single-agent/none/plain")
    assert outcome.status == "refused"
    assert "still on at the end" in outcome.reason
    assert not (outcome.run_dir / "robot").exists()
    assert len(outcome.result["steps"]) == 5
    assert [finding["check"] for finding in outcome.result["findings"]] == ["left_on"]


def test_mending_ends_after_its_rounds(root: Path, use: Use) -> None:
    """Each round the mender moves one amount and leaves the fault."""
    count = [0]

    def worse(steps: str) -> str:
        count[0] += 1
        return left_on(steps).replace("A1=990", f"A1={990 - count[0]}")

    single, mender = spoilt("written_single", left_on), spoilt("written_mend", worse, times=99)

    def script(request: Request) -> Reply:
        return mender(request) if request.role.endswith("mend") else single(request)

    with ScriptedModel(script, name="general") as model:
        use(model)
        outcome = design(CLEAR, root, mind=MIND, configuration="single-agent/none/tools+unguided")
    assert outcome.status == "refused"
    assert (roles(model).count("mend"), roles(model).count("review")) == (5, 6)


def test_a_talk_without_an_end_is_ended(root: Path, use: Use) -> None:
    def script(request: Request) -> Reply:
        if request.role.endswith("supervise"):
            return Reply.question("Are you sure?")
        return HONEST(request)

    with ScriptedModel(script, name="general") as model:
        use(model)
        outcome = design(CLEAR, root, mind=MIND, configuration="multi-agent/none/plain")
    assert outcome.status == "refused"
    assert f"{MOST_TURNS} turns" in outcome.reason
    assert len(outcome.result["path"]) == MOST_TURNS


def test_a_person_approves_and_may_change_a_tip(root: Path) -> None:
    from calibrations import Person

    person = Person(script=[("edit", {"step_2": "PDT Tip100uL"})], rest="write")
    outcome = design(CLEAR, root, configuration="multi-agent/none/plain", approval="risky", on_question=person)
    assert outcome.status == "complete", outcome.reason
    assert [question.id for question in person.asked] == ["approve 1", "approve 2"]
    assert UNPROVED in person.asked[0].body_markdown
    assert outcome.result["steps"][1]["tags"] == ["PDT", "Tip100uL"]


def test_a_design_in_yaml_is_not_written_by_agents(root: Path) -> None:
    text = (design(CLEAR, root).run_dir / "design.yaml").read_text()
    outcome = design(text, root, configuration="multi-agent/none/plain")
    assert outcome.status == "refused"
    assert "Leave the configuration out" in outcome.reason
