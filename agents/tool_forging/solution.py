"""What executor and evaluator say to each other, and where a solution lies in the workspace."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, Field

from labwright.agents.tool_forging.analyse import Analysis, Mode
from labwright.agents.workspace_task import InWorkspace
from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.results import Results, parsed_results
from labwright.tools.workspace.workspace import Workspace

REPORT, RESULTS, PARTS, FIGURES = "report.md", "results.json", "results", "img"
SUBSET = "_subset.json"  # ends the name of a trial's results, which count for nothing afterwards


class ExecuteIn(BaseModel):
    """A task whose tools are at hand."""

    task: str = Field(description="Text of question.md.")
    analysis: Analysis
    tools: dict[str, str] = Field(default_factory=dict, description="Tool of the analysis -> how a script calls it.")
    mode: Mode = "forge"
    iteration: int = Field(default=1, ge=1, description="Solutions tried, this one included.")
    plan: str = Field(default="", description="What the last evaluation wants done; empty the first time.")
    threads: int = Field(default=2, ge=1, description="Processors that one job may use.")
    memory_mb: int = Field(default=8192, ge=1, description="Most memory of one job.")
    job_seconds: float = Field(default=3600.0, gt=0, description="Longest time of one job.")


class Executed(BaseModel):
    """What was run, and what lies there now."""

    scripts: list[InWorkspace] = Field(description="Paths of the scripts, in the order in which they were run.")
    figures: list[InWorkspace] = Field(description="Paths of the figures.")
    tools: list[str] = Field(description="Names of the tools that the scripts called.")
    trial: str = Field(description="What the small subset showed before the rest was run; why there was none.")
    failures: list[str] = Field(description="What failed and was not mended, one sentence each; usually empty.")
    summary: str = Field(description="What came out, in two or three sentences.")


LARGEST = 64_000_000  # bytes of results.json


Flag = Literal["bug_need_fix", "script_complete", "further_simulation_needed", "result_complete"]


def read_solution(workspace: Workspace, path: str = RESULTS) -> Results:
    """``results.json``, or a part of it.

    Raises:
        InputError: it is missing, or not of its form; says where.
    """
    return parsed_results(path, workspace.files.read_bytes(path, LARGEST))


def is_there(workspace: Workspace, path: str) -> bool:
    """Whether there is such a file; a path that leads out of the workspace names none."""
    try:
        return workspace.files.exists(path)
    except InputError:
        return False


def figure_paths(workspace: Workspace) -> list[str]:
    """The figures, by name."""
    if not any(one.path == FIGURES for one in workspace.files.entries()):
        return []
    return [one.path for one in workspace.files.files(FIGURES, "*.png")]


def figure_data(workspace: Workspace, path: str) -> Any:
    """What a figure shows: the JSON that a plot tool leaves beside it; None where there is none."""
    beside = path.removesuffix(".png") + ".json"
    try:
        return json.loads(workspace.files.text(beside))
    except (InputError, ValueError):
        return None
