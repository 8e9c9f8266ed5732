"""What was tried, in files: written once, read back by hash, kept in memory by whoever asks often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labwright.agents.feature_map_search.ideas import Score, Tried
from labwright.graphs.feature_map_search.idea_routing import next_idea
from labwright.graphs.feature_map_search.run_context import Workbench, workbench
from labwright.graphs.feature_map_search.state import Row, SearchState
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.runs.hashed_files import ArtifactRef, read_json

if TYPE_CHECKING:
    from labwright.tools.feature_maps.compile import CompiledMap

Update = dict[str, Any]
DIGITS = 4  # one sample in 10,000 still shows; the last bits of another machine do not


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
        "idea": work["idea"],
        "papers": [paper["source"] for paper in work["papers"]],
        "findings": state.get("check_log", []),
        **record,
    }
    place, before = f"{tried.trial}-{work['n']}", state.get("tried", [])
    row = kept(bench, tried, work["n"], place, content, before, cost=cost)
    return {"tried": [row], **next_idea(state)}


def kept(
    bench: Workbench, tried: Tried, n: int, place: str, content: dict[str, Any], before: list[Row], *, cost: int
) -> Row:
    """The row of what was tried, after writing its file and logging it.

    Args:
        bench: of the run.
        tried: what came of it.
        n: its place in the trial.
        place: name of the file.
        content: of the file; `tried` is put in.
        before: the rows so far.
        cost: evaluations that it took.
    """
    content = {**content, "tried": tried.model_dump(mode="json")}
    ref = bench.run.save_json(f"data/candidates/{place}.json", content)
    row = Row(
        trial=tried.trial, n=n, name=tried.name, outcome=tried.outcome, selection=tried.selection,
        validation=tried.validation_accuracy, cost=cost, file=ref.path, sha256=ref.sha256,
    )  # fmt: skip
    budget, spent = bench.choices.budget_of_evaluations, evaluations(bench, [*before, row])
    far = {"of": bench.choices.trials, "spent": spent, "budget": budget, "seconds": tried.seconds}
    bench.emit({"kind": "tried", **row, "reason": tried.reason, **far}, once=f"tried {place}")
    return row


def facts_of(compiled: CompiledMap) -> dict[str, Any]:
    """What is kept of a compiled map: whether it is classical in truth, its depth, and how it was made."""
    from labwright.tools.feature_maps.classicality_check import commutes, depends_on_differences
    from labwright.tools.feature_maps.geometry import two_qubit_depth

    return {
        "shift_invariant": depends_on_differences(compiled.circuit),
        "commuting": commutes(compiled.circuit),
        "two_qubit_depth": two_qubit_depth(compiled.circuit),
        "circuit": compiled.circuit.to_json(),
        "hyperparameters": compiled.hyperparameters,
        "stripped": compiled.stripped,
        "works_at": list(compiled.works_at),
        "notes": list(compiled.notes),
    }


def numbers_of(circuit: Circuit, measured: dict[str, Any]) -> dict[str, Any]:
    """What an assessment says of a map, by the names of `Tried`."""
    return {
        "validation_accuracy": measured["validation"]["accuracy"],
        **{name: measured[name] for name in ("selection", "cross_validation", "alignment", "concentration")},
        "seconds": measured["kernel_seconds"] + measured["training_seconds"],
        **circuit.size(),
    }


def untried(state: SearchState, outcome: str, reason: str) -> Tried:
    """The record of the idea under way if it is not evaluated; `reason` says why."""
    work = state["work"]
    assert work is not None
    idea = work["idea"]
    named = {name: idea[name] for name in ("name", "summary", "formula", "recipe")}
    said = {"trial": state["trial"], "outcome": outcome, "reason": reason, "score": work["score"]}
    return Tried.model_validate({**named, **said})


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


def shown(bench: Workbench, rows: list[Row]) -> list[Tried]:
    """What was tried, for the agents: with `DIGITS` significant digits, since more only fill their requests."""
    return [Tried.model_validate(_in_digits(candidate(bench, row)["tried"])) for row in rows]


def _in_digits(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _in_digits(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_in_digits(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def scores(bench: Workbench, rows: list[Row], trial: int) -> list[Score]:
    """How the ideas of one trial were scored."""
    tried = [candidate(bench, row)["tried"] for row in rows if row["trial"] == trial]
    return [Score.model_validate(one["score"]) for one in tried if one.get("score")]


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
    from labwright.tools.feature_maps.preparation_choice import COST

    return sum(row["cost"] for row in rows) + (COST if bench.choices.preparation == "auto" else 0)
