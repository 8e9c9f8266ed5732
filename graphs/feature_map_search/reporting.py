"""The end of a search: the result document, the files that outlive the run, and the report."""

from __future__ import annotations

from typing import Any

from labwright.graphs.feature_map_search.accuracy_geometry_landscape import landscape
from labwright.graphs.feature_map_search.hardware_evaluation import finite_shots, on_processor
from labwright.graphs.feature_map_search.markdown import markdown
from labwright.graphs.feature_map_search.report_summary import words_of
from labwright.graphs.feature_map_search.run_context import DATA_SET, Workbench, workbench
from labwright.graphs.feature_map_search.state import Row, SearchState
from labwright.graphs.feature_map_search.trial_records import best, candidate, evaluations
from labwright.graphs.feature_map_search.winner_files import draw, save_winner
from labwright.graphs.result_document import end_without_driver
from labwright.tools.feature_maps.paired_tests import holm, verdict

Update = dict[str, Any]
CONTROL = "rbf_weighted"  # an RBF kernel with the weights by PCA rank that graded maps have, too


def save_progress(state: SearchState) -> None:
    """Write what is known after a trial: a search that is stopped has a result, too."""
    _save(workbench(state), "stopped", "", result_of(state))


def _save(bench: Workbench, status: str, cause: str, result: dict[str, Any]) -> None:
    bench.run.save_json("outcome.json", {"status": status, "cause": cause, "result": result})


def report(state: SearchState) -> Update:
    """Write the end of the run; may run again after a crash with the same outcome."""
    bench = workbench(state)
    if state["status"] == "refused" or not (bench.run.folder / DATA_SET).exists():
        _save(bench, state["status"], state["cause"], {})
        end_without_driver(bench, state["status"], state["cause"])
        return {"phase": "report"}
    result, winner = result_of(state), best(state.get("tried", []))
    if winner is not None:
        record = candidate(bench, winner)
        result["files"] = save_winner(bench, record)
        if state["status"] == "complete":
            result["shots"] = finite_shots(bench, record)
            result["processor"] = on_processor(bench, record) if bench.choices.processor else None
        if bench.choices.figures:
            draw(bench, record, result)
    cause = state.get("cause") or state.get("ended", "")
    words = words_of(state["status"], cause, result, cautions(bench, result))
    _save(bench, state["status"], state.get("cause", ""), result)
    bench.run.save_text("report.md", markdown(bench, state, result, words), kind="report")
    end_without_driver(bench, state["status"], state.get("cause", ""))
    return {"phase": "report"}


def result_of(state: SearchState) -> dict[str, Any]:
    """The `result` part of the result document, as far as the search has come."""
    bench, rows = workbench(state), state.get("tried", [])
    winner = best(rows)
    ours = state.get("test", {}).get("accuracy")
    adjusted = holm({one["name"]: one["p"] for one in state.get("compared", []) if "p" in one})
    found: dict[str, Any] = {
        "dataset": bench.choices.dataset,
        "data": bench.split.facts,
        "trials": state["trial"],
        "evaluations": evaluations(bench, rows),
        "budget": bench.choices.budget_of_evaluations,
        "ended": state.get("ended", ""),
        "test_part_was_opened_before": was_opened_before(bench),
        "validation_accuracy": winner["validation"] if winner else None,
        "test_accuracy": ours,
        "test": state.get("test", {}),
        "baselines": {one["name"]: _compared(one, adjusted, ours) for one in state.get("compared", [])},
        "trajectory": trajectory(rows),
        "tried": [_short(bench, row) for row in rows],
        "landscape": landscape(bench, rows),
        "assumptions": state.get("assumptions", []),
    }
    if winner is not None:
        found["feature_map"] = _feature_map(bench, winner)
    return found


def was_opened_before(bench: Workbench) -> bool:
    """Whether this search was forked from one whose test part was open."""
    return bool((bench.run.record.parent or {}).get("test_part_was_opened"))


