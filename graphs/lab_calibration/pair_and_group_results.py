"""What a run did to pairs and groups of qubits: the gate of each pair before and after, and what was measured."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labwright.graphs.lab_calibration.run_context import Laboratory
from labwright.graphs.lab_calibration.state import CalibrationState

# Setting -> (title, unit, digits after the point)
SHOWN = {
    "frequency": ("Stark drive frequency", "MHz", 2),
    "amplitude_first": ("amplitude on the first", "", 5),
    "amplitude_second": ("amplitude on the second", "", 5),
    "duration": ("one Stark pulse", "us", 4),
    "edge": ("cosine edge", "us", 3),
    "z_first": ("virtual Z on the first", "rad", 4),
    "z_second": ("virtual Z on the second", "rad", 4),
}


def groups_of(lab: Laboratory, state: CalibrationState, actions: set[str]) -> dict[str, dict[str, Any]]:
    """Pairs that the run's `actions` changed or measured, and other groups that they measured, by name."""
    results = state.get("results", {})
    pairs = lab.pairs
    own = [entry for entry in lab.device.settings.history() if entry.key.partition(".")[0] in actions]
    changed = {entry.qubit for entry in own}
    names = [name for name in pairs if name in changed or name in results]
    names += [name for name in results if name not in lab.device.qubits and name not in pairs]
    groups: dict[str, dict[str, Any]] = {}
    for name in names:
        entry: dict[str, Any] = {"measured": results.get(name, {})}
        if name in pairs:
            after = asdict(lab.device.settings.pair(name))
            before = dict(after)
            for change in reversed(own):
                if change.qubit == name:
                    before |= change.before
            entry |= {"before": before, "after": after}
        groups[name] = entry
    return groups


def group_table(name: str, entry: dict[str, Any]) -> str:
    """A group's part of the report: its gate's settings, and its main results."""
    lines = [f"## {name}", ""]
    if entry.get("after", {}).get("duration"):
        lines += ["| setting | value |", "|---|---:|"]
        for setting, (title, unit, digits) in SHOWN.items():
            value = entry["after"][setting]
            lines.append(f"| {title}{f' ({unit})' if unit else ''} | {value:.{digits}f} |")
        lines.append("")
    for what, item in entry["measured"].items():
        if item["main"]:
            error = f" ± {item['error']:.2g}" if item["error"] else ""
            lines.append(f"- {what.replace('.', ': ')}: {item['value']:.5g}{error} {item['unit']}".rstrip())
    return "\n".join(lines)
