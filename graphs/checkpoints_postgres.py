"""Checkpoints in PostgreSQL; needs the extra ``postgres``."""

from __future__ import annotations

from langgraph.checkpoint.postgres import PostgresSaver

from labwright.graphs.kill_points import Crashing


class Saver(Crashing, PostgresSaver):
    """LangGraph's own saver."""
