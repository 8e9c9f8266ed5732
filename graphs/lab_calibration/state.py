"""State of a calibration: small, JSON-plain, the same after a restart.

Arrays, figures and full reports lie in the run's folder; the state holds action keys that lead to them.
"""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.self_check import SelfCheckState

Phase = Literal[
    # the next node
    "extract", "rules", "translate", "select", "check", "measure", "inspect", "decide", "ask", "report",
    "survey", "chip",
    # the supervisor settles these first
    "stage", "recheck", "untranslated", "ended",
]  # fmt: skip
Status = Literal["running", "complete", "failed", "refused", "stopped"]
FIRST_N_K, STEP_N_K, LAST_N_K = 3, 2, 9  # Algorithm 1: 3, 5, 7 and 9 translation agents
MAX_DEPTH = 6  # procedures within procedures
PROCEDURE_RETRIES = 2  # runs of a stage that is itself a procedure
MAX_STEPS = 200  # stage runs of one request, whatever the rules say


class Stage(TypedDict):
    """One state of the agent-based state machine."""

    label: str
    instruction: str
    rule: str
    numbers: dict[str, float]  # what the instruction states, and what a decision changed
    call: dict[str, Any] | None  # {"experiment", "arguments"} once translated
    executed: int
    failed: int
    succeeded: int
    stepped_back: int


class Frame(TypedDict):
    """One procedure under way; a stage that is a procedure puts another frame on top."""

    title: str
    slug: str  # of the procedure; "" for the request itself
    text: str  # the steps, with the qubit put in
    background: str
    wanted: str  # the Results section
    stages: list[Stage]
    at: int  # index of the current stage
    variables: dict[str, Any]  # the procedure's parameters, such as dut


class HistoryEntry(TypedDict):
    """One run of one stage."""

    path: str
    stage: str
    instruction: str
    experiment: str
    attempt: int
    verdict: str
    diagnosis: str
    next: str
    action: str  # key of its folder in actions/; "" for a procedure


class CalibrationInput(TypedDict, total=False):
    """What starts a calibration. Only `request` is needed; the rest is made where it is missing."""

    request: str  # one sentence, or a Markdown procedure
    choices: dict[str, Any]  # see choices.Choices
    run_dir: str  # an existing run's folder
    branch: str


class CalibrationState(CalibrationInput, SelfCheckState, total=False):
    """What the nodes read and write. The keys of `SelfCheckState` are shared with the subgraph."""

    phase: Phase
    scope: dict[str, Any]  # what the survey found: chip, maintain or steps
    frames: list[Frame]
    n_k: int
    candidates: list[dict[str, Any]]
    approved: str  # the call that a person approved, or the question that the next measurement was approved by
    report: dict[str, Any]  # verdict of the current stage's run
    action: str  # key of the current stage's action
    device_at: dict[str, Any]  # clock and settings version when the last stage run was decided; a fork starts here
    figures: list[str]
    question: dict[str, Any] | None
    answers: dict[str, Any]  # question id -> answer
    measured: dict[str, dict[str, Any]]  # variable table: qubit -> name -> value, injected by experiments
    assumptions: Annotated[list[str], operator.add]
    history: Annotated[list[HistoryEntry], operator.add]
    results: dict[str, dict[str, dict[str, Any]]]  # qubit -> name -> {value, error, unit}
    status: Status
    cause: str
