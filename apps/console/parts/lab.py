"""A calibration of one qubit or of a whole chip: which of the two it is, its log says a moment after it began."""

from __future__ import annotations

from nicegui import ui

from labwright.apps.console.part import Part
from labwright.apps.console.parts.calibration import CalibrationPart
from labwright.apps.console.parts.chip import ChipPart
from labwright.apps.console.parts.drawing import styles
from labwright.apps.console.parts.watched import Event
from labwright.tools.runs import Run


class LabPart:
    """Draws a `CalibrationPart` until the log begins with a plan of lanes, then a `ChipPart`."""

    def __init__(self) -> None:
        self._part: Part = CalibrationPart()
        self._before: list[Event] = []  # until it is known which it is
        self._known = False

    def draw(self, run: Run) -> None:
        """Make the elements in the current slot."""
        styles()
        self._place = ui.element("div").classes("lw-stack")
        with self._place:
            self._part.draw(run)

    def update(self, run: Run, events: list[Event]) -> None:
        """Take up new events."""
        if not self._known:
            self._before += events
            kinds = {event.get("kind") for event in self._before if "agent" not in event}
            if "chip_planned" in kinds:
                self._place.clear()
                self._part = ChipPart()
                with self._place:
                    self._part.draw(run)
                events = self._before
            self._known = not kinds.isdisjoint({"chip_planned", "planned"})
        with self._place:
            self._part.update(run, events)
