"""The task executor: scripts in stages, a small subset first, jobs, figures, results and the report."""

from __future__ import annotations

from labwright.agents.tool_forging.execution_without_model import execute_by_rules
from labwright.agents.tool_forging.report_numbers import unfounded
from labwright.agents.tool_forging.script_rerun import noted, run_again
from labwright.agents.tool_forging.script_tool_imports import imported_tools
from labwright.agents.tool_forging.solution import PARTS, REPORT, RESULTS, Executed, ExecuteIn, is_there, read_solution
from labwright.agents.viewing_log import Looks
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.errors import InputError
from labwright.tools.workspace.workspace import Workspace

__all__ = ["EXECUTE", "ExecuteIn", "Executed", "check_executed"]
MOST_STRANGE = 20  # numbers that are listed
LEAST_REPORT = 200  # characters; less is no report


def check_executed(given: ExecuteIn, answer: Executed, workspace: Workspace) -> list[str]:
    """What the answer speaks of is there; a run that failed may lack results, but then says what failed."""
    found = [
        f"{path} is not in the workspace."
        for path in [*answer.scripts, *answer.figures]
        if not is_there(workspace, path)
    ]
    if not answer.scripts:
        found.append("No script is named: what produced the results has to stay, so that it can be run again.")
    if not is_there(workspace, REPORT) or len(workspace.files.text(REPORT)) < LEAST_REPORT:
        found.append(f"{REPORT} is missing or says nothing.")
    if not answer.trial.strip():
        found.append("`trial` is empty: say what the small subset showed, or why there was none.")
    if not answer.failures:
        found += [*_results_faults(workspace), *_never_called(answer, workspace)]
    return found


def doubt_executed(given: ExecuteIn, answer: Executed, workspace: Workspace, _looks: Looks) -> list[str]:
    """Numbers come from scripts: the report's from what these wrote, and that comes out when they are run again."""
    strange = unfounded(workspace, answer.scripts, answer.tools)
    if not strange:
        if check_executed(given, answer, workspace):
            return []  # it goes back anyway
        if answer.failures:  # of this try; what is said of an earlier one must not pass for it
            return noted(workspace, "Not run again: the executor says that something failed.", [])
        return run_again(workspace, answer.scripts)
    listed = ", ".join(strange[:MOST_STRANGE]) + (", ..." if len(strange) > MOST_STRANGE else "")
    return [
        f"{REPORT} has {len(strange)} numbers that are in none of {RESULTS}, {PARTS}/, the task, its inputs and the"
        f" scripts, also after rounding: {listed}. Correct each, or let a script compute it and write it to {RESULTS}."
    ]


def _never_called(answer: Executed, workspace: Workspace) -> list[str]:
    imported = imported_tools(workspace, answer.scripts)
    return [
        f"No script imports the tool {name}: call it, or leave it out of `tools`."
        for name in dict.fromkeys(answer.tools)
        if name not in imported
    ]


def _results_faults(workspace: Workspace) -> list[str]:
    try:
        records = read_solution(workspace).records
    except InputError as wrong:
        return [f"{wrong} If that is because something failed, say so in `failures`."]
    return [] if records else [f"{RESULTS} holds no record. If nothing was computed, say why in `failures`."]


EXECUTE = WorkspaceTask(
    "tool_forging.execute",
    "tool_forging/execute.md",
    ExecuteIn,
    Executed,
    execute_by_rules,
    check_executed,
    "reasoning",
    doubt_executed,
    computed=(RESULTS,),
    steps=120,
    seconds=14400.0,
)
