"""What was tried, in files: written once, read back by hash, kept in memory by whoever asks often."""

from __future__ import annotations

from typing import Any

from labwright.agents.feature_map_search.ideas import Score, ScoreOf, Tried
from labwright.graphs.feature_map_search.state import Row, SearchState
from labwright.graphs.feature_map_search.turns import next_idea
from labwright.graphs.feature_map_search.workbench import Workbench, workbench
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.runs.files import ArtifactRef, read_json

Update = dict[str, Any]


def recorded(state: SearchState, tried: Tried, record: dict[str, Any], *, cost: int = 0) -> Update:
    """Write the file of the idea under way, log it, and go on with the next idea or to the review.

    Args:
        state: with the idea in `work`.
        tried: what came of it.
        record: everything else that is known: code, circuit, findings, assessment.
        cost: evaluations that it took.
    """
    bench, work = workbench(state), state["work"]
    assert work is not None
    content = {
        "tried": tried.model_dump(mode="json"),
        "idea": work["idea"],
        "papers": [paper["source"] for paper in work["papers"]],
        "findings": state.get("check_log", []),
        **record,
    }
    place = f"{tried.trial}-{work['n']}"
    ref = bench.run.save_json(f"data/candidates/{place}.json", content)
    row = Row(
        trial=tried.trial,
        n=work["n"],
        name=tried.name,
        outcome=tried.outcome,
        selection=tried.selection,
        validation=tried.validation_accuracy,
        cost=cost,
        file=ref.path,
        sha256=ref.sha256,
    )
    bench.emit({"kind": "tried", **row, "reason": tried.reason, "seconds": tried.seconds}, once=f"tried {place}")
    return {"tried": [row], **next_idea(state)}


def untried(state: SearchState, outcome: str, reason: str) -> Tried:
    """The record of the idea under way if it is not evaluated; `reason` says why."""
    work = state["work"]
    assert work is not None
    idea = work["idea"]
    return Tried.model_validate(
        {
            **dict.fromkeys(_NUMBERS),
            "trial": state["trial"],
            "name": idea["name"],
            "summary": idea["summary"],
            "recipe": idea["recipe"],
            "score": work["score"],
            "outcome": outcome,
            "reason": reason,
            "seconds": 0.0,
            "gates": 0,
            "two_qubit_gates": 0,
            "depth": 0,
        }
    )


_NUMBERS = (
    "selection", "validation_accuracy", "cross_validation", "precision", "recall", "f1", "alignment", "concentration",
)  # fmt: skip


def candidate(bench: Workbench, row: Row) -> dict[str, Any]:
    """The file of a row, after checking its hash.

    Raises:
        CorruptRecordError: it is gone or was changed.
    """
    known: dict[str, dict[str, Any]] = bench.__dict__.setdefault("_candidates", {})
    if row["sha256"] not in known:
        path = bench.run.verify(ArtifactRef(row["file"], "json", row["sha256"]))
        known[row["sha256"]] = read_json(path, "Fork the run from the trial before it.")
    return known[row["sha256"]]


def history(bench: Workbench, rows: list[Row]) -> list[Tried]:
    """What was tried, for the agents."""
    return [Tried.model_validate(candidate(bench, row)["tried"]) for row in rows]


def scores(bench: Workbench, rows: list[Row], trial: int) -> list[Score]:
    """How the ideas of one trial were scored."""
    return [one.score for one in named_scores(bench, rows, trial)]


def named_scores(bench: Workbench, rows: list[Row], trial: int) -> list[ScoreOf]:
    """How the ideas of one trial were scored, with their names."""
    tried = history(bench, [row for row in rows if row["trial"] == trial])
    return [ScoreOf(name=one.name, score=one.score) for one in tried if one.score]


def best(rows: list[Row]) -> Row | None:
    """The row with the highest selection score, the earliest among equals; None if nothing was evaluated."""
    evaluated = [row for row in rows if row["selection"] is not None]
    return max(evaluated, key=lambda row: row["selection"] or 0.0) if evaluated else None


def same_circuit(bench: Workbench, rows: list[Row], digest: str) -> Row | None:
    """An evaluated row whose circuit is the one that `digest` names."""
    evaluated = [row for row in rows if row["outcome"] == "evaluated"]
    return next((row for row in evaluated if candidate(bench, row)["digest"] == digest), None)


def circuit_of(record: dict[str, Any]) -> Circuit:
    """The circuit that a candidate's file holds."""
    return Circuit.from_json(record["circuit"])


def evaluations(bench: Workbench, rows: list[Row]) -> int:
    """How many evaluations were spent: on the preparation, on new maps, and on their constants."""
    from labwright.tools.feature_maps.choosing import COST

    return sum(row["cost"] for row in rows) + (COST if bench.choices.preparation == "auto" else 0)
