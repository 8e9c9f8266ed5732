"""What a run's page draws of one system: a `Part`, and which system has which."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast

from labwright.tools.runs import Run

# Module and class of each system's part.
_PARTS = "labwright.apps.console.parts"
PARTS: dict[str, tuple[str, str]] = {
    "lab_calibration": (f"{_PARTS}.calibration", "CalibrationPart"),
    "feature_map_search": (f"{_PARTS}.search", "SearchPart"),
    "tool_forging": (f"{_PARTS}.forge", "ForgePart"),
    "protocol_design": (f"{_PARTS}.protocol", "ProtocolPart"),
}


CHIP = (f"{_PARTS}.chip", "ChipPart")
PLANNED = "chip_planned"  # only now it is known that a calibration is of a whole chip


class Part(Protocol):
    """One window's view of one run. Made anew for every window.

    Hundreds of windows may show one run: keep few elements (one ``ui.html`` with escaped text is cheap, a hundred
    labels are not) and compute what all windows share once. Layout: Quasar's classes and `shell.CSS`; Tailwind is off.
    """

    def draw(self, run: Run) -> None:
        """Make the elements in the current slot. `update` follows at once with all events so far."""

    def update(self, run: Run, events: list[dict[str, Any]]) -> None:
        """Take up new events, on the loop; no slow work and no file reading of more than a few kB here."""


def part_of(run: Run, events: list[dict[str, Any]]) -> Part:
    """The part for the run's system and what `events` say of it; a plain table of what happened where there is none."""
    module, found = PARTS.get(run.record.system, ("labwright.apps.console.event_list_part", "PlainPart"))
    if run.record.system == "lab_calibration" and any(event.get("kind") == PLANNED for event in events):
        module, found = CHIP
    return cast(Part, getattr(importlib.import_module(module), found)())
