"""The upkeep of a chip: what became of each calibration of each qubit, from its checks and at the end the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# What a check found, or a calibration came to -> sign and word.
STATES = {
    "trusted": "· trusted",
    "in spec": "✔ in spec",
    "out of spec": "✘ out of spec",
    "bad data": "✘ bad data",
    "calibrating": "▶ being calibrated",
    "recalibrated": "✔ recalibrated",
    "calibrated": "✔ recalibrated",
    "failed": "✘ FAILED",
}
ORDER = ("readout", "frequency", "amplitude", "drag", "gates")


@dataclass(frozen=True, slots=True)
class Checked:
    """One calibration of one qubit: its state in words, and the numbers that decided."""

    state: str
    detail: str


@dataclass
class Upkeep:
    """Keeps what is known of each calibration: qubit -> node -> state."""

    known: dict[str, dict[str, Checked]] = field(default_factory=dict)

    def hear(self, event: dict[str, Any]) -> None:
        """Take in an event of a lane."""
        if event.get("kind") == "checked" and "agent" not in event:
            qubit = str(event["lane"]).partition("-")[0]
            found = str(event.get("found", "")).replace("_", " ")
            detail = str(event.get("detail") or event.get("why") or "")
            self.known.setdefault(qubit, {})[str(event.get("node", ""))] = Checked(STATES.get(found, found), detail)

    def ended(self, result: dict[str, list[dict[str, Any]]]) -> None:
        """Take in the `upkeep` of the run's result, which also knows what nobody had to look at."""
        for qubit, rows in result.items():
            self.known[qubit] = {
                str(row["node"]): Checked(
                    STATES.get(str(row["state"]), str(row["state"])), "; ".join(row.get("details") or [])
                )
                for row in rows
            }

    def nodes(self) -> list[str]:
        """The columns, in the order in which calibrations depend on each other."""
        found = {node for nodes in self.known.values() for node in nodes}
        return sorted(found, key=lambda node: (ORDER.index(node) if node in ORDER else len(ORDER), node))
