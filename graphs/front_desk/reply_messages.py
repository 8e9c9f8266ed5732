"""What the desk says in a turn."""

from __future__ import annotations

from typing import Any

from labwright.graphs.front_desk.state import DeskState, Reply, ReplyKind

Update = dict[str, Any]


def reply(
    text: str, kind: ReplyKind = "said", run_id: str = "", status: str = "", figures: list[str] | None = None
) -> Reply:
    """One thing to say."""
    return Reply(kind=kind, text=text, run_id=run_id, status=status, figures=figures or [])


def said(state: DeskState, text: str) -> Update:
    """Say `text`, and the turn is over but for the questions of runs."""
    return {"replies": [*state["replies"], reply(text)], "phase": "attend"}
