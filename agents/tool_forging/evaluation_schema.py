"""What an evaluation is, and what follows from it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.tool_forging.solution import Executed, Flag
from labwright.agents.workspace_task import InWorkspace

# The value of each flag that asks for more work.
ALARMING: dict[Flag, bool] = {
    "bug_need_fix": True,
    "script_complete": False,
    "further_simulation_needed": True,
    "result_complete": False,
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
