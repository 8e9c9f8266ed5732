"""A graph without checkpoints in one that writes each of them: what breaks in LangGraph, and what we do about it."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph._internal import _constants
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from labwright.agents.tool_loop import INHERITED, unwaiting


class State(TypedDict):
    count: int


def nested(configurable: dict[str, Any]) -> int:
    """The count of a graph whose node runs another one that keeps no checkpoint."""
    inner: Any = StateGraph(State)
    inner.add_node("add", lambda state: {"count": state["count"] + 1})
    inner.add_edge(START, "add").add_edge("add", END)
    alone = inner.compile(checkpointer=False)

    def work(state: State) -> State:
        return {"count": alone.invoke(state, {"configurable": configurable})["count"]}

    outer: Any = StateGraph(State)
    outer.add_node("work", work)
    outer.add_edge(START, "work").add_edge("work", END)
    graph = outer.compile(checkpointer=InMemorySaver())
    list(graph.stream({"count": 1}, {"configurable": {"thread_id": "1"}}, durability="sync"))
    return int(graph.get_state({"configurable": {"thread_id": "1"}}).values["count"])


def test_a_graph_without_checkpoints_waits_for_none() -> None:
    assert nested(unwaiting()) == 2


def test_the_private_name_is_still_langgraphs() -> None:
    message = "LangGraph renamed the key: put its new name into agents/tool_loop.py, or delete `unwaiting`"
    assert getattr(_constants, "CONFIG_KEY_DURABILITY", "") == INHERITED, message


def test_it_is_still_needed() -> None:
    """Fails once LangGraph has fixed it: then delete `unwaiting` in agents/tool_loop.py and this file."""
    with pytest.raises(AttributeError, match="_put_checkpoint_fut"):
        nested({})
