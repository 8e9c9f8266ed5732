"""Where a search goes next: to the next idea, to the review, or to its end."""

from __future__ import annotations

from typing import Any

from labwright.graphs.feature_map_search.run_context import workbench
from labwright.graphs.feature_map_search.state import SearchState, Work

Update = dict[str, Any]


def next_idea(state: SearchState) -> Update:
    """The next idea of the trial, or the review if there is none. What the self-check left is cleared away."""
    clean: Update = {"artifact": {}, "check_context": {}, "findings": [], "check_log": [], "check_round": 0}
    queue = state["queue"]
    if not queue:
        return {**clean, "work": None, "phase": "review"}
    done = state["work"]["n"] if state.get("work") else 0  # type: ignore[index]
    bench = workbench(state)
    work = Work(
        n=done + 1, idea=queue[0], original=queue[0], queries=queue[0]["key_sentences"],
        score=None, papers=[], round=1, reflections=0, last_score=False,
    )  # fmt: skip
    phase = "retrieve" if bench.reads_papers else "consent"  # nothing is scored where nothing is looked up
    return {**clean, "work": work, "queue": queue[1:], "phase": phase}


def end(state: SearchState, why: str) -> Update:
    """Go on to the test part, if there is anything to test."""
    if any(row["selection"] is not None for row in state.get("tried", [])):
        return {"ended": why, "phase": "tune", "after": "reveal"}  # what is left of the budget goes to the best map
    cause = f"No feature map could be evaluated. {why}"
    return {"ended": why, "phase": "report", "status": "failed", "cause": cause}
