"""Where the maps that were tried stand: accuracy, distance from classical kernels, depth; the best of either kind."""

from __future__ import annotations

from typing import Any

from labwright.graphs.feature_map_search.run_context import Workbench, workbench
from labwright.graphs.feature_map_search.state import Row, SearchState
from labwright.graphs.feature_map_search.trial_records import best, candidate
from labwright.graphs.feature_map_search.winner_pipeline import tested
from labwright.tools.runs.action_journal import action_key

KINDS = {True: "commuting_map", False: "noncommuting_map"}  # the line of the best map of the other kind
SHOWN = ("training_difference", "nearest", "complexity", "classical_complexity", "samples")  # of a geometry


def landscape(bench: Workbench, rows: list[Row]) -> list[dict[str, Any]]:
    """One entry a map that was evaluated, with whether it is on the Pareto front."""
    from labwright.tools.feature_maps.geometry import pareto

    found = []
    for row in rows:
        record = candidate(bench, row)
        if row["cost"] and (measured := record["assessment"]["geometry"]):
            found.append(
                {
                    "name": row["name"],
                    "trial": row["trial"],
                    "selection": row["selection"],
                    "geometric_difference": measured["difference"],
                    **{name: measured[name] for name in SHOWN},
                    "concentration": record["assessment"]["concentration"],
                    **{name: record[name] for name in ("shift_invariant", "commuting", "two_qubit_depth")},
                }
            )
    points = [(one["selection"], one["geometric_difference"], one["two_qubit_depth"]) for one in found]
    return [{**one, "on_front": front} for one, front in zip(found, pareto(points), strict=True)]


def best_of_other_kind(state: SearchState) -> list[dict[str, Any]]:
    """The best map that is shift-invariant if the winner is not, and the other way round, on the opened test part."""
    bench, winner = workbench(state), best(state["tried"])
    assert winner is not None
    own = candidate(bench, winner)["shift_invariant"]
    evaluated = [row for row in state["tried"] if row["outcome"] == "evaluated"]
    other = best([row for row in evaluated if candidate(bench, row)["shift_invariant"] != own])
    if other is None:
        return []
    record = candidate(bench, other)
    asked = {"circuit": record["digest"], "split": bench.split_digest, "C": record["penalty"]}
    key = action_key(bench.run.run_id, state["branch"], KINDS[not own], 0, 0, asked)

    found = bench.run.action(key).perform(
        lambda: tested(bench, record), dict, ask=lambda: "absent", note={"what": "the best map of the other kind"}
    )
    measured = record["assessment"]
    row = {"validation": measured["validation"], "test": found["scores"], "predictions": found["predictions"]}
    seconds = measured["kernel_seconds"] + measured["training_seconds"]
    return [
        {"name": KINDS[not own], **row, "hyperparameters": {"map": other["name"]}, "evaluations": 0, "seconds": seconds}
    ]
