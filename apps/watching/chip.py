"""Where every qubit of a chip stands while it is brought up or kept calibrated."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Self

# status -> sign and word, so that nothing is told by colour alone
SIGNS = {
    "waiting": ("·", "waiting"),
    "running": ("▶", "running"),
    "complete": ("✔", "passed"),
    "failed": ("✘", "FAILED"),
    "refused": ("✘", "refused"),
    "stopped": ("■", "stopped"),
}
PART = re.compile(r"-\d\d-")  # in the name of a calibration within the upkeep of a qubit
GATE_ERRORS = "error_per_gate"  # of a qubit
CZ_ERROR = "cz_error"  # of a coupler


def sign_of(status: str) -> tuple[str, str]:
    """Sign and word of a status; an unknown one counts as stopped."""
    return SIGNS.get(status, SIGNS["stopped"])


@dataclass
class Spot:
    """One qubit on the map."""

    status: str = "waiting"
    doing: str = ""
    error: float | None = None
    cause: str = ""


@dataclass
class ChipMap:
    """Keeps one spot a qubit, from events alone; knows nothing of terminals."""

    places: dict[str, tuple[int, int]]
    spots: dict[str, Spot]
    rounds: int
    at: int = 0
    seconds: float = 0.0  # of device time
    lines: list[str] = field(default_factory=list)  # news that were not said yet
    pairs: dict[str, Spot] = field(default_factory=dict)  # chosen couplers, by name

    @classmethod
    def planned(cls, event: dict[str, Any]) -> Self:
        """The map of a plan."""
        places = {str(name): (int(row), int(column)) for name, (row, column) in event["places"].items()}
        meant = {name.partition("-")[0] for names in event["rounds"] for name in names}
        made = cls(places, {name: Spot() for name in places if name in meant}, len(event["rounds"]))
        made.pairs = {str(name): Spot() for name in event.get("chosen", ())}
        return made

    def hear(self, event: dict[str, Any]) -> None:
        """Take in one event of the run or of a lane."""
        kind = event.get("kind")
        if "lane" in event:
            self._of_lane(str(event["lane"]), kind, event)
        elif kind == "round_started":
            self.at = int(event["round"])
            self.rounds = max(self.rounds, self.at)
            self.lines.append(f"round {self.at} of {self.rounds}: {', '.join(event['lanes'])}")
            for lane in event["lanes"]:
                self._spot(lane).status = "running"
        elif kind == "played":
            self.seconds += float(event["together"])

    def _spot(self, lane: str) -> Spot:
        return self.pairs[lane] if lane in self.pairs else self.spots.setdefault(lane.partition("-")[0], Spot())

    def _of_lane(self, lane: str, kind: Any, event: dict[str, Any]) -> None:
        spot = self._spot(lane)
        if kind == "translated":
            call = str(event["call"])
            spot.doing = spot.doing if call.startswith("procedure") else call.partition("(")[0]
        elif kind in ("checked", "measured"):
            spot.doing = str(event.get("node") or event.get("experiment", ""))
        elif kind == "inspected" and (known := {GATE_ERRORS, CZ_ERROR} & set(event.get("estimates", {}))):
            spot.error = float(event["estimates"][known.pop()]["value"])
        elif kind == "run_finished" and PART.search(lane):
            qubit, _, node = lane.partition("-")
            went = "calibrated" if event["status"] == "complete" else f"{event['status']}, {event.get('reason', '')}"
            self.lines.append(f"{qubit} {node.partition('-')[2]}: {went}")
        elif kind == "run_finished":
            spot.status, spot.cause = str(event["status"]), str(event.get("reason", ""))
            told = f", error per gate {spot.error:.2e}" if spot.error is not None else ""
            why = f": {spot.cause}" if spot.cause else ""
            self.lines.append(f"{lane} {sign_of(spot.status)[1]}{told}{why}")

    def news(self) -> list[str]:
        """Lines that were not told yet."""
        told, self.lines = self.lines, []
        return told
