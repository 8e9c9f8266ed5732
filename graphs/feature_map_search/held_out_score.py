"""The end of a search: the test part is opened once, for the winner and for the kernels it is compared with."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from labwright.graphs.feature_map_search.accuracy_geometry_landscape import best_of_other_kind
from labwright.graphs.feature_map_search.run_context import Workbench, workbench
from labwright.graphs.feature_map_search.state import SearchState
from labwright.graphs.feature_map_search.trial_records import best, candidate
from labwright.graphs.feature_map_search.winner_pipeline import tested
from labwright.tools.runs.action_journal import action_key
from labwright.tools.runs.hashed_files import read_json

Update = dict[str, Any]
PREDICTIONS = "data/test_predictions.json"  # of the winner


def reveal(state: SearchState) -> Update:
    """Open the test part and score the winner's pipeline on it; after this nothing is chosen any more."""
    bench, winner = workbench(state), best(state["tried"])
    assert winner is not None
    record = candidate(bench, winner)
    asked = {"circuit": record["digest"], "split": bench.split_digest, "C": record["penalty"]}
    key = action_key(bench.run.run_id, state["branch"], "reveal", state["trial"], 0, asked)
    found = bench.run.action(key).perform(
        lambda: tested(bench, record),
        dict,
        ask=lambda: "absent",
        note={"what": "the test part is opened", "name": winner["name"]},
    )
    names = {"classes": list(bench.split.classes), "rows": found["rows"], "true": found["true"]}
    bench.run.save_json(PREDICTIONS, {**names, "predicted": found["predictions"]})
    scored = found["scores"]
    bench.emit({"kind": "revealed", "name": winner["name"], **scored, "why": state["ended"]}, once="revealed")
    return {"test": scored, "phase": "baselines"}


def compare(state: SearchState) -> Update:
    """The baselines, one journaled step each: tuned on train and validation, scored on the opened test part."""
    bench = workbench(state)
    others = [{**one, **_paired(bench, one)} for one in best_of_other_kind(state)]
    rows = [*others, *(_baseline(state, bench, name) for name in names_of(bench))]
    return {"compared": rows, "status": "complete", "phase": "report"}


def names_of(bench: Workbench) -> list[str]:
    """The chosen baselines."""
    from labwright.tools.feature_maps.compared_methods import ALL

    chosen = bench.choices.baselines
    return list(ALL if chosen is None else chosen)


def _baseline(state: SearchState, bench: Workbench, name: str) -> dict[str, Any]:
    from labwright.tools.feature_maps.baselines import baselines

    chosen = bench.choices
    settings = chosen.model_dump(include={"seed", "precision", "memory_mb"})
    settings |= {"n_qubits": chosen.qubits, "evaluations": chosen.budget_of_evaluations}
    asked = {"baseline": name, "split": bench.split_digest, **settings}
    key = action_key(bench.run.run_id, state["branch"], "baseline", 0, 0, asked)
    found = bench.run.action(key).perform(
        lambda: baselines(bench.split, bench.test_part, (name,), **settings)[0],
        asdict,
        ask=lambda: "absent",
        note={"what": "baseline", "name": name},
    )
    row = {**{field: value for field, value in found.items() if field != "predictions"}, **_paired(bench, found)}
    accuracy = (found["test"] or {}).get("accuracy")
    bench.emit({"kind": "baseline", "name": name, "test": accuracy}, once=f"baseline {name}")
    return row


def _paired(bench: Workbench, found: dict[str, Any]) -> dict[str, Any]:
    """McNemar's test of the winner against a method, on the same test samples."""
    from labwright.tools.feature_maps.paired_tests import mcnemar

    if found["test"] is None:
        return {}
    true = bench.test_part.y
    ours = np.array(read_json(bench.run.folder / PREDICTIONS, "Fork the run before its end.")["predicted"])
    return asdict(mcnemar(ours == true, np.array(found["predictions"]) == true))
