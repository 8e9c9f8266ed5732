"""A graph that keeps no checkpoints, run within one that keeps them: the only place with a private name of LangGraph.

A node's graph inherits the durability of the graph around it. Compiled with ``checkpointer=False`` and run under
``durability="sync"`` it waits for a checkpoint that nobody writes, and breaks. The public ``durability="async"`` of
``invoke`` helps, but warns each time that it has no effect. So the inherited value is replaced where it is read.
`tests/agents/test_uncheckpointed.py` says when LangGraph has mended this.
"""

from __future__ import annotations

from typing import Any

INHERITED = "__pregel_durability"  # langgraph 1.2: langgraph._internal._constants.CONFIG_KEY_DURABILITY


def unwaiting() -> dict[str, Any]:
    """The ``configurable`` part of a config with which a graph without checkpoints waits for none."""
    return {INHERITED: "async"}
