"""The node that understands a message, and what follows from what was understood."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from langchain_core.messages import HumanMessage

from labwright.agents.call import Question as AgentQuestion
from labwright.agents.call import Refusal
from labwright.agents.errors import AgentError
from labwright.agents.front_desk.given import KnownRun, RouteIn, Said, Settled
from labwright.agents.front_desk.route_request import ROUTE
from labwright.agents.front_desk.wishes import NoteWish, Routed, RunsWish, Talk
from labwright.graphs.front_desk import asking
from labwright.graphs.front_desk.desk import desk
from labwright.graphs.front_desk.saying import said
from labwright.graphs.front_desk.state import MOST_BACK, MOST_TALK, DeskState, Phase

Update = dict[str, Any]


def route(state: DeskState) -> Update:
    """One typed call: a wish, a question to the person, or a reply."""
    try:
        answer = desk(state).ask(ROUTE, _given(state))
    except AgentError as fault:  # the person is there and can choose another mind, a larger budget, or other words
        return said(state, f"I could not make sense of that. {fault}")
    if isinstance(answer, AgentQuestion):
        if len(state["settled"]) >= MOST_BACK:
            return said(state, "I do not understand it after several questions. Please say it anew, in other words.")
        return asking.clarify(state, answer)
    if isinstance(answer, Refusal):
        return said(state, answer.reason)
    return {"wish": answer.wish.model_dump(mode="json"), **_next(state, answer)}


def _next(state: DeskState, answer: Routed) -> Update:
    wish = answer.wish
    if isinstance(wish, Talk):
        return said(state, wish.text)
    phase: Phase = "tell" if isinstance(wish, RunsWish) else "remember" if isinstance(wish, NoteWish) else "prepare"
    return {"phase": phase}


def _given(state: DeskState) -> RouteIn:
    return RouteIn(
        message=state["message"],
        settled=[Settled.model_validate(one) for one in state["settled"]],
        talk=_talk(state),
        runs=[KnownRun.model_validate(one) for one in state["known"]],
        remembered=state["remembered"],
        today=datetime.now().astimezone().date().isoformat(),
    )


def _talk(state: DeskState) -> list[Said]:
    """The conversation before this message."""
    before = state.get("messages", [])[:-1][-MOST_TALK:]
    return [
        Said(by="person" if isinstance(message, HumanMessage) else "desk", text=str(message.text)[:1000])
        for message in before
    ]
