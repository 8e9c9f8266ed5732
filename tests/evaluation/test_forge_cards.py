"""Cards are computed, not only read: every example, and the tasks of dynamics of the paper with all criteria."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from labwright.evaluation.forge.running import Setting, run_task
from labwright.evaluation.forge.tasks import Task, load_tasks
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.running import ForgeRequest, Outcome, start
from labwright.tools.specifications.examples import KINDS, example
from labwright.tools.specifications.task import FREE

QUICK = 60.0  # seconds; the longer ones are run by `labwright eval forge-dynamics --nightly`


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS["task"] if kind != FREE])
def test_the_example_of_every_kind_is_computed(kind: str, tmp_path: Path) -> None:
    outcome = start(ForgeRequest(example("task", kind), {}, Choices(mode="reuse", answers="defaults")), tmp_path)
    assert outcome.status == "complete", outcome.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", [one for one in load_tasks("dynamics") if one.seconds <= QUICK], ids=lambda task: task.name
)
def test_a_quick_task_of_the_paper_meets_every_criterion_by_its_card(task: Task, tmp_path: Path) -> None:
    def begin(request: ForgeRequest, folder: Path) -> Outcome:
        """By Qiskit or numpy where CUDA-Q, which three tasks name, is not installed."""
        other = "numpy" if "task: chain" in request.text else "qiskit"
        text = request.text.replace("backend: cudaq", f"backend: {other}") if task.missing_extras else request.text
        return start(replace(request, text=text), folder)

    row = run_task(task, 0, Setting("reuse"), tmp_path, begin)
    assert (row["status"], row["accuracy"]) == ("complete", 1.0), row["faults"]
    assert row["methodology"] == 1.0 or task.missing_extras, row["faults"]
