"""Tasks in many voices: each text has to be read as the numbers beside it say, or refused or asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from forge_fingerprints import fingerprint

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe, read_task

VOICES = Path(__file__).parent / "voices"
FAMILIES = ("open_system", "heom", "control", "circuits", "spin_chain")


def _cases(solved: bool) -> list[Any]:
    made = []
    for family in FAMILIES:
        for one in yaml.safe_load((VOICES / f"{family}.yaml").read_text()):
            if ("expect" in one) == solved:
                made.append(pytest.param(family, one, id=f"{family}-{one['name']}"))
    return made


@pytest.mark.parametrize(("family", "case"), _cases(True))
def test_a_text_is_read_as_it_is_meant(family: str, case: dict[str, Any]) -> None:
    read = read_task(TaskText(case["text"]))
    assert isinstance(read, list), read
    assert [one.family for one in read] == [family]
    found = fingerprint(read[0].spec)
    assert {name: found.get(name) for name in case["expect"]} == {
        name: _near(value) for name, value in case["expect"].items()
    }


@pytest.mark.parametrize(("family", "case"), _cases(False))
def test_what_cannot_be_done_is_refused_or_asked(family: str, case: dict[str, Any]) -> None:
    read = read_task(TaskText(case["text"]))
    wanted = {"Question": Question, "NoRecipe": NoRecipe, "any": Question | NoRecipe}[case["outcome"]]
    assert isinstance(read, wanted), read


def _near(value: Any) -> Any:
    """Numbers within 1e-5 of their size, also deep in lists and tables."""
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-5, abs=1e-9)
    if isinstance(value, list):
        return [_near(one) for one in value]
    if isinstance(value, dict):
        return {name: _near(one) for name, one in value.items()}
    return value
