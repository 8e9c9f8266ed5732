"""What a finished search prints on stdout: the winner beside the baselines, over one seed or several."""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from labwright.apps.terminal_output import escape, plain_table, print_assumed, print_status, where_to_look
from labwright.tools.feature_maps.compared_methods import TITLES

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome

OURS = "found"
OURS_TITLE = "[bold]map that was found[/]"
SAID = {"better": "the map is better", "worse": "the map is worse", "open": "open"}


def print_search(console: Console, outcome: Outcome) -> None:
    """The end of one search, for a person."""
    result = outcome.result
    print_status(console, outcome, result.get("ended", ""))
    if "feature_map" in result:
        console.print()
        console.print(accuracy_table(over_seeds([result])))
        found = result["feature_map"]
        circuit = found["circuit"]
        console.print(
            f"{escape(found['name'])}: {circuit['gates']} gates, {circuit['two_qubit_gates']} of them on two qubits or"
            f" more, depth {circuit['depth']}; {result['evaluations']} evaluations in {result['trials']} trials",
            soft_wrap=True,
        )
    print_assumed(console, result.get("assumptions", []))
    console.print()
    if (outcome.run_dir / "feature_map.py").exists():
        console.print(f"class     {escape(str(outcome.run_dir / 'feature_map.py'))}", soft_wrap=True)
        console.print(f"pipeline  labwright predict {outcome.run_id} SAMPLES.csv", soft_wrap=True)
    console.print(where_to_look(outcome.run_dir, outcome.run_id), soft_wrap=True)


def over_seeds(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean and standard deviation of every method's accuracy, and what was found against each of them, by seed.

    Args:
        results: the `result` parts of finished searches on different splits of the same data.

    Returns:
        ``{seeds, kernels: {name: {validation, test, test_std, tests}}, differences: {name: {points, error, p,
        verdict}}, not_applicable: {name: why}}``; accuracies 0 .. 1, differences in percentage points. One seed is
        tested by McNemar, several by a t test with the error of Nadeau and Bengio; see `comparison`.
    """
    from labwright.tools.feature_maps.paired_tests import holm, verdict

    left_out = {
        name: one["why_not"] for result in results for name, one in result["baselines"].items() if one.get("why_not")
    }
    names = [
        name
        for name in results[0]["baselines"]
        if name not in left_out and all(name in result["baselines"] for result in results)
    ]
    series = {OURS: [(result["validation_accuracy"], result["test_accuracy"]) for result in results]}
    for name in names:
        rows = [result["baselines"][name] for result in results]
        series[name] = [(row["validation_accuracy"], row["test_accuracy"]) for row in rows]
    kernels = {name: _spread(pairs) for name, pairs in series.items()}
    tested = [name for name in names if None not in (*kernels[OURS]["tests"], *kernels[name]["tests"])]
    differences = {name: _paired(results, name, kernels) for name in tested}
    adjusted = holm({name: one["p"] for name, one in differences.items()})
    for name, one in differences.items():
        one["verdict"] = verdict(one["points"], one["p"], adjusted[name])
    return {"seeds": len(results), "kernels": kernels, "differences": differences, "not_applicable": left_out}


def _spread(pairs: list[tuple[float, float | None]]) -> dict[str, Any]:
    tests = [test for _, test in pairs]
    known = [test for test in tests if test is not None]
    return {
        "validation": mean(validation for validation, _ in pairs),
        "test": mean(known) if known else None,
        "test_std": stdev(known) if len(known) > 1 else None,
        "tests": tests,
    }


def _paired(results: list[dict[str, Any]], name: str, kernels: dict[str, Any]) -> dict[str, Any]:
    from labwright.tools.feature_maps.paired_tests import over_splits

    data = results[0]["data"]
    found = over_splits(kernels[OURS]["tests"], kernels[name]["tests"], data["n_train"], data["n_test"])
    if len(results) == 1:
        return {"points": found.mean, "error": None, "p": results[0]["baselines"][name].get("p", 1.0)}
    return {"points": found.mean, "error": found.error, "p": found.p}


def accuracy_table(found: dict[str, Any]) -> Table:
    """Best test accuracy first; over several seeds with standard deviation and paired difference."""
    numbers = ("validation", "test", "found minus this (pp)", "p")
    table = plain_table("method", *numbers, "", right=numbers)
    ranked = sorted(found["kernels"].items(), key=lambda item: -(item[1]["test"] or item[1]["validation"]))
    for name, row in ranked:
        one = found["differences"].get(name)
        table.add_row(
            OURS_TITLE if name == OURS else TITLES.get(name, name),
            f"{row['validation']:.4f}",
            _plus_minus(row["test"], row["test_std"], 4),
            *((_plus_minus(one["points"], one["error"], 2, sign=True), f"{one['p']:.2g}", SAID[one["verdict"]])
              if one else ("", "", "")),
        )  # fmt: skip
    for name in found["not_applicable"]:
        table.add_row(TITLES.get(name, name), "-", "-", "", "", "not applicable")
    several = (
        f"mean of {found['seeds']} seeds; test ± standard deviation, difference ± error for splits that share data"
    )
    table.caption = several if found["seeds"] > 1 else "p: exact test of McNemar"
    table.caption_justify = "left"
    return table


def _plus_minus(value: float | None, error: float | None, digits: int, *, sign: bool = False) -> str:
    if value is None:
        return "-"
    shown = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return f"{shown} ± {error:.{digits}f}" if error is not None else shown
