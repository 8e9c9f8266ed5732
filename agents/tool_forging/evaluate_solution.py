"""The solution evaluator: four findings with evidence. Whether it goes on is derived from them, never asked."""

from __future__ import annotations

import re

from labwright.agents.looks import Looks
from labwright.agents.tool_forging.evaluate_policy import evaluate_by_rules
from labwright.agents.tool_forging.evaluation import ALARMING, EvaluateIn, Evaluation, Evidence
from labwright.agents.tool_forging.solution import REPORT, RESULTS
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.errors import InputError
from labwright.tools.forge.workspace import Workspace

__all__ = ["EVALUATE", "EvaluateIn", "Evaluation", "Evidence", "check_evaluation"]
LEAST_WORDS = 4  # of a statement
_COMMAND = re.compile(r"`((?:python3?|pytest|bash) [^`]+)`")


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
    said: dict[str, set[str]] = {}
    for one in answer.evidence:
        said.setdefault(" ".join(one.statement.casefold().split()), set()).add(one.flag)
    for statement, flags in said.items():
        if len(flags) > 1:
            listed = ", ".join(f"`{flag}`" for flag in sorted(flags))
            found.append(f"One sentence is evidence for {listed}: {statement!r}. Say for each what was found about it.")
    if answer.next_step_needed and not answer.next_step_plan.strip():
        found.append("More work is needed, so `next_step_plan` must say which.")
    return found


def _there(workspace: Workspace, path: str) -> bool:
    try:
        return workspace.files.exists(path)
    except InputError:
        return False


def doubt_evaluation(_given: EvaluateIn, answer: Evaluation, _workspace: Workspace, looks: Looks) -> list[str]:
    """Nobody calls a solution complete that was not looked at; a command is evidence if it was run and went well."""
    if answer.next_step_needed:
        return []
    if not looks:
        return [
            "Nothing was read, run or viewed before calling the solution complete: look at report, results and scripts."
        ]
    if not looks.named:
        return []
    unread = [path for path in (REPORT, RESULTS) if path not in looks.read and not any(path in it for it in looks.ran)]
    found = [f"You call the solution complete, but {path} was not read." for path in unread]
    quoted = [command for one in answer.evidence for command in _COMMAND.findall(one.statement)]
    return found + [
        f"The command `{command}` is given as evidence, but no run of it ended with exit code 0."
        for command in dict.fromkeys(quoted)
        if not any(command in it for it in looks.ran)
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
