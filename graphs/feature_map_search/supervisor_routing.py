"""The supervisor: between two trials it looks whether the search goes on, ends, or waits for the person."""

from __future__ import annotations

from typing import Any

from labwright.graphs.feature_map_search import asking
from labwright.graphs.feature_map_search.idea_routing import end
from labwright.graphs.feature_map_search.run_context import workbench
from labwright.graphs.feature_map_search.state import SearchState
from labwright.graphs.feature_map_search.trial_records import evaluations
from labwright.tools.runs.pause_request import clear_pause, pause_requested

Update = dict[str, Any]


def supervise(state: SearchState) -> Update:
    """Settle what needs no agent; `phase` names the next node."""
    if state.get("question"):
        return {"phase": "ask"}
    if state["phase"] != "next":
        return {}
    bench = workbench(state)
    if pause_requested(bench.run):
        clear_pause(bench.run)
        return asking.boundary(state)
    if why := _over(state):
        return end(state, why)
    bench.meter.check()  # tokens, money and time; a spent budget stops the run here, whole and resumable
    trial = state["trial"] + 1
    bench.emit({"kind": "trial_started", "trial": trial, "of": bench.choices.trials}, once=f"trial {trial}")
    return {"trial": trial, "phase": "propose"}


def _over(state: SearchState) -> str:
    """Why no other trial is made; empty if one is."""
    bench, review = workbench(state), state["review"]
    chosen = bench.choices
    if review is not None and review["completed"]:
        return f"The review sees nothing left to gain: {review['reason']}"
    if state["trial"] >= chosen.trials:
        return f"All {chosen.trials} trials are done."
    if evaluations(bench, state.get("tried", [])) >= chosen.budget_of_evaluations:
        return f"All {chosen.budget_of_evaluations} evaluations are spent."
    return ""
