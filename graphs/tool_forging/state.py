"""State of a forging run: small, JSON-plain, the same after a restart. Files lie in the workspace."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.understand import UnderstandState

Phase = Literal[
    # the next node
    "understand", "optimise", "analyse", "make_tools", "admit", "execute", "evaluate", "ask", "report",
    # the supervisor settles these first
    "analysed", "next_tool", "executed", "evaluated",
]  # fmt: skip
Status = Literal["running", "complete", "failed", "refused", "stopped"]
MAX_QUESTIONS = 10  # of one run; a task that never settles ends here
MAX_REJECTIONS = 2  # plans whose tools could not be made


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What nodes that run side by side leave under keys of their own."""
    return {**one, **other}


class Work(TypedDict):
    """The tool that is being made or mended."""

    number: int  # counts all tools of the run, edits included
    name: str
    contract: dict[str, Any]
    edit: bool  # the executor changed a tool of the toolset; it has to pass the gate again


class ForgeInput(TypedDict, total=False):
    """What starts a run. Only `request` is needed; the rest is made where it is missing."""

    request: str  # the task: the text of question.md
    choices: dict[str, Any]  # see choices.Choices
    run_dir: str  # an existing run's folder; files of the task lie in its workspace/inputs
    branch: str


class ForgeState(ForgeInput, UnderstandState, total=False):
    """What the nodes read and write. The keys of `UnderstandState` are shared with the subgraph."""

    phase: Phase
    carded: bool  # a card that was read from words is being computed
    demands: list[str]  # of the words, which the card leaves out
    computed: list[dict[str, Any]]  # evidence of the card's evaluation, once what it left out is forged
    toolset: str  # folder of the toolset
    iteration: int  # solutions tried, from 1
    plan: str  # what the last evaluation wants done
    analysis: dict[str, Any] | None
    rejected: list[str]  # why tools of the last plan are not there; the analyser's alone
    rejections: int  # plans of this run that it happened to
    queue: list[Work]  # tools still to be made or mended
    work: Work | None
    made_tools: Annotated[dict[str, Any], merged]  # number of the work -> what came of it
    after: Literal["execute", "evaluate"]  # where the run goes when the queue is empty
    made: int  # tools begun so far
    forged: list[str]  # admitted in this run
    edited: list[str]  # changed while executing, and admitted again
    refused_tools: list[dict[str, Any]]  # {name, findings}
    executed: dict[str, Any] | None
    evaluation: dict[str, Any] | None
    evaluations: list[dict[str, Any]]
    seen: str  # digest of results and scripts at the last evaluation
    unchanged: bool  # nothing differs from the evaluation before
    approved: list[str]  # ids of approvals that were given
    question: dict[str, Any] | None
    answers: dict[str, Any]  # question id -> answer
    assumptions: Annotated[list[str], operator.add]
    seconds: dict[str, float]  # what was spent: tools, execution, all else
    status: Status
    cause: str
