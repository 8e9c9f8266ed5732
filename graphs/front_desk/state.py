"""State of a conversation: small, JSON-plain but for the messages, the same after a restart."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

Phase = Literal["recall", "route", "prepare", "start", "tell", "remember", "ask", "relay", "reply", "rest"]
ReplyKind = Literal["said", "started", "ended", "told", "waits"]
MOST_BACK = 4  # questions of the desk about one message
MOST_TALK = 12  # messages that an agent is shown


class Reply(TypedDict):
    """One thing the desk says.

    `figures` are paths; `run_id` and `status` belong to a run that was started, that ended, or that waits.
    """

    kind: ReplyKind
    text: str
    run_id: str
    status: str
    figures: list[str]


class Open(TypedDict):
    """A question that waits: the desk's own, or a run's (then `run_id` and `asked`, the run's own id of it)."""

    form: dict[str, Any]
    run_id: str
    asked: str


class DeskInput(TypedDict, total=False):
    """What starts a turn. Without a new message the desk looks after the runs of the conversation."""

    messages: Annotated[list[AnyMessage], add_messages]
    choices: dict[str, Any]  # see terms.Terms
    run_dir: str  # the conversation's folder


class DeskState(DeskInput, total=False):
    """What the nodes read and write."""

    phase: Phase
    turn: int
    heard: str  # id of the last message that was taken up
    message: str  # the person's words of this turn; empty if they only look
    settled: list[dict[str, str]]  # the desk's questions about them, with the answers
    remembered: list[str]
    known: list[dict[str, Any]]  # runs that the words may refer to
    wish: dict[str, Any] | None
    order: dict[str, Any] | None  # a request for one of the systems, ready to start
    runs: list[str]  # of this conversation, in order
    told: dict[str, int]  # run -> number of the event up to which its end was told
    later: list[str]  # runs whose questions the person put off in this turn
    question: Open | None
    replies: list[Reply]  # of this turn
    written: int  # how many of them are a message already
