"""The solution evaluator: four findings with evidence. Whether it goes on is derived from them, never asked."""

from __future__ import annotations

from labwright.agents.looks import Looks
from labwright.agents.tool_forging.evaluate_policy import evaluate_by_rules
from labwright.agents.tool_forging.evaluation import ALARMING, EvaluateIn, Evaluation, Evidence
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.errors import InputError
from labwright.tools.forge.workspace import Workspace

__all__ = ["EVALUATE", "EvaluateIn", "Evaluation", "Evidence", "check_evaluation"]
LEAST_WORDS = 4  # of a statement


def check_evaluation(given: EvaluateIn, answer: Evaluation, workspace: Workspace) -> list[str]:
    """Each flag has evidence, in files that are there, which its value does not contradict; an alarm has a plan."""
    found = []
    if bare := [flag for flag in ALARMING if not any(one.flag == flag for one in answer.evidence)]:
        found.append(f"No evidence for {', '.join(f'`{flag}`' for flag in bare)}: say what was looked at and found.")
    for flag in answer.alarms:
        if not any(one.flag == flag and not one.passed for one in answer.evidence):
            found.append(f"`{flag}` asks for more work, but no evidence with this flag says what failed.")
    for one in answer.evidence:
        if not one.passed and one.flag not in answer.alarms:
            found.append(f"Evidence says that `{one.flag}` failed, but the flag says it did not: {one.statement}")
        if len(one.statement.split()) < LEAST_WORDS:
            found.append(f"Evidence must say what was looked at and what was found, but says: {one.statement!r}.")
        path = one.where.partition(":")[0].strip()
        if path and not _there(workspace, path):
            found.append(f"`where` names {path}, which is not in the workspace.")
    if answer.next_step_needed and not answer.next_step_plan.strip():
        found.append("More work is needed, so `next_step_plan` must say which.")
    return found


def _there(workspace: Workspace, path: str) -> bool:
    try:
        return workspace.files.exists(path)
    except InputError:
        return False


def doubt_evaluation(_given: EvaluateIn, answer: Evaluation, _workspace: Workspace, looks: Looks) -> list[str]:
    """Nobody calls a solution complete that was not looked at."""
    if looks or answer.next_step_needed:
        return []
    return [
        "Nothing was read, run or viewed before calling the solution complete: look at report, results and scripts."
    ]


EVALUATE = WorkspaceTask(
    "tool_forging.evaluate_solution",
    "tool_forging/evaluate_solution.md",
    EvaluateIn,
    Evaluation,
    evaluate_by_rules,
    check_evaluation,
    "reasoning",
    doubt_evaluation,
    abilities=frozenset({"run", "view_image", "skills"}),
    writable=(),
    steps=50,
)
