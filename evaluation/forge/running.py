"""One run of one task, graded: a row of a suite's table."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labwright.evaluation import runner
from labwright.evaluation.forge.grading import Grade, graded
from labwright.evaluation.forge.tasks import Task
from labwright.graphs.running import Outcome
from labwright.graphs.tool_forging.choices import EMPTY, Choices, Mode
from labwright.graphs.tool_forging.running import ForgeRequest, start
from labwright.tools.runs.run import open_run

Row = dict[str, Any]
Start = Callable[[ForgeRequest, Path], Outcome]
WORKSPACE = "workspace"
# what a terminal shows; the rows hold everything
COLUMNS = (
    "task", "status", "passed", "score", "accuracy", "methodology", "seconds", "science_seconds", "made", "unused",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Setting:
    """How a task is run.

    Attributes:
        mode: ``forge``, ``reuse``, ``direct``.
        mind: ``rules``, which runs the task's card, or ``provider:model``, which reads its words.
        toolset: folder; empty for one of the task's own.
        grows: whether the run works on that very folder alone, as in a curriculum; else on a copy of it, beside the
            tools that come with Labwright.
    """

    mode: Mode = "forge"
    mind: str = "rules"
    toolset: str = ""
    grows: bool = False


def run_task(task: Task, repeat: int, setting: Setting, folder: Path, begin: Start = start) -> Row:
    """Run `task` once and grade it."""
    outcome = begin(_request(task, repeat, setting, folder), folder / "runs")
    said = told(outcome)
    grade = graded(task, outcome.run_dir / WORKSPACE, outcome.status, said)
    head = {"task": task.name, "repeat": repeat, "mode": setting.mode, "mind": setting.mind}
    return {**head, **spent(outcome), "status": outcome.status, "said": said[:500], **judged(grade)}


def _request(task: Task, repeat: int, setting: Setting, folder: Path) -> ForgeRequest:
    toolset = setting.toolset
    if toolset != EMPTY and not setting.grows:
        toolset = str(folder / "toolset")
        if setting.toolset and not Path(toolset).exists():
            shutil.copytree(setting.toolset, toolset)
    choices = Choices(
        mode=setting.mode, toolset=toolset, shipped=not setting.grows, seed=repeat, mind=setting.mind,
        approval="auto", answers="defaults",
    )  # fmt: skip
    return ForgeRequest((setting.mind == "rules" and task.card) or task.text, task.inputs, choices)


def told(outcome: Outcome) -> str:
    """What a run told a person at its end: its reason, and the questions on the way."""
    events = list(open_run(outcome.run_dir.parent, outcome.run_id).events.read())
    asked = [event.get("question", {}) for event in events if event.get("kind") == "question"]
    texts = [f"{one.get('title', '')} {one.get('body_markdown', '')}" for one in [*asked, *outcome.questions]]
    return " ".join([outcome.reason, *texts]).strip()


def spent(outcome: Outcome) -> Row:
    """Time, calls, tokens, money, iterations and tools of a run."""
    result, usage = outcome.result or {}, outcome.document.get("usage", {}).get("total", {})
    seconds = float(outcome.document.get("seconds", 0.0))
    science = float(result.get("seconds", {}).get("execution", 0.0))
    made = list(result.get("tools_forged", []))
    return {
        "seconds": round(seconds, 2),
        "science_seconds": round(science, 2),
        "other_seconds": round(max(0.0, seconds - science), 2),
        "calls": usage.get("calls", 0),
        "tokens": usage.get("input_tokens", 0) + usage.get("output_tokens", 0),
        "cost": usage.get("cost", 0.0),
        "iterations": result.get("iterations", 0),
        "made": len(made),
        "used": len(result.get("tools_used", [])),
        "unused": len(result.get("tools_unused", [])),
        "edited": len(result.get("tools_edited", [])),
        "tools_made": made,
        "sandbox_level": result.get("sandbox_level", ""),
        **runner.spent(usage),
    }


def judged(grade: Grade) -> Row:
    """The grade, flat; faults name every criterion that is not fully met."""
    short = [one for one in grade.criteria if one.counted and one.score < 1.0]
    plain: Mapping[str, Any] = json.loads(json.dumps(grade.plain()))
    return {
        "passed": grade.right,
        "faults": "; ".join(f"{one.name} {one.demand}: {one.found}" for one in short),
        **{name: plain[name] for name in ("score", "accuracy", "methodology")},
        "left_out": [one.demand for one in grade.criteria if not one.counted],
        "criteria": plain["criteria"],
    }
