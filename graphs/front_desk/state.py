"""State of a conversation: small, JSON-plain but for the messages, the same after a restart."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

Phase = Literal["read", "decide", "act", "explain", "attend", "ask", "answer"]
ReplyKind = Literal["said", "started", "ended", "told", "shown", "waits"]
MOST_TALK = 16  # messages that an agent is shown


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
    """A run's question that waits; `asked` is the run's own id of it."""

    form: dict[str, Any]
    run_id: str
    asked: str


class Later(TypedDict):
    """A start, or a question about runs, that waits until runs have ended."""

    action: dict[str, Any]
    waits_for: list[str]
    name: str  # turn and number of the action
    behind: str  # name of the start that it waits for and that is itself not begun yet; empty if there is none
    question: NotRequired[str]  # the person's words, if it is a question


class DeskInput(TypedDict, total=False):
    """What starts a turn. Without a new message the desk looks after the runs of the conversation."""

    messages: Annotated[list[AnyMessage], add_messages]
    choices: dict[str, Any]  # see terms.Terms
    run_dir: str  # the conversation's folder


class DeskState(DeskInput, total=False):
    """What the nodes read and write."""

    phase: Phase  # the next node
    turn: int
    heard: str  # id of the last message that was taken up
    message: str  # the person's words of this turn; empty if they only look
    orders: list[dict[str, Any]]  # what the face has read in the message itself; see orders.Ordered
    actions: list[dict[str, Any]]  # of this turn, in order; see agents.front_desk.actions
    typed: bool  # whether they were typed as a command, a document or the short form
    done: int  # how many of them are done
    begun: list[str]  # runs that this turn has started
    asked_about: list[str]  # runs of the question that is to be explained
    asked: str  # that question, where it waited for its runs; empty: the message
    later: list[Later]  # starts and questions that wait for runs
    stricter: dict[str, str]  # terms that the person tightened in words, and what they stood at then
    runs: list[str]  # of this conversation, in order
    told: dict[str, int]  # run -> number of the event up to which its end was told
    answered: list[str]  # runs that were answered in this turn; their next question comes with a later look
    put_off: list[str]  # runs whose question the person does not want to see until they resume it
    question: Open | None
    seen: list[str]  # ids of the questions that the person had before them when they wrote the message
    named: list[str]  # ids of questions that were shown while another one was open
    turned_to: str  # the run whose question comes first, as the person spoke of it; empty: the oldest
    replies: list[Reply]  # of this turn
    written: int  # how many of them are a message already