def _feature_map(bench: Workbench, row: Row) -> dict[str, Any]:
    record = candidate(bench, row)
    tried = record["tried"]
    sizes = {name: tried[name] for name in ("gates", "two_qubit_gates", "depth")}
    circuit = {name: record["circuit"][name] for name in ("n_qubits", "n_features")}
    more = {name: record[name] for name in ("stripped", "works_at", "notes")}
    numbers = {name: tried[name] for name in ("selection", "cross_validation", "alignment", "concentration")}
    return {
        "name": row["name"],
        "trial": row["trial"],
        "source": record["source"],
        "class_name": record["class_name"],
        "hyperparameters": record["hyperparameters"],
        "penalty": record["penalty"],
        "circuit": {**circuit, **sizes, **more, "digest": record["digest"]},
        **{name: record[name] for name in ("shift_invariant", "commuting")},
        "geometry": record["assessment"]["geometry"],
        "summary": tried.get("summary", ""),
        "recipe": tried.get("recipe"),
        "formula": record["idea"]["formula"],
        "validation_accuracy": row["validation"],
        **numbers,
    }


def _compared(one: dict[str, Any], adjusted: dict[str, float], ours: float | None) -> dict[str, Any]:
    shown = {name: one.get(name) for name in ("hyperparameters", "evaluations", "seconds", "why_not")}
    scored = {f"{part}_accuracy": one[part]["accuracy"] if one[part] else None for part in ("validation", "test")}
    if one["test"] is None or ours is None:
        return {**scored, **shown}
    said = verdict(ours - one["test"]["accuracy"], one["p"], adjusted[one["name"]])
    paired = {name: one[name] for name in ("wins", "losses", "p")}
    return {**scored, **shown, **paired, "p_adjusted": adjusted[one["name"]], "verdict": said}


def _short(bench: Workbench, row: Row) -> dict[str, Any]:
    plain = {name: value for name, value in row.items() if name != "sha256"}
    return {**plain, "reason": candidate(bench, row)["tried"].get("reason", "")}


def trajectory(rows: list[Row]) -> list[dict[str, Any]]:
    """One entry a trial: its best validation accuracy and selection score, and the best selection so far."""
    found, top = [], None
    for trial in sorted({row["trial"] for row in rows}):
        own = [row for row in rows if row["trial"] == trial]
        leader = best(own)
        if leader is not None and (top is None or (leader["selection"] or 0.0) > (top["selection"] or 0.0)):
            top = leader
        found.append(
            {
                "trial": trial,
                "best": leader["name"] if leader else None,
                "validation_accuracy": leader["validation"] if leader else None,
                "selection": leader["selection"] if leader else None,
                "best_so_far": top["name"] if top else None,
                "best_validation_so_far": top["validation"] if top else None,
                "best_selection_so_far": top["selection"] if top else None,
                "tried": len(own),
            }
        )
    return found


def cautions(bench: Workbench, result: dict[str, Any]) -> list[str]:
    """What a reader has to know before believing the numbers."""
    facts, found = bench.split.facts, list[str]()
    accuracy = result["test_accuracy"]
    if accuracy is not None:
        found.append(
            f"One split of the data, {facts['n_test']} test samples. p is the exact test of McNemar on these; a win has"
            " to hold among all comparisons of the table (Holm). `--seeds 5` repeats the search on five splits."
        )
    if result["test_part_was_opened_before"]:
        found.append(
            "This search was forked from one whose test part had been opened, so its test numbers are not blind."
        )
    control = result["baselines"].get(CONTROL, {}).get("test_accuracy")
    if control is not None and accuracy is not None and control >= accuracy:
        found.append(
            f"The control, a classical RBF kernel with weights by component rank, does as well or better"
            f" ({control:.4f}): what was gained may lie in the weights alone; nothing shows that it is quantum."
        )
    if bench.choices.sandbox == "rlimits":
        found.append("Candidate code was allowed to run without isolation, within resource limits only.")
    found.append("States were simulated without noise; a processor would give other kernels.")
    return found
