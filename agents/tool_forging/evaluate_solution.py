"""The solution evaluator: four findings with evidence. Whether it goes on is derived from them, never asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from labwright.agents.tool_forging.computed_judgements import delivered, judged
from labwright.agents.tool_forging.expected_value_comparison import compared
from labwright.agents.tool_forging.known_task_types import STANDARD, Known
from labwright.agents.tool_forging.solution import RESULTS, Executed, Flag, is_there
from labwright.agents.typed_call import AgentCall, without_words
from labwright.agents.workspace_task import InWorkspace
from labwright.tools.forge.tasks.task_type import Fault, Judgement
from labwright.tools.specifications.task import read_card
from labwright.tools.workspace.workspace import Workspace

LEAST_WORDS = 4  # of a statement
# The value of each flag that asks for more work.
ALARMING: dict[Flag, bool] = {
    "bug_need_fix": True,
    "script_complete": False,
    "further_simulation_needed": True,
    "result_complete": False,
}
FLAGS: dict[Fault, Flag] = {
    "bug": "bug_need_fix",
    "script_incomplete": "script_complete",
    "more_simulation": "further_simulation_needed",
    "result_incomplete": "result_complete",
}


class EvaluateIn(BaseModel):
    """A solution to look at."""

    task: str = Field(description="Text of question.md.")
    iteration: int = Field(default=1, ge=1, description="Solutions tried, this one included.")
    executed: Executed | None = Field(
        default=None, description="What the executor says of its work; not to be trusted."
    )
    again: str = Field(
        default="", description="What came of running its scripts once more in a clean folder; empty if nobody did."
    )
    report: str = Field(default="", description="Text of report.md.")
    results: str = Field(default="", description="What results.json holds, long arrays in short.")
    scripts: dict[str, str] = Field(default_factory=dict, description="Path -> text of the scripts.")
    tools: dict[str, str] = Field(default_factory=dict, description="Tool that they call -> its source.")
    computed: list[str] = Field(default_factory=list, description="What code has judged already; it stands.")


class Evidence(BaseModel):
    """What was looked at for a flag, and what was found."""

    flag: Flag
    statement: str = Field(description="What was looked at and what was found, with numbers and units.")
    passed: bool = Field(description="Whether it speaks for the solution.")
    where: InWorkspace = Field(
        description="File that shows it, such as results.json or script_2.py:31; empty if none does."
    )


class Evaluation(BaseModel):
    """Four findings about a solution, their evidence, and what to do next."""

    bug_need_fix: bool = Field(description="Something is wrong in scripts, tools or numbers.")
    script_complete: bool = Field(description="The scripts do all that the task asks.")
    further_simulation_needed: bool = Field(
        description="More has to be computed: too short, too coarse, not converged."
    )
    result_complete: bool = Field(description="Report, figures and results.json hold all that the task asks.")
    evidence: list[Evidence] = Field(min_length=1, description="At least one for each of the four flags.")
    check: str = Field(
        description="A Python module with one function `expected()` that computes numbers by a way of its own; it is"
        ' run, and its list of {"quantity", "labels", "at", "value", "within", "why"} is held against results.json.'
    )
    next_step_plan: str = Field(description="What to do next, one text with numbered steps; empty if nothing is.")

    @property
    def alarms(self) -> tuple[Flag, ...]:
        """The flags that ask for more work."""
        return tuple(flag for flag, value in ALARMING.items() if getattr(self, flag) is value)

    @property
    def next_step_needed(self) -> bool:
        """Whether anything is left to do: derived from the four flags, not from anybody's word."""
        return bool(self.alarms)

    @property
    def plan(self) -> str:
        """The plan where one is needed, else nothing, whatever was written."""
        return self.next_step_plan if self.next_step_needed else ""

    def as_file(self) -> dict[str, object]:
        """``evaluation.json``: the flags, what follows from them, and the evidence."""
        return {**self.model_dump(mode="json"), "next_step_needed": self.next_step_needed, "next_step_plan": self.plan}


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
        if path and not is_there(workspace, path):
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


def evaluate_by_rules(given: EvaluateIn, workspace: Workspace, known: Known = STANDARD) -> Evaluation:
    """Judge by what can be computed: what the card demands, and what its family knows must hold."""
    found = known.card(given.task)
    made = [*_failures(given), *delivered(workspace)]
    made += judged(*found, workspace) if found else [_unread()]
    failed = [one for one in made if not one.passed]
    faults = {one.fault for one in failed}
    return Evaluation(
        bug_need_fix="bug" in faults,
        script_complete="script_incomplete" not in faults,
        further_simulation_needed="more_simulation" in faults,
        result_complete="result_incomplete" not in faults,
        evidence=[*(_evidence(one, workspace) for one in made), *_silent(made, workspace)],
        check="",
        next_step_plan=_plan(failed),
    )


def _failures(given: EvaluateIn) -> list[Judgement]:
    said = given.executed.failures if given.executed is not None else []
    return [Judgement("execution", False, text, "bug", "Fix the cause and run again.") for text in said]


def _unread() -> Judgement:
    return Judgement("science", True, "The task is no card; only deliverables were looked at.")


def _evidence(one: Judgement, workspace: Workspace) -> Evidence:
    where = next((path for path in (one.name, RESULTS) if workspace.files.exists(path)), "")
    return Evidence(
        flag=FLAGS[one.fault],
        statement=f"{one.name} {'holds' if one.passed else 'fails'}: {one.message}",
        passed=one.passed,
        where=where,
    )


def _silent(made: Sequence[Judgement], workspace: Workspace) -> list[Evidence]:
    """For each flag under which nothing was computed, that this is so."""
    silent = [flag for fault, flag in FLAGS.items() if all(one.fault != fault for one in made)]
    where = RESULTS if workspace.files.exists(RESULTS) else ""
    said = f"None of the {len(made)} computed judgements is about"
    return [
        Evidence(
            flag=flag, statement=f"{said} `{flag}`; nothing speaks against the solution.", passed=True, where=where
        )
        for flag in silent
    ]


def _plan(failed: Sequence[Judgement]) -> str:
    steps = dict.fromkeys(f"{one.name}: {one.mend or 'Look into it.'} ({one.message})" for one in failed)
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def evaluating(workspace: Workspace) -> AgentCall[EvaluateIn, Evaluation]:
    """The role bound to a solution: what an evaluator of words says is held to what its check computes."""

    def check(given: EvaluateIn, answer: Evaluation) -> list[str]:
        if found := check_evaluation(given, answer, workspace):
            return found
        if read_card(given.task) is not None:  # a card is judged by computation alone
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


EVALUATE = AgentCall(
    "tool_forging.evaluate_solution",
    "tool_forging/evaluate_solution.md",
    EvaluateIn,
    Evaluation,
    without_words,
    tier="reasoning",
)
