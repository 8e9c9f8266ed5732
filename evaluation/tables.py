"""The committed results as a Markdown table; documents hold its text, and a test holds them to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.evaluation.committed import FOLDER
from labwright.tools.runs.files import read_json

SEARCHES = {"search": "digits, 40 components", "search_augmented": "digits 28x28, distorted, 80 components"}
NAMES = {"calibration": "Labwright, rules", "fixed_script": "fixed script", "expert_script": "expert script"}


def calibration_table(folder: Path = FOLDER) -> str:
    """Pass rates and true errors of Labwright and its baselines, from the results in `folder`."""
    drawn = {name: _read(folder, name) for name in NAMES}
    spoilt = _read(folder, "spoilt")
    lines = [
        "| | drawn devices passed | spoilt devices passed | true error / limit: median (worst)"
        " | error bar of RB / limit | device time |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, title in NAMES.items():
        result = drawn[name]
        other = spoilt if name == "calibration" else spoilt["baselines"][name]
        summary = result["summary"]
        lines.append(
            f"| {title} | {_passed(result)} | {_passed(other)} | {_middle(summary['ratio'])}"
            f" | {_percent(summary['rb_precision']['median'])} | {summary['device_seconds']['median']:.0f} s |"
        )
    ours = drawn["calibration"]["summary"]
    lines.append(f"| best settings there are | | | {_middle(ours['best_ratio'])} | | |")
    lines.append(f"| before calibration | | | {_middle(ours['start_ratio'])} | | |")
    return "\n".join(lines)


def search_table(folder: Path = FOLDER) -> str:
    """Test accuracies of the feature-map searches beside the classical kernels, from the results in `folder`."""
    lines = [
        "| data | search | map found | RBF, default | RBF, rank weights | linear | found minus default RBF"
        " | found minus rank weights |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, title in SEARCHES.items():
        for strategy, entry in _read(folder, name)["summary"].items():
            accuracies = [_accuracy(entry, kernel) for kernel in ("test", "rbf_default", "rbf_weighted", "linear")]
            differences = [_points(entry, kernel) for kernel in ("rbf_default", "rbf_weighted")]
            lines.append("| " + " | ".join([title, strategy, *accuracies, *differences]) + " |")
    return "\n".join(lines)


def search_origin(folder: Path = FOLDER) -> str:
    """When and with which code the search results were made."""
    parts = []
    for name, title in SEARCHES.items():
        result = _read(folder, name)
        seeds = sorted({row["seed"] for row in result["rows"]})
        most = max(row["evaluations"] for row in result["rows"])
        seconds = max(entry["search_seconds_median"] for entry in result["summary"].values())
        parts.append(
            f"{title}: seeds {seeds[0]}-{seeds[-1]}, at most {most} evaluations, {seconds:.0f} s a search (median of"
            f" the slowest strategy), commit {result['commit'].rstrip('+')}, {result['date']}."
        )
    return " ".join(parts)


def _accuracy(entry: dict[str, float], kernel: str) -> str:
    if kernel not in entry:
        return ""
    spread = entry.get(f"{kernel} sd")
    return f"{entry[kernel]:.4f}" + (f" +- {spread:.4f}" if spread is not None else "")


def _points(entry: dict[str, float], kernel: str) -> str:
    """A paired difference in percentage points, with its standard error."""
    name = f"minus {kernel}"
    if name not in entry:
        return ""
    error = entry.get(f"{name} se")
    return f"{100 * entry[name]:+.2f}" + (f" +- {100 * error:.2f} pp" if error is not None else " pp")


def origin(folder: Path = FOLDER) -> str:
    """When and with which code the calibration result was made."""
    result = _read(folder, "calibration")
    seeds = sorted(row["seed"] for row in result["rows"])
    return (
        f"Seeds {seeds[0]}-{seeds[-1]}, commit {result['commit'].rstrip('+')}, {result['date']},"
        f" {result['seconds']:.0f} s on {result['cores']} cores, baselines included."
    )


def _read(folder: Path, name: str) -> dict[str, Any]:
    return read_json(folder / f"{name}.json", f"Make it anew: labwright eval {name} --out DIR.")


def _passed(result: dict[str, Any]) -> str:
    return f"{round(result['score'] * result['n'])} of {result['n']}"


def _middle(entry: dict[str, float]) -> str:
    median, worst = (f"{entry[name]:.{2 if entry[name] < 10 else 0}f}" for name in ("median", "worst"))
    return f"{median} ({worst})"


def _percent(value: float) -> str:
    return f"{value:.1f} %" if value < 100 else "no value"
