"""State of a calibration: small, JSON-plain, the same after a restart.

Arrays, figures and full reports lie in the run's folder; the state holds action keys that lead to them. The plan lies
there, too, as `spec.yaml`; the state holds where the run stands in it.
"""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.check_and_revise import SelfCheckState
from labwright.graphs.understand.state import UnderstandState

Phase = Literal[
    # the next node
    "understand", "begin", "check", "measure", "inspect", "diagnose", "decide", "ask", "report", "chip",
    # the supervisor settles these first
    "stage", "recheck", "unusable", "ended",
]  # fmt: skip
Status = Literal["running", "complete", "failed", "refused", "stopped"]
PROCEDURE_RUNS = 2  # of a stage that is itself a procedure
MAX_STEPS = 200  # stage runs of one request, whatever the transitions say


class Stage(TypedDict):
    """One state of the state machine: a step of the plan, and how often it ran."""

    label: str
    instruction: str  # the step as a line of the short form
    step: dict[str, Any]  # a plain `Step`, its placeholders filled
    call: dict[str, Any] | None  # {"experiment", "arguments"} as it ran last, or as a person wants it
    changed: dict[str, Any]  # arguments that a decision or a person has replaced
    executed: int  # runs in all, while the procedure is under way
    failed: int
    succeeded: int
    fresh: int  # runs since the stage was reached; the limit of repetitions is for these
    stepped_back: int


class Frame(TypedDict):
    """One procedure under way; a stage that is a procedure puts another frame on top."""

    title: str
    slug: str  # of the procedure; "" for the request itself
    wanted: str  # what the report has to answer
    stages: list[Stage]
    at: int  # index of the current stage
    qubits: dict[str, str]  # placeholder -> qubit
    failed: list[str]  # what failed without ending the procedure, and why


class HistoryEntry(TypedDict):
    """One run of one stage."""

    path: str
    stage: str
    instruction: str
    experiment: str
    arguments: dict[str, Any]
    attempt: int
    verdict: str
    cause: str
    diagnosis: str
    next: str
    estimates: dict[str, Any]  # of this run alone, accepted or not: name -> {value, error, unit}
    found: str  # what the analysis says, with its numbers
    action: str  # key of its folder in actions/; "" for a procedure


class CalibrationInput(TypedDict, total=False):
    """What starts a calibration: words or a written plan. The rest is made where it is missing."""

    request: str  # words, a line of the short form, a procedure document, or a plan in YAML
    plan: dict[str, Any]  # a `CalibrationPlan` as plain data, instead of words
    choices: dict[str, Any]  # see choices.Choices
    run_dir: str  # an existing run's folder
    branch: str


class CalibrationState(CalibrationInput, SelfCheckState, UnderstandState, total=False):
    """What the nodes read and write. The keys of the two shared subgraphs are shared with them."""

    phase: Phase
    frames: list[Frame]
    approved: str  # the call that a person approved, or the question that the next measurement was approved by
    report: dict[str, Any]  # verdict of the current stage's run
    action: str  # key of the current stage's action
    device_at: dict[str, Any]  # clock and settings version when the last stage run was decided; a fork starts here
    figures: list[str]
    question: dict[str, Any] | None
    answers: dict[str, Any]  # question id -> answer
    skipped: list[str]  # paths of the stages that a person skipped: they are not done, whatever leads to them again
    measured: dict[str, dict[str, Any]]  # variable table: qubit -> name -> value, injected by experiments
    assumptions: Annotated[list[str], operator.add]
    history: Annotated[list[HistoryEntry], operator.add]
    results: dict[str, dict[str, dict[str, Any]]]  # qubit -> name -> {value, error, unit}
    diagnoses: dict[str, dict[str, Any]]  # qubit -> what its diagnosis came to; see diagnosing
    status: Status
    cause: str
