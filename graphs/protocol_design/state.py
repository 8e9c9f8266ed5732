"""State of a design: small, JSON-plain, the same after a restart. Protocols are computed anew from the design."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.self_check import SelfCheckState

Phase = Literal[
    # the next node
    "understand", "calculate", "arrange", "process", "finalise", "check", "tag", "ask", "write", "report",
    # the supervisor settles these first
    "read", "tagged",
    # steps written by agents: see written.py
    "write_steps", "drafted", "check_steps", "hand_in",
]  # fmt: skip
Status = Literal["running", "complete", "failed", "refused", "stopped"]
MAX_QUESTIONS = 40  # of one dialogue; a reading that never settles ends here


class DesignInput(TypedDict, total=False):
    """What starts a design. Only `request` is needed; the rest is made where it is missing."""

    request: str  # a description in words, or a design in YAML
    choices: dict[str, Any]  # see choices.Choices
    run_dir: str  # an existing run's folder
    branch: str


class DesignState(DesignInput, SelfCheckState, total=False):
    """What the nodes read and write. The keys of `SelfCheckState` are shared with the subgraph."""

    phase: Phase
    reading: dict[str, Any] | None  # what was understood of the words; None if a design was given
    settled: list[dict[str, Any]]  # answers to doubts, in their order
    latest: dict[str, Any] | None  # the answer that the reading does not hold yet
    design: dict[str, Any] | None  # the ExperimentDesign
    facts: dict[str, Any]  # numbers of vials, plates, steps and minutes
    tags: dict[str, list[str]]  # number of an Add step -> how it is dispensed
    warnings: list[str]
    approved: str  # id of the approval of the file
    similar: list[dict[str, Any]]  # earlier experiments and notes that were looked up
    said: list[dict[str, str]]  # the talk of agents that write steps themselves
    turn: str  # the agent whose turn it is; empty for the lead
    path: list[str]  # who had a turn, in order
    draft: str  # written steps in the tagged form; empty if the protocol is planned
    figures: list[str]
    question: dict[str, Any] | None
    answers: dict[str, Any]  # question id -> answer
    assumptions: Annotated[list[str], operator.add]
    written: dict[str, Any]  # the `result` part of the result document
    status: Status
    cause: str
