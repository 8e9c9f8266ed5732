"""The supervisor: after the work of a turn, news and open questions of runs; then the reply."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from labwright.graphs.front_desk import asking, telling
from labwright.graphs.front_desk.desk import desk
from labwright.graphs.front_desk.state import DeskState, Reply

Update = dict[str, Any]


def supervise(state: DeskState, runtime: Runtime[Any]) -> Update:
    """Settle what needs no agent; `phase` names the next node."""
    if state.get("question"):
        return {"phase": "ask"}
    if state["phase"] != "relay":
        return {}
    news = telling.look(state, runtime)
    waiting = asking.relay(state, desk(state))
    if waiting is None:
        return {**news, "question": None, "phase": "reply"}
    return {**news, **_talked(state, news["replies"]), "question": waiting, "phase": "ask"}


def answer(state: DeskState) -> Update:
    """The turn's replies become a message of the conversation."""
    return {**_talked(state, state["replies"]), "phase": "rest"}


def _talked(state: DeskState, replies: list[Reply]) -> Update:
    """What was not yet said as a message."""
    lines = [one["text"] + "".join(f"\n{path}" for path in one["figures"]) for one in replies[state["written"] :]]
    return {"messages": [AIMessage("\n".join(lines))] if lines else [], "written": len(replies)}
