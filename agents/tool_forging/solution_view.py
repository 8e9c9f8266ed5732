"""A solution as an evaluator is shown it: its texts, its results in short, and what code has judged."""

from __future__ import annotations

from collections.abc import Iterable

from labwright.agents.tool_forging.analyse import tools_there
from labwright.agents.tool_forging.computed_judgements import delivered
from labwright.agents.tool_forging.evaluate_solution import EvaluateIn
from labwright.agents.tool_forging.expected_value_comparison import outline
from labwright.agents.tool_forging.script_rerun import AGAIN
from labwright.agents.tool_forging.script_tool_imports import imported_tools
from labwright.agents.tool_forging.solution import REPORT, Executed, read_solution
from labwright.tools.errors import InputError
from labwright.tools.workspace.workspace import Workspace, shortened

MOST = 12_000  # characters of all scripts together, of all tools, of the report


def shown_solution(workspace: Workspace, executed: Executed, iteration: int) -> EvaluateIn:
    """What lies in the workspace, for one answer."""
    try:
        results = outline(read_solution(workspace))
    except InputError as absent:
        results = str(absent)
    there = tools_there(workspace)
    called = [there[name] for name in sorted(imported_tools(workspace, executed.scripts)) if name in there]
    return EvaluateIn(
        task=workspace.question,
        iteration=iteration,
        executed=executed,
        again=_text(workspace, AGAIN).strip(),
        report=shortened(_text(workspace, REPORT), MOST),
        results=results,
        scripts=_texts(workspace, executed.scripts),
        tools=_texts(workspace, called),
        computed=[f"{one.name} {'holds' if one.passed else 'FAILS'}: {one.message}" for one in delivered(workspace)],
    )


def _texts(workspace: Workspace, paths: Iterable[str]) -> dict[str, str]:
    named = list(paths)
    return {path: shortened(_text(workspace, path), max(800, MOST // len(named))) for path in named}


def _text(workspace: Workspace, path: str) -> str:
    try:
        return workspace.files.text(path) if workspace.files.exists(path) else ""
    except InputError:
        return ""
