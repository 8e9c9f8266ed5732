"""The end of a search: the result document, the files that outlive the run, and the report."""

from __future__ import annotations

from typing import Any

from labwright.agents.errors import AgentGaveUp, BudgetExceeded
from labwright.agents.feature_map_search.ideas import Tried
from labwright.agents.feature_map_search.write_report import (
    WRITE_REPORT,
    Difference,
    ReportIn,
    ReportOut,
    Result,
    Winner,
    report_by_rules,
)
from labwright.graphs.feature_map_search.files import draw, save_winner
from labwright.graphs.feature_map_search.landscape import landscape
from labwright.graphs.feature_map_search.markdown import markdown
from labwright.graphs.feature_map_search.processing import finite_shots, on_processor
from labwright.graphs.feature_map_search.records import best, candidate, evaluations, history
from labwright.graphs.feature_map_search.state import Row, SearchState
from labwright.graphs.feature_map_search.workbench import Workbench, workbench

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
    if state["status"] == "refused":
        _save(bench, "refused", state["cause"], {})
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
    given = _facts(state, result)
    try:
        answer = bench.ask(WRITE_REPORT, given)
    except (AgentGaveUp, BudgetExceeded):  # the test part is open and all is measured: the end is not to wait for words
        answer = report_by_rules(given)
    words = answer if isinstance(answer, ReportOut) else report_by_rules(given)
    _save(bench, state["status"], state.get("cause", ""), result)
    bench.run.save_text("report.md", markdown(bench, state, result, words), kind="report")
    return {"phase": "report"}


def result_of(state: SearchState) -> dict[str, Any]:
    """The `result` part of the result document, as far as the search has come."""
    bench, rows = workbench(state), state.get("tried", [])
    winner = best(rows)
    tried = history(bench, rows)
    found: dict[str, Any] = {
        "dataset": bench.choices.dataset,
        "data": bench.split.facts,
        "trials": state["trial"],
        "evaluations": evaluations(bench, rows),
        "ended": state.get("ended", ""),
        "test_part_was_opened_before": was_opened_before(bench),
        "validation_accuracy": winner["validation"] if winner else None,
        "test_accuracy": state.get("test", {}).get("accuracy"),
        "test": state.get("test", {}),
        "baselines": {one["name"]: _compared(one) for one in state.get("compared", [])},
        "trajectory": trajectory(rows),
        "tried": [_short(row, one) for row, one in zip(rows, tried, strict=True)],
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
        "circuit": {**circuit, **sizes, **more, "digest": record["digest"]},
        **{name: record[name] for name in ("shift_invariant", "commuting")},
        "geometry": record["assessment"]["geometry"],
        "summary": tried["summary"],
        "formula": record["idea"]["formula"],
        "validation_accuracy": row["validation"],
        **numbers,
    }


def _compared(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "validation_accuracy": one["validation"]["accuracy"],
        "test_accuracy": one["test"]["accuracy"] if one["test"] else None,
        "hyperparameters": one["hyperparameters"],
        "seconds": one["seconds"],
    }


def _short(row: Row, tried: Tried) -> dict[str, Any]:
    kept = ("trial", "n", "name", "outcome", "selection", "validation", "file")
    plain = dict(row)
    return {**{name: plain[name] for name in kept}, "reason": tried.reason}


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


def _facts(state: SearchState, result: dict[str, Any]) -> ReportIn:
    bench, rows = workbench(state), state.get("tried", [])
    outcomes = [row["outcome"] for row in rows]
    status = state["status"]
    return ReportIn(
        task=bench.task,
        status=status if status in ("complete", "failed") else "stopped",
        cause=state.get("cause") or state.get("ended", ""),
        trials=state["trial"],
        evaluated=outcomes.count("evaluated"),
        illegal=outcomes.count("illegal"),
        invalid=outcomes.count("invalid"),
        vetoed=outcomes.count("vetoed"),
        winner=_best_map(result),
        results=_results(result),
        differences=_differences(result),
        warnings=cautions(bench, result),
    )


def _best_map(result: dict[str, Any]) -> Winner | None:
    found = result.get("feature_map")
    return Winner(**{name: found[name] for name in Winner.model_fields}) if found else None


def _results(result: dict[str, Any]) -> list[Result]:
    found = []
    if "feature_map" in result:
        own = {"validation": result["validation_accuracy"], "test": result["test_accuracy"]}
        found.append(Result(name=result["feature_map"]["name"], kind="found", spread=None, seeds=1, **own))
    for name, one in result["baselines"].items():
        kind: Any = "control" if name == CONTROL else "baseline"
        values = {"validation": one["validation_accuracy"], "test": one["test_accuracy"]}
        found.append(Result(name=name, kind=kind, spread=None, seeds=1, **values))
    return found


def _differences(result: dict[str, Any]) -> list[Difference]:
    ours = result["test_accuracy"]
    if ours is None:
        return []
    return [
        Difference(against=name, points=round(100 * (ours - one["test_accuracy"]), 3), error=None, seeds=1)
        for name, one in result["baselines"].items()
        if one["test_accuracy"] is not None
    ]


def cautions(bench: Workbench, result: dict[str, Any]) -> list[str]:
    """What a reader has to know before believing the numbers."""
    facts, found = bench.split.facts, []
    n_test, accuracy = facts.get("n_test", 0), result["test_accuracy"]
    if accuracy is not None and n_test:
        error = 100 * (max(accuracy * (1 - accuracy), 1 / n_test) / n_test) ** 0.5
        found.append(
            f"One split of the data: with {n_test} test samples an accuracy is known to about {error:.1f} percentage"
            " points; smaller differences mean nothing. `--seeds 5` repeats the search on five splits."
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
