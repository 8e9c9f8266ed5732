"""Every role of the package answers its example input alike by rules and through the real client."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedModel, by_policy
from strict_schema import strict_faults

import labwright.agents
from labwright.agents.call import AgentCall
from labwright.agents.models import make_mind
from labwright.agents.rules import RulesMind

EXAMPLES = Path(__file__).parent.parent / "prompts" / "examples"
CALLS: dict[str, AgentCall[Any, Any]] = {
    value.name: value
    for module in pkgutil.walk_packages(labwright.agents.__path__, "labwright.agents.")
    for value in vars(importlib.import_module(module.name)).values()
    if isinstance(value, AgentCall)
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
