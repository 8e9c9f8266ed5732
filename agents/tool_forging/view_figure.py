"""Looking at a figure: what a vision model sees in it, or what its plotted data say."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field

from labwright.agents.typed_call import AgentCall, Refusal

DEEPEST, MOST_FIELDS = 3, 12  # of the data that are told


class ViewIn(BaseModel):
    """A figure and what somebody wants to know of it. The figure itself travels with the call."""

    figure: str = Field(description="Path of the figure.")
    question: str = Field(description="What to look for.")
    data: str = Field(description="JSON of what is plotted, where it lies beside the figure; empty if none does.")


class Seen(BaseModel):
    """What there is to see."""

    seen: str = Field(description="The answer to the question, from what the figure shows.")
    faults: list[str] = Field(
        description="What is wrong with the figure as such: empty, cut off, unlabelled, unreadable."
    )


def view_by_rules(given: ViewIn) -> Seen | Refusal:
    """Nobody looks, and it says why; the data beside the figure are told, whatever their form."""
    why = f"Nobody can look at {given.figure}: no vision model is set"
    try:
        data = json.loads(given.data)
    except ValueError:
        beside = "the JSON beside it does not read or is too long" if given.data else "no plotted data lie beside it"
        return Refusal(reason=f"{why}, and {beside}.")
    told = _panels(data) or _described(data)
    return Seen(seen=f"{why}. The data beside it hold {told}.", faults=[])


def _panels(data: Any) -> str:
    """Panels with their series, as our plot tools write them; empty for another form."""
    panels = data.get("panels") if isinstance(data, dict) else None
    told = []
    for panel in panels if isinstance(panels, list) else []:
        series = panel.get("series") if isinstance(panel, dict) else None
        if not isinstance(series, list) or not all(isinstance(one, dict) for one in series):
            return ""
        names = [f"{one.get('label')} ({_described(one.get('y'))})" for one in series]
        told.append(f"{panel.get('title') or data.get('title')}: {', '.join(names) or data.get('kind')}")
    return "; ".join(told)


def _described(value: Any, depth: int = 0) -> str:
    """A JSON value in short: what objects hold, and the range of lists of numbers."""
    if isinstance(value, dict):
        if depth >= DEEPEST:
            return f"{len(value)} fields"
        inside = (f"{key} ({_described(item, depth + 1)})" for key, item in list(value.items())[:MOST_FIELDS])
        return ", ".join(inside) or "nothing"
    if not isinstance(value, list):
        return str(value)[:80]
    numbers = [one for one in value if isinstance(one, int | float)]
    if numbers:
        return f"{min(numbers):.4g} to {max(numbers):.4g}, {len(numbers)} points"
    first = f", the first: {_described(value[0], depth + 1)}" if value and depth < DEEPEST else ""
    return f"{len(value)} items{first}" if value else "no points"


VIEW = AgentCall(
    "tool_forging.view_figure",
    "tool_forging/view_figure.md",
    ViewIn,
    Seen,
    view_by_rules,
    tier="vision",
)
