"""Tasks in the words of other hands: those that were read once stay read, those that cannot be done stay undone."""

from __future__ import annotations

import pytest

from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import read_task
from labwright.evaluation.forge.tasks import Task, load_tasks

TASKS = load_tasks("strangers")


def is_read(task: Task) -> bool:
    inputs = {name: content.decode() for name, content in task.inputs.items()}
    return isinstance(read_task(TaskText(task.text, inputs)), list)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_wording(task: Task) -> None:
    assert is_read(task) == (task.outcome == "solve")


@pytest.mark.parametrize("task", TASKS[::9], ids=lambda task: task.name)
def test_a_sample_of_wordings(task: Task) -> None:
    assert is_read(task) == (task.outcome == "solve")
