"""Every model task of the writing guide is read as the family that it is shown for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import read_task

GUIDE = Path(__file__).parents[1] / "docs" / "forge-writing"
_MODEL = re.compile(r"<!-- family: (?P<family>\w+) -->\s*```text\n(?P<text>.*?)```", re.S)
MODELS = [
    pytest.param(found["family"], found["text"], id=f"{page.stem}-{number}")
    for page in sorted(GUIDE.glob("*.md"))
    for number, found in enumerate(_MODEL.finditer(page.read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize(("family", "text"), MODELS)
def test_a_model_task_is_read(family: str, text: str) -> None:
    read = read_task(TaskText(text))
    assert isinstance(read, list), read
    assert [one.family for one in read] == [family]


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.stem)
def test_every_block_of_the_guide_is_tried(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("```text") == len(_MODEL.findall(text))
