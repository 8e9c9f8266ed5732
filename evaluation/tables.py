"""The committed results as a Markdown table; documents hold its text, and a test holds them to it."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev
from typing import Any

from labwright.evaluation.committed import FOLDER
from labwright.tools.feature_maps.comparison import holm, over_splits, verdict
from labwright.tools.feature_maps.titles import TITLES
from labwright.tools.runs.files import read_json

SEARCHES = {"search": "digits, 40 components", "search_augmented": "digits 28x28, distorted, 80 components"}
SIZES = {"search": (1079, 359), "search_augmented": (6000, 2000)}  # training and test samples of a split
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
    """The feature-map searches beside classical kernels, with paired tests, from the results in `folder`."""
    lines = [
        "| data | search | map found | against | accuracy | found minus this | p | |",
        "|---|---|---:|---|---:|---:|---:|---|",
    ]
    controls = {row["seed"]: row["pca_rbf_default"] for row in _read(folder, "search_controls")["rows"]}
    for name, title in SEARCHES.items():
        rows = [row for row in _read(folder, name)["rows"] if row.get("test") is not None]
        first = {row["seed"]: row for row in rows if row["strategy"] == "graded"}
        for strategy in dict.fromkeys(row["strategy"] for row in rows):
            own = {row["seed"]: row["test"] for row in rows if row["strategy"] == strategy}
            others = {kernel: [first[seed][kernel] for seed in own] for kernel in ("rbf_default", "rbf_weighted")}
            if name == "search":
                others["pca_rbf_default"] = [controls[seed] for seed in own]
            lines += _compared_rows(title, strategy, list(own.values()), others, SIZES[name])
    return "\n".join(lines)


def _compared_rows(
    title: str, strategy: str, own: list[float], others: dict[str, list[float]], sizes: tuple[int, int]
) -> list[str]:
    tests = {kernel: over_splits(own, values, *sizes) for kernel, values in others.items()}
    adjusted = holm({kernel: one.p for kernel, one in tests.items()})
    words = {"better": "better", "worse": "worse", "open": "no difference shown"}
    lines = []
    for kernel, one in tests.items():
        said = words[verdict(one.mean, one.p, adjusted[kernel])]
        points = f"{round(one.mean, 2) + 0.0:+.2f} +- {one.error:.2f} pp"
        cells = [title, strategy, _spread(own), TITLES[kernel], _spread(others[kernel]), points, f"{one.p:.2g}", said]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _spread(values: list[float]) -> str:
    return f"{mean(values):.4f} +- {stdev(values):.4f}"


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
