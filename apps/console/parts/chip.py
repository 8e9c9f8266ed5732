"""A chip: where every qubit stands on its lattice, what came of it, and the stages of the one that is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nicegui import ui

from labwright.apps.console.parts.calibration import stage_table
from labwright.apps.console.parts.html_templates import Section, html
from labwright.apps.console.parts.rendered_section_cache import Event, SectionsPart, Watched
from labwright.apps.console.parts.settings_changes import gate_errors
from labwright.apps.console.parts.upkeep import Upkeep
from labwright.apps.numbers import with_error
from labwright.apps.watching.chip import SIGNS, ChipMap, Spot, sign_of
from labwright.apps.watching.stages import StageTable
from labwright.tools.runs import Run

CELL, SPACE, MARGIN = 104, 24, 2  # of a qubit's square and the gap between two, in CSS pixels
LANE = "lane "  # how the sections of single lanes begin
LONGEST = 15  # characters in a square


@dataclass(frozen=True, slots=True)
class Square:
    """One qubit as it is drawn; `told` says all of it in words."""

    name: str
    x: int
    y: int
    status: str
    sign: str
    below: str
    told: str


class Chip(Watched):
    """A run on a whole chip, from its events and those of its lanes."""

    SECTIONS: ClassVar[tuple[str, ...]] = ("map", "qubits", "upkeep")

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.chip: ChipMap | None = None
        self.couplers: list[tuple[str, str]] = []
        self.lanes: dict[str, StageTable] = {}
        self.upkeep = Upkeep()
        self.over: set[str] = set()  # lanes that have ended
        self._early: list[Event] = []  # of lanes whose events were read before the plan

    def hear(self, event: Event, now: float) -> None:
        """Take up one event."""
        if event.get("kind") == "chip_planned" and "lane" not in event and self.chip is None:
            self.chip = ChipMap.planned(event)
            self.couplers = [(str(one), str(other)) for one, other in event.get("couplers", [])]
            for early in self._early:
                self.chip.hear(early)
        elif self.chip is None:
            self._early.append(event)
        else:
            self.chip.hear(event)
        if "lane" in event:
            self.upkeep.hear(event)
            lane = str(event["lane"])
            self.lanes.setdefault(lane, StageTable()).hear(event, now)
            if event.get("kind") == "run_finished":
                self.over.add(lane)

    def in_order(self) -> list[str]:
        """The lanes in the order of their qubits on the chip."""
        order = list(self.chip.places) if self.chip else []
        place = {lane: order.index(qubit) for lane in self.lanes if (qubit := lane.partition("-")[0]) in order}
        return sorted(self.lanes, key=lambda lane: (place.get(lane, len(order)), lane))

    def render(self, section: str) -> str:
        """The map, the table of qubits, or ``lane <name>``: the stage table of one lane."""
        if section.startswith(LANE):
            lane = section.removeprefix(LANE)
            return self._lane(self.lanes[lane], running=lane not in self.over) if lane in self.lanes else ""
        if self.chip is None:
            return ""
        if section == "upkeep":
            return self._upkeep(self.chip)
        return self._map(self.chip) if section == "map" else self._qubits(self.chip)

    def _upkeep(self, chip: ChipMap) -> str:
        self.upkeep.ended(self.result.get("upkeep", {}))
        rows = {qubit: self.upkeep.known[qubit] for qubit in chip.spots if qubit in self.upkeep.known}
        return html("upkeep", rows=rows, nodes=self.upkeep.nodes()) if rows else ""

    def _lane(self, table: StageTable, *, running: bool) -> str:
        if not table.rows and not running:
            return html("nothing", said="No stage was run in this lane.")
        return html("now", activity=table.activity, running=running) + stage_table(table, running=running)

    def _map(self, chip: ChipMap) -> str:
        squares = {name: _square(name, place, chip.spots.get(name)) for name, place in chip.places.items()}
        joined = [(squares[one], squares[other]) for one, other in self.couplers if one in squares and other in squares]
        counts = {status: sum(spot.status == status for spot in chip.spots.values()) for status in SIGNS}
        legend = [(status, *sign_of(status), count) for status, count in counts.items() if count]
        rows, columns = (1 + max((place[k] for place in chip.places.values()), default=0) for k in (0, 1))
        size = {"width": columns * (CELL + SPACE) - SPACE + 2 * MARGIN, "height": rows * (CELL + SPACE) - SPACE + 4}
        return html("chip", squares=squares.values(), joined=joined, legend=legend, cell=CELL, chip=chip, **size)

    def _qubits(self, chip: ChipMap) -> str:
        ended = self.result.get("qubits", {})
        errors = {row["of"]: row for row in gate_errors(self.result)}
        rows = [_row(name, spot, ended.get(name, {}), errors.get(name, {})) for name, spot in chip.spots.items()]
        return html("qubits", rows=rows, result=self.result, chip=chip)


class ChipPart(SectionsPart):
    """Draws a `Chip`, with a choice of the lane whose stages are shown below."""

    KIND: ClassVar[type[Watched]] = Chip
    BESIDE: ClassVar[str] = "26rem"

    def draw(self, run: Run) -> None:
        """Make the elements in the current slot."""
        super().draw(run)
        self.chosen = ui.select([], label="Show the stages of", on_change=lambda: self._show_lane())
        self.chosen.classes("lw-choose").props("outlined dense options-dense")
        self.lane = Section()

    def update(self, run: Run, events: list[Event]) -> None:
        """Take up new events."""
        super().update(run, events)
        assert isinstance(self.watched, Chip)
        names = self.watched.in_order()
        if names != self.chosen.options:
            self.chosen.set_options(names, value=self.chosen.value or (names[0] if names else None))
        self._show_lane()

    def _show_lane(self) -> None:
        assert self.watched is not None, "`draw` comes before `update`"
        if self.chosen.value:
            self.lane.show(self.watched.html(f"{LANE}{self.chosen.value}"))


def _square(name: str, place: tuple[int, int], spot: Spot | None) -> Square:
    x, y = MARGIN + place[1] * (CELL + SPACE), MARGIN + place[0] * (CELL + SPACE)
    if spot is None:
        return Square(name, x, y, "unasked", "", "not asked for", f"{name}: not asked for")
    sign, word = sign_of(spot.status)
    below = word
    if spot.status == "running" and spot.doing:
        below = spot.doing.replace("_", " ")
    elif spot.status == "complete" and spot.error is not None:
        below = f"{spot.error:.2e}"
    error = f", error per gate {spot.error:.2e}" if spot.error is not None else ""
    told = f"{name}: {word}{error}{f', {spot.doing}' if spot.status == 'running' else ''}"
    return Square(name, x, y, spot.status, sign, _cut(below), told)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _row(name: str, spot: Spot, entry: dict[str, Any], benchmark: dict[str, str]) -> dict[str, str]:
    sign, word = sign_of(spot.status)
    t1 = (entry.get("measured") or {}).get("t1.t1")
    after = entry.get("after") or {}
    alone = "benchmarked alone" if entry.get("benchmarked_alone") else ""
    doing = f": {spot.doing.replace('_', ' ')}" if spot.status == "running" and spot.doing else ""
    return {
        "name": name,
        "status": f"{sign} {word}{doing}",
        "drive": f"{after['frequency']:.4f}" if "frequency" in after else "",
        "t1": with_error(t1["value"], t1.get("error")) if t1 else "",
        "error": benchmark.get("error", f"{spot.error:.2e}" if spot.error is not None else ""),
        "limit": benchmark.get("limit", ""),
        "cause": str(entry.get("cause") or spot.cause or alone),
    }
