"""State of a design: small, JSON-plain, the same after a restart. Protocols are computed anew."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.check_and_revise import SelfCheckState
from labwright.graphs.understand import UnderstandState

Phase = Literal["understand", "plan", "check", "approve", "sign", "write", "report"]  # the next node
Status = Literal["running", "complete", "failed", "refused", "stopped"]


class DesignInput(TypedDict, total=False):
    """What starts a design. Only `request` is needed; the rest is made where it is missing."""

    request: str  # a description in words, a specification in YAML, or a table with one row a vial
    choices: dict[str, Any]  # see choices.Choices
    run_dir: str  # an existing run's folder
    branch: str


class DesignState(DesignInput, SelfCheckState, UnderstandState, total=False):
    """What the nodes read and write. The keys of the two subgraphs' states are shared with them."""

    phase: Phase
    design: dict[str, Any] | None  # the ExperimentDesign of the specification that is planned
    facts: dict[str, Any]  # numbers of vials, plates, steps and minutes
    tags: dict[str, list[str]]  # number of an Add step -> how a person wants it dispensed
    warnings: list[str]
    proposed: dict[str, Any]  # the specification that was shown for approval last
    proposed_words: str  # what it answers to: the words of a correction that came to nothing are dropped
    approvals: int  # times that approval was asked for
    unsigned: list[str]  # findings that a named person has yet to accept
    signings: int  # times that a named person was asked for
    refused: str  # why the last correction was not taken
    written: dict[str, Any]  # the `result` part of the result document
    status: Status
    cause: str
