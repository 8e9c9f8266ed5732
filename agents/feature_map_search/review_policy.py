"""The rules mind's review of a trial."""

from __future__ import annotations

from labwright.agents.feature_map_search.ideas import Direction, Review, Task, Tried


def reviewed(
    task: Task,
    trial: int,
    last: list[Tried],
    direction: Direction,
    best: Tried | None,
    past: list[Tried],
    max_suggestions: int,
    hardware: str,
) -> Review:
    """Ranking by validation accuracy; maps without one stand last."""
    ranked = sorted(last, key=lambda tried: (-(tried.validation_accuracy or -1.0), tried.name))
    shown = " > ".join(
        f"{tried.name} ({tried.outcome})"
        if tried.validation_accuracy is None
        else f"{tried.name} ({tried.validation_accuracy:.4f})"
        for tried in ranked
    )
    perfect = best is not None and best.validation_accuracy == 1.0
    reason = f"The best accuracy moved: {direction}."
    return Review(ranking=shown, keep=[], suggestions=[], completed=perfect, reason=reason)
