"""Every role of the package answers its example input alike by rules and through the real client."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Reply, Request, ScriptedModel, by_policy
from strict_schema import strict_faults

import labwright.agents
from labwright.agents.backend_selection import make_mind
from labwright.agents.rules_backend import RulesMind
from labwright.agents.typed_call import AgentCall, Question, Refusal
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.workspace.workspace import Workspace

EXAMPLES = Path(__file__).parent.parent / "prompts" / "examples"
CALLS: dict[str, AgentCall[Any, Any]] = {
    value.name: value
    for module in pkgutil.walk_packages(labwright.agents.__path__, "labwright.agents.")
    for value in vars(importlib.import_module(module.name)).values()
    if isinstance(value, AgentCall)
}
TASKS: dict[str, WorkspaceTask[Any, Any]] = {
    value.name: value
    for module in pkgutil.walk_packages(labwright.agents.__path__, "labwright.agents.")
    for value in vars(importlib.import_module(module.name)).values()
    if isinstance(value, WorkspaceTask)
}


@pytest.mark.parametrize("name", CALLS)
def test_the_prompt_carries_all_that_the_policy_reads(name: str, tmp_path: Path) -> None:
    call = CALLS[name]
    given = call.input.model_validate_json((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    with ScriptedModel(by_policy(call)) as server:
        by_model = make_mind("openai:scripted", server.settings(tmp_path)).answer(call, given)
    assert by_model == RulesMind().answer(call, given)
    assert (server.requests[0].role, len(server.requests)) == (name, 1)


@pytest.mark.parametrize("name", CALLS)
def test_every_reply_schema_is_strict(name: str) -> None:
    assert strict_faults(CALLS[name].reply_schema()) == []


@pytest.mark.parametrize("name", TASKS)
def test_the_prompt_carries_all_that_the_policy_of_a_task_reads(name: str, tmp_path: Path) -> None:
    """The policy sees the fields that the prompt shows, and a workspace; a model has the same two."""
    task = TASKS[name]
    given = task.input.model_validate_json((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    by_rules = RulesMind().work(task, given, _workspace(tmp_path / "rules"))
    theirs = task.bound(given, _workspace(tmp_path / "model"))

    def script(request: Request) -> Reply:
        reply = task.policy(task.input.model_validate(request.input), theirs)
        if isinstance(reply, Question):
            return Reply.question(reply.text, reply.options)
        return Reply.refuse(reply.reason) if isinstance(reply, Refusal) else Reply.answer(reply)

    with ScriptedModel(script) as server:
        mind = make_mind("openai:scripted", server.settings(tmp_path))
        by_model = mind.work(task, given, Workspace(tmp_path / "model"))
    assert by_model == by_rules
    assert len(server.requests) == 1


def _workspace(folder: Path) -> Workspace:
    folder.mkdir()
    (folder / "question.md").write_text("# Sums\n", encoding="utf-8")
    return Workspace(folder)


@pytest.mark.parametrize("name", TASKS)
def test_every_reply_schema_of_a_task_is_strict(name: str, tmp_path: Path) -> None:
    task = TASKS[name]
    given = task.input.model_validate_json((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    assert strict_faults(task.call(given, _workspace(tmp_path / "w")).reply_schema()) == []
