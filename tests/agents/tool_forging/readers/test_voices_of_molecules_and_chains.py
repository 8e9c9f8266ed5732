"""Tasks about molecules and tensor networks in many voices: what is read of each is beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe, read_task

CASES = yaml.safe_load(Path(__file__).with_name("voices_of_molecules_and_chains.yaml").read_text(encoding="utf-8"))


def at(spec: Any, path: str) -> Any:
    """What stands at a dotted path of a specification."""
    for part in path.split("."):
        spec = spec[int(part)] if isinstance(spec, list | tuple) else spec[part]
    return list(spec) if isinstance(spec, tuple) else spec


@pytest.mark.parametrize("case", [one for one in CASES if "spec" in one], ids=lambda one: one["name"])
def test_what_is_read(case: dict[str, Any]) -> None:
    reply = read_task(TaskText(case["text"]))
    assert isinstance(reply, list), reply
    assert [one.family for one in reply] == [case["family"]]
    spec = reply[0].spec.model_dump()
    for path, wanted in case["spec"].items():
        assert at(spec, path) == (pytest.approx(wanted, abs=1e-5) if isinstance(wanted, float) else wanted), path
    for path, names in case.get("in", {}).items():
        assert set(names) <= set(at(spec, path)), path
    for path, count in case.get("only", {}).items():
        assert len(at(spec, path)) == count, path
    for path, values in case.get("holds", {}).items():
        assert all(any(abs(one - value) < 1e-6 for one in at(spec, path)) for value in values), path


@pytest.mark.parametrize("case", [one for one in CASES if "refused" in one], ids=lambda one: one["name"])
def test_what_no_recipe_does_is_refused_by_name(case: dict[str, Any]) -> None:
    reply = read_task(TaskText(case["text"]))
    assert isinstance(reply, NoRecipe), reply
    assert re.search(case["refused"], reply.text)


@pytest.mark.parametrize("case", [one for one in CASES if "asked" in one], ids=lambda one: one["name"])
def test_a_contradiction_is_asked_about(case: dict[str, Any]) -> None:
    reply = read_task(TaskText(case["text"]))
    assert isinstance(reply, Question), reply
    assert case["asked"] in reply.text
