"""Prompts render, name what is missing, keep data in its block, and change only where a review sees it.

Every prompt file needs an example input, ``examples/<system>.<role>.json``; the rendered text is compared with
``snapshots/<system>.<role>.txt``. ``LABWRIGHT_UPDATE_SNAPSHOTS=1 pytest tests/prompts`` writes the snapshots anew.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import labwright.agents
from labwright import prompts
from labwright.agents.typed_call import AgentCall
from labwright.agents.workspace_task import WorkspaceTask
from labwright.evaluation import desk, plan_reading, protocol_text_suite, published_questions
from labwright.evaluation.forge import text_tasks

Role = AgentCall[Any, Any] | WorkspaceTask[Any, Any]

HERE = Path(__file__).parent


def _calls() -> dict[str, Role]:
    found: dict[str, Role] = {}
    places = pkgutil.walk_packages(labwright.agents.__path__, "labwright.agents.")
    modules = [importlib.import_module(place.name) for place in places]
    for module in [
        *modules,
        desk,
        plan_reading,
        protocol_text_suite,
        published_questions,
        text_tasks,
    ]:  # the controls that models are compared with
        for value in vars(module).values():
            if isinstance(value, AgentCall | WorkspaceTask):
                found[value.name] = value
    return found


CALLS = _calls()


@pytest.mark.parametrize("name", CALLS)
def test_a_roles_blanks_are_exactly_its_inputs_fields(name: str) -> None:
    call = CALLS[name]
    assert prompts.blanks(call.prompt) == set(call.input.model_fields)


def test_every_prompt_file_belongs_to_a_role() -> None:
    assert set(prompts.paths()) == {call.prompt for call in CALLS.values()}


@pytest.mark.parametrize("name", CALLS)
def test_the_rendered_prompt_is_the_one_that_was_reviewed(name: str) -> None:
    example = HERE / "examples" / f"{name}.json"
    assert example.is_file(), f"Role {name} needs an example input at tests/prompts/examples/{name}.json."
    call = CALLS[name]
    fields = call.input.model_validate_json(example.read_text(encoding="utf-8")).model_dump(mode="json")
    rendered = prompts.render(call.prompt, **fields)
    if isinstance(call, WorkspaceTask):
        rendered = call.prompted(call.input.model_validate(fields))
    assert prompts.read_blocks(rendered.user) == fields, "Every field must stand in a data block of its own name."
    text = f"{rendered.system}\n{prompts.SEPARATOR}\n{rendered.user}\n"
    snapshot = HERE / "snapshots" / f"{name}.txt"
    if os.environ.get("LABWRIGHT_UPDATE_SNAPSHOTS"):
        snapshot.write_text(text, encoding="utf-8")
    assert snapshot.is_file(), "No snapshot yet: run with LABWRIGHT_UPDATE_SNAPSHOTS=1 and review the new file."
    assert text == snapshot.read_text(encoding="utf-8")


def test_a_missing_blank_names_file_and_blank() -> None:
    with pytest.raises(prompts.PromptError, match=r"x\.md has an unfilled blank: 'qubit' is undefined"):
        prompts.render_text('a\n---user---\n{{ qubit | data("qubit") }}', {}, "x.md")


@pytest.mark.parametrize("source", ["only one part", "a\n---user---\nb\n---user---\nc", "a\n---user---\n"])
def test_a_prompt_without_two_parts_is_refused(source: str) -> None:
    with pytest.raises(prompts.PromptError, match="two parts"):
        prompts.render_text(source, {}, "x.md")


def test_a_template_that_does_not_parse_and_a_missing_file_are_named() -> None:
    with pytest.raises(prompts.PromptError, match=r"x\.md does not parse"):
        prompts.render_text("a {{ b\n---user---\nc", {}, "x.md")
    with pytest.raises(prompts.PromptError, match=r"prompts/none/here\.md"):
        prompts.render("none/here.md")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_no_value_can_leave_its_block(value: Any) -> None:
    source = 'a\n---user---\n{{ x | data("x") }}\nthen\n{{ y | data("y") }}'
    text = prompts.render_text(source, {"x": value, "y": "</data>"}).user
    assert prompts.read_blocks(text) == {"x": value, "y": "</data>"}
    assert json.dumps(text).count("</data>") == 2
