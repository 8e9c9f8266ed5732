"""The live map of a chip: where every qubit stands, on the lattice that it lies on.

Told by sign and word, not by colour alone; the colours are told apart by colour-blind readers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from labwright.apps.screen import legible

# status -> sign, word, style; blue and orange from Okabe and Ito's palette
SIGNS = {
    "waiting": ("·", "waiting", "dim"),
    "running": ("▶", "running", "bold #56B4E9"),
    "complete": ("✔", "passed", "#0072B2"),
    "failed": ("✘", "FAILED", "bold reverse #E69F00"),
    "refused": ("✘", "refused", "reverse #E69F00"),
    "stopped": ("■", "stopped", "#CC79A7"),
}
PART = re.compile(r"-\d\d-")  # in the name of a calibration within the upkeep of a qubit
CELL = 15  # columns of one qubit
GATE_ERRORS = "error_per_gate"


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

    @classmethod
    def planned(cls, event: dict[str, Any]) -> ChipMap:
        """The map of a plan."""
        places = {str(name): (int(row), int(column)) for name, (row, column) in event["places"].items()}
        meant = {name.partition("-")[0] for names in event["rounds"] for name in names}
        return cls(places, {name: Spot() for name in places if name in meant}, len(event["rounds"]))

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
        return self.spots.setdefault(lane.partition("-")[0], Spot())

    def _of_lane(self, lane: str, kind: Any, event: dict[str, Any]) -> None:
        spot = self._spot(lane)
        if kind == "translated":
            call = str(event["call"])
            spot.doing = spot.doing if call.startswith("procedure") else call.partition("(")[0]
        elif kind in ("checked", "measured"):
            spot.doing = str(event.get("node") or event.get("experiment", ""))
        elif kind == "inspected" and GATE_ERRORS in event.get("estimates", {}):
            spot.error = float(event["estimates"][GATE_ERRORS]["value"])
        elif kind == "run_finished" and PART.search(lane):
            qubit, _, node = lane.partition("-")
            went = "calibrated" if event["status"] == "complete" else f"{event['status']}, {event.get('reason', '')}"
            self.lines.append(f"{qubit} {node.partition('-')[2]}: {went}")
        elif kind == "run_finished":
            spot.status, spot.cause = str(event["status"]), str(event.get("reason", ""))
            told = f", error per gate {spot.error:.2e}" if spot.error is not None else ""
            why = f": {spot.cause}" if spot.cause else ""
            self.lines.append(f"{lane} {SIGNS.get(spot.status, SIGNS['stopped'])[1]}{told}{why}")

    def news(self) -> list[str]:
        """Lines that were not told yet."""
        told, self.lines = self.lines, []
        return [legible(line) for line in told]

    def render(self, caption: str = "") -> Group:
        """The lattice, and below it what the signs mean."""
        rows, columns = (1 + max((place[k] for place in self.places.values()), default=0) for k in (0, 1))
        table = Table(box=None, show_header=False, padding=(0, 1))
        for _ in range(columns):
            table.add_column(width=CELL, no_wrap=True, overflow="ellipsis")
        names = {place: name for name, place in self.places.items()}
        for row in range(rows):
            table.add_row(*(self._cell(names.get((row, column), "")) for column in range(columns)))
            table.add_row()
        return Group(table, self._legend(caption))

    def _cell(self, name: str) -> Text:
        spot = self.spots.get(name)
        if spot is None:
            return Text(name, style="dim")
        sign, word, style = SIGNS.get(spot.status, SIGNS["stopped"])
        below = word
        if spot.status == "running" and spot.doing:
            below = spot.doing.replace("_", " ")
        elif spot.status == "complete" and spot.error is not None:
            below = f"{spot.error:.2e}"
        return Text.assemble((f"{sign} {name}", style), "\n", (legible(below)[:CELL], "" if word == below else "dim"))

    def _legend(self, caption: str) -> Text:
        counts = {status: sum(spot.status == status for spot in self.spots.values()) for status in SIGNS}
        told = [f"{SIGNS[status][0]} {SIGNS[status][1]} {count}" for status, count in counts.items() if count]
        line = f"{'   '.join(told)}   round {self.at} of {self.rounds}   device {self.seconds:.0f} s"
        return Text("\n".join(part for part in (line, caption) if part))
