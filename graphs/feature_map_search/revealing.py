"""The end of a search: the test part is opened once, for the winner and for the kernels it is compared with."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labwright.graphs.feature_map_search.landscape import best_of_other_kind
from labwright.graphs.feature_map_search.product import revealed
from labwright.graphs.feature_map_search.records import best, candidate
from labwright.graphs.feature_map_search.state import SearchState
from labwright.graphs.feature_map_search.workbench import Workbench, workbench
from labwright.tools.runs.actions import action_key

Update = dict[str, Any]


def reveal(state: SearchState) -> Update:
    """Open the test part and score the winner's pipeline on it; after this nothing is chosen any more."""
    bench, winner = workbench(state), best(state["tried"])
    assert winner is not None
    record = candidate(bench, winner)
    asked = {"circuit": record["digest"], "split": bench.split_digest, "memory_mb": bench.choices.memory_mb}
    key = action_key(bench.run.run_id, state["branch"], "reveal", state["trial"], 0, asked)
    found = bench.run.action(key).perform(
        lambda: revealed(bench, record),
        dict,
        ask=lambda: "absent",
        note={"what": "the test part is opened", "name": winner["name"]},
    )
    bench.emit({"kind": "revealed", "name": winner["name"], **found, "why": state["ended"]}, once="revealed")
    return {"test": found, "phase": "baselines"}


def compare(state: SearchState) -> Update:
    """The baselines, one journaled step each: tuned on train and validation, scored on the opened test part."""
    bench = workbench(state)
    rows = [*best_of_other_kind(state), *(_baseline(state, bench, name) for name in names_of(bench))]
    return {"compared": rows, "status": "complete", "phase": "report"}


def names_of(bench: Workbench) -> list[str]:
    """The chosen baselines."""
    from labwright.tools.feature_maps.baselines import ALL

    chosen = bench.choices.baselines
    return list(ALL if chosen is None else chosen)


def _baseline(state: SearchState, bench: Workbench, name: str) -> dict[str, Any]:
    from labwright.tools.feature_maps.baselines import baselines

    chosen = bench.choices
    settings: dict[str, Any] = {
        "n_qubits": chosen.qubits,
        "seed": chosen.seed,
        "tuning_trials": chosen.budget_of_evaluations,
        "precision": chosen.precision,
        "memory_mb": chosen.memory_mb,
    }
    asked = {"baseline": name, "split": bench.split_digest, **settings}
    key = action_key(bench.run.run_id, state["branch"], "baseline", 0, 0, asked)
    found = bench.run.action(key).perform(
        lambda: baselines(bench.split, bench.test_part(), (name,), **settings)[0],
        asdict,
        ask=lambda: "absent",
        note={"what": "baseline", "name": name},
    )
    accuracy = (found["test"] or {}).get("accuracy")
    bench.emit({"kind": "baseline", "name": name, "test": accuracy}, once=f"baseline {name}")
    return found
