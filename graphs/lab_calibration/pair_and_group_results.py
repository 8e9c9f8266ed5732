"""What a run did to pairs and groups of qubits: the gate of each pair before and after, and what was measured."""

from __future__ import annotations

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
    results, pairs, history = state.get("results", {}), lab.pairs, lab.device.settings.history()
    changed = {entry.qubit for entry in history if entry.key.partition(".")[0] in actions}
    names = [name for name in pairs if name in changed or name in results]
    names += [name for name in results if name not in lab.device.qubits and name not in pairs]
    groups: dict[str, dict[str, Any]] = {}
    for name in names:
        entry: dict[str, Any] = {"measured": results.get(name, {})}
        if name in pairs:
            entry |= {"before": settings_before(lab, name, actions), "after": lab.settings_of(name)}
        groups[name] = entry
    return groups


def settings_before(lab: Laboratory, name: str, actions: set[str]) -> dict[str, float]:
    """The settings of a qubit or a pair that the run found, by undoing what its `actions` wrote.

    A device may be older than the run.
    """
    found = lab.settings_of(name)
    for entry in reversed(lab.device.settings.history(name)):
        if entry.key.partition(".")[0] in actions:
            found |= entry.before
    return found


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
