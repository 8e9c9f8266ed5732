"""State of a search: small, JSON-plain, the same after a restart.

Code, circuits, summaries and scores of what was tried lie in files of the run's folder; the state holds one short row
for each, with the file's hash. Only the idea under way is held whole.
"""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.check_and_revise import SelfCheckState
from labwright.graphs.understand import UnderstandState

Phase = Literal[
    # the next node
    "understand", "propose", "retrieve", "score", "reflect", "consent", "write_code", "check", "evaluate", "tune",
    "review", "reveal", "baselines", "ask", "report",
    # the supervisor settles this first
    "next",
]  # fmt: skip
Status = Literal["running", "complete", "failed", "refused", "stopped"]


class Row(TypedDict):
    """One feature map that was tried. `file` holds the rest."""

    trial: int  # from 1
    n: int  # place in its trial, from 1
    name: str
    outcome: str  # evaluated, illegal, invalid or vetoed
    selection: float | None
    validation: float | None
    cost: int  # evaluations that it took; equal circuits are not evaluated twice
    file: str
    sha256: str


class Work(TypedDict):
    """The idea under way. `idea`, `original`, `score` and `papers` are dumps of the agents' types."""

    n: int
    idea: dict[str, Any]
    original: dict[str, Any]  # before reflection
    score: dict[str, Any] | None
    papers: list[dict[str, Any]]
    queries: list[str]  # to look up next
    round: int  # of scoring, from 1
    reflections: int
    last_score: bool  # the score that is wanted next is the one after reflection


class SearchInput(TypedDict, total=False):
    """What starts a search. Only `request` is needed; the rest is made where it is missing."""

    request: str  # what is wanted, for the record; the choices say what is done
    choices: dict[str, Any]  # see choices.Choices
    run_dir: str  # an existing run's folder
    branch: str


class SearchState(SearchInput, SelfCheckState, UnderstandState, total=False):
    """What the nodes read and write. The keys of `SelfCheckState` and `UnderstandState` are shared with subgraphs."""

    phase: Phase
    trial: int  # under way or last finished, from 1; 0 before the first
    queue: list[dict[str, Any]]  # ideas of this trial that are still to be tried
    after: Phase  # what follows the tuning
    work: Work | None
    tried: Annotated[list[Row], operator.add]
    review: dict[str, Any] | None  # what the last trial taught
    guidance: list[Any]  # a person's ideas for the next proposals: words, or recipes
    ended: str  # why the search is over; empty while it goes on
    test: dict[str, Any]  # scores of the winner on the test part, once it was opened
    compared: list[dict[str, Any]]  # baselines
    question: dict[str, Any] | None
    answers: dict[str, Any]  # question id -> answer
    assumptions: Annotated[list[str], operator.add]
    status: Status
    cause: str
