"""The committed results as a Markdown table; documents hold its text, and a test holds them to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.evaluation.results import FOLDER
from labwright.tools.runs.files import read_json

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


def origin(folder: Path = FOLDER) -> str:
    """When and with which code the calibration result was made."""
    result = _read(folder, "calibration")
    seeds = sorted(row["seed"] for row in result["rows"])
    return (
        f"Seeds {seeds[0]}-{seeds[-1]}, commit {result['commit'].rstrip('+')}, {result['date']},"
        f" {result['seconds']:.0f} s on {result['cores']} cores, baselines included."
    )


def _read(folder: Path, name: str) -> dict[str, Any]:
    return read_json(folder / f"{name}.json", f"Make it anew: python -m labwright.evaluation.results {name}.")


def _passed(result: dict[str, Any]) -> str:
    return f"{round(result['score'] * result['n'])} of {result['n']}"


def _middle(entry: dict[str, float]) -> str:
    digits = 2 if entry["worst"] < 10 else 0
    return f"{entry['median']:.{digits}f} ({entry['worst']:.{digits}f})"


def _percent(value: float) -> str:
    return f"{value:.1f} %" if value < 100 else "no value"
