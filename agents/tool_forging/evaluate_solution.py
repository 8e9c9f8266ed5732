"""The solution evaluator: four findings with evidence. Whether it goes on is derived from them, never asked."""

from __future__ import annotations

from dataclasses import replace

from labwright.agents.tool_forging.evaluation_schema import ALARMING, EvaluateIn, Evaluation, Evidence
from labwright.agents.tool_forging.evaluation_without_model import evaluate_by_rules
from labwright.agents.tool_forging.expected_value_comparison import compared
from labwright.agents.typed_call import AgentCall, without_words
from labwright.tools.errors import InputError
from labwright.tools.specifications.task import read_card
from labwright.tools.workspace.workspace import Workspace

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


def evaluating(workspace: Workspace) -> AgentCall[EvaluateIn, Evaluation]:
    """The role bound to a solution: what an evaluator of words says is held to what its check computes."""

    def check(given: EvaluateIn, answer: Evaluation) -> list[str]:
        if found := check_evaluation(given, answer, workspace):
            return found
        if known_card(given.task):
            return []
        if not answer.check.strip():
            return [] if answer.next_step_needed else ["You call it complete, but there is no `check`."]
        made = compared(workspace, answer.check)
        if made.wrong:
            return [made.wrong]
        workspace.files.write("logs/evaluation_check.py", answer.check)  # for people
        workspace.files.write(
            "logs/evaluation_check.txt", "\n".join([*made.held, *(f"NOT: {one}" for one in made.missed)])
        )
        if made.missed and not answer.next_step_needed:
            said = " ".join(made.missed)
            return [
                f"You call it complete, but your check says otherwise: {said} Either the solution is wrong (then say so"
                " in the flags), or the check is (then hand in a right one)."
            ]
        return []

    return replace(EVALUATE, policy=lambda given: evaluate_by_rules(given, workspace), check=check)


def known_card(task: str) -> bool:
    """Whether the task is a card, which is judged by computation alone."""
    return read_card(task) is not None


EVALUATE = AgentCall(
    "tool_forging.evaluate_solution",
    "tool_forging/evaluate_solution.md",
    EvaluateIn,
    Evaluation,
    without_words,
    tier="reasoning",
)
