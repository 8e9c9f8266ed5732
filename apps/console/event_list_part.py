"""The part of a run whose system has none of its own: what happened, the newest first."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import ui

from labwright.apps.terminal_output import legible
from labwright.tools.runs import Run

MOST = 40  # rows
_WORDS = ("instruction", "call", "verdict", "name", "tool", "diagnosis", "reason", "title")


class PlainPart:
    """A table of the newest events."""

    def draw(self, run: Run) -> None:
        """Make the table."""
        self._rows: list[dict[str, Any]] = []
        self._shown = ui.html("", sanitize=False).classes("lw-scroll")  # made below, from escaped text alone

    def update(self, run: Run, events: list[dict[str, Any]]) -> None:
        """Add `events`."""
        self._rows = [*self._rows, *events][-MOST:]
        rows = "".join(_row(event) for event in reversed(self._rows))
        head = "<tr><th>time</th><th>what</th><th>more</th></tr>"
        self._shown.content = (
            f'<table class="lw-table"><caption>What happened, the newest first</caption>{head}{rows}</table>'
        )


def _row(event: dict[str, Any]) -> str:
    words = next((str(event[name]) for name in _WORDS if event.get(name)), "")
    what = str(event.get("agent") or event.get("kind", "")).replace("_", " ")
    cells = (str(event.get("time", ""))[11:19], what, words[:200])
    return "<tr>" + "".join(f"<td>{escape(legible(cell))}</td>" for cell in cells) + "</tr>"
