"""One event of a run in a few words, for faces that have a line and no table."""

from __future__ import annotations

from typing import Any


def progress_line(event: dict[str, Any]) -> str:
    """What an event says in a few words; empty if it is not worth telling."""
    kind = event.get("kind")
    if kind == "stage_started":
        return str(event.get("instruction", ""))
    if kind == "inspected":
        return f"{event.get('verdict', '')} {event.get('diagnosis', '')}".strip()
    if kind == "tried":
        far = "; {spent} of {budget} evaluations are done".format_map(event) if "spent" in event else ""
        of = f" of {event['of']}" if "of" in event else ""
        return f"trial {event.get('trial')}{of}: {event.get('name')} {event.get('outcome')}{far}"
    if kind in ("admitted", "tool_refused", "tool_begun"):
        return f"{str(kind).replace('_', ' ')}: {event.get('tool', '')}".strip(": ")
    plain = kind in ("run_started", "analysed", "executed", "evaluated", "written")
    return str(kind).replace("_", " ") if plain else ""
