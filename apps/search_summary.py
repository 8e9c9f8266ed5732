"""What a finished search prints on stdout: the winner beside the baselines, over one seed or several."""

from __future__ import annotations

import math
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from labwright.apps.screen import escape, legible
from labwright.apps.summary import STYLE, where_to_look

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome

OURS = "found"
TITLES = {
    OURS: "[bold]map that was found[/]",
    "rbf_default": "RBF, default",
    "rbf_tuned": "RBF, tuned",
    "rbf_weighted": "RBF, weights by rank (control)",
    "zz": "ZZ",
    "npqc": "NPQC",
    "yzcx": "YZCX",
    "commuting_map": "best map of differences only",
    "noncommuting_map": "best map not of differences only",
}


def print_search(console: Console, outcome: Outcome) -> None:
    """The end of one search, for a person."""
    result = outcome.result
    status = Text(outcome.status.upper(), style=STYLE.get(outcome.status, "bold"))
    reason = legible(outcome.reason or result.get("ended", ""))
    console.print(Text.assemble(status, f"  {reason}" if reason else ""), soft_wrap=True)
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
    for assumption in result.get("assumptions", []):
        console.print(f"assumed: {escape(assumption)}", soft_wrap=True)
    console.print()
    if (outcome.run_dir / "feature_map.py").exists():
        console.print(f"class     {escape(str(outcome.run_dir / 'feature_map.py'))}", soft_wrap=True)
        console.print(f"pipeline  labwright predict {outcome.run_id} SAMPLES.csv", soft_wrap=True)
    console.print(where_to_look(outcome.run_dir, outcome.run_id), soft_wrap=True)


def over_seeds(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean and standard deviation of every kernel's accuracy, and what was found against each baseline, by seed.

    Args:
        results: the `result` parts of finished searches on different splits of the same data.

    Returns:
        ``{seeds, kernels: {name: {validation, test, test_std, tests}}, differences: {name: {points, error}}}``;
        accuracies 0 .. 1, differences in percentage points with their paired standard error.
    """
    ours = [(result["validation_accuracy"], result["test_accuracy"]) for result in results]
    names = [name for name in results[0]["baselines"] if all(name in result["baselines"] for result in results)]
    series = {OURS: ours} | {
        name: [
            (result["baselines"][name]["validation_accuracy"], result["baselines"][name]["test_accuracy"])
            for result in results
        ]
        for name in names
    }
    kernels = {name: _spread(pairs) for name, pairs in series.items()}
    differences = {}
    for name in names:
        pairs = list(zip(kernels[OURS]["tests"], kernels[name]["tests"], strict=True))
        if pairs and all(mine is not None and theirs is not None for mine, theirs in pairs):
            differences[name] = _paired([100 * (mine - theirs) for mine, theirs in pairs])
    return {"seeds": len(results), "kernels": kernels, "differences": differences}


def _spread(pairs: list[tuple[float, float | None]]) -> dict[str, Any]:
    tests = [test for _, test in pairs]
    known = [test for test in tests if test is not None]
    return {
        "validation": mean(validation for validation, _ in pairs),
        "test": mean(known) if known else None,
        "test_std": stdev(known) if len(known) > 1 else None,
        "tests": tests,
    }


def _paired(points: list[float]) -> dict[str, float | None]:
    error = stdev(points) / math.sqrt(len(points)) if len(points) > 1 else None
    return {"points": mean(points), "error": error}


def accuracy_table(found: dict[str, Any]) -> Table:
    """Best test accuracy first; over several seeds with standard deviation and paired difference."""
    several = found["seeds"] > 1
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("kernel")
    for title in ("validation", "test", "found minus this (pp)"):
        table.add_column(title, justify="right")
    ranked = sorted(found["kernels"].items(), key=lambda item: -(item[1]["test"] or item[1]["validation"]))
    for name, row in ranked:
        difference = found["differences"].get(name)
        table.add_row(
            TITLES.get(name, name),
            f"{row['validation']:.4f}",
            _plus_minus(row["test"], row["test_std"], 4),
            _plus_minus(difference["points"], difference["error"], 2, sign=True) if difference else "",
        )
    if several:
        table.caption = f"mean of {found['seeds']} seeds; test ± standard deviation, difference ± standard error"
        table.caption_justify = "left"
    return table


def _plus_minus(value: float | None, error: float | None, digits: int, *, sign: bool = False) -> str:
    if value is None:
        return "-"
    shown = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return f"{shown} ± {error:.{digits}f}" if error is not None else shown
