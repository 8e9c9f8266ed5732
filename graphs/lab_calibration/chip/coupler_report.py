"""The couplers' part of a chip's result and report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labwright.graphs.lab_calibration.chip.lane_outcomes import outcome_of
from labwright.graphs.lab_calibration.chip.state import ChipState
from labwright.graphs.lab_calibration.run_context import Laboratory

Result = dict[str, Any]
CZ_ERROR = "interleaved_rb_cz.cz_error"
WORDS = {"complete": "passed", "failed": "FAILED", "refused": "refused", "stopped": "stopped"}


def pair_results(lab: Laboratory, state: ChipState) -> dict[str, Result]:
    """Coupler -> status, cause, round, settings before and after, what was measured, parts and stages."""
    found = {}
    for name in state["plan"]["chosen"]:
        lane = state["lanes"].get(name)
        status, cause = (lane["status"], lane["cause"]) if lane else ("stopped", "the run ended before its turn")
        number = next((n for n, names in enumerate(state["plan"]["rounds"], 1) if name in names), None)
        own = outcome_of(lab, name) if number else {}
        group = own.get("groups", {}).get(name, {})
        found[name] = {
            "status": status,
            "cause": cause,
            "round": number,
            "before": group.get("before", {}),
            "after": group.get("after", {}),
            "measured": group.get("measured", {}),
            "parts": [f"parts/{name}"] if number else [],
            "stages": [{**row, "lane": name} for row in own.get("stages", [])],
        }
    return found


def coupler_table(pairs: dict[str, Result], couplers: Sequence[Sequence[str]]) -> str:
    """One line a chosen coupler; without any, how to choose some."""
    if not pairs:
        if not couplers:
            return "The device has no couplers."
        example = "-".join(couplers[0])
        return f"None were chosen: no two-qubit gate was calibrated. To choose some, ask for the couplers {example}."
    lines = [
        "| coupler | | round | drive (MHz) | one Stark pulse (us) | CZ error, interleaved RB | report |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for name, entry in pairs.items():
        error, after = entry["measured"].get(CZ_ERROR), entry["after"]
        cells: list[str] = [
            name,
            WORDS.get(entry["status"], str(entry["status"])),
            f"{entry['round'] or ''}",
            f"{after['frequency']:.2f}" if after.get("duration") else "",
            f"{after['duration']:.4f}" if after.get("duration") else "",
            f"{100 * error['value']:.2f} ± {100 * error['error']:.2f} %" if error else "",
            ", ".join(f"[{part.rpartition('/')[2]}]({part}/report.md)" for part in entry["parts"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    told = [f"- {name}: {entry['cause']}" for name, entry in pairs.items() if entry["cause"]]
    return "\n".join([*lines, *(["", *told] if told else [])])
