"""A wet-lab protocol: its plates well by well, the steps, the sources to load, and what the checks say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from nicegui import ui

from labwright.apps.console.markdown_html import file_url
from labwright.apps.console.parts.html_templates import Section, html
from labwright.apps.console.parts.plates import ProtocolRecord, amounts_of, spans
from labwright.apps.console.parts.rendered_section_cache import Event, SectionsPart, Watched
from labwright.tools.runs import Run

FILES = ("robot/protocol.json", "proposal.json")  # what was written, else what a person is asked to approve
LARGEST = 4_000_000  # bytes
PLATES = "plates "  # how the sections of the plate map for one source begin
SEVERITIES = {"error": "✘ error", "warning": "! warning", "info": "i note"}
# Arrow keys walk over the wells; whatever well has the focus or the mouse is told below the plates. Text only.
WALK = """(event) => {
  const steps = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]};
  const well = event.target.closest('.lw-well');
  if (!well || !steps[event.key]) return;
  event.preventDefault();
  const [down, right] = steps[event.key];
  const row = well.parentElement.parentElement.children[well.parentElement.rowIndex - 1 + down];
  const next = row && row.children[well.cellIndex + right];
  if (!next || !next.classList.contains('lw-well')) return;
  well.tabIndex = -1; next.tabIndex = 0; next.focus();
}"""
TELL = """(event) => {
  const well = event.target.closest('.lw-well');
  const place = event.currentTarget.querySelector('.lw-tell');
  if (well && place) place.textContent = well.dataset.told;
}"""


class ProtocolWatch(Watched):
    """One design, from its events and the record that it writes."""

    SECTIONS: ClassVar[tuple[str, ...]] = ("state",)

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.progress: list[str] = []
        self.record: ProtocolRecord | None = None
        self.written = self.finished = False
        self.file = ""  # the robot's, once it is written

    def hear(self, event: Event, now: float) -> None:
        """Take up one event."""
        if "agent" in event:
            return
        kind = event.get("kind")
        if kind == "calculated":
            self._say(f"{event.get('vials')} vials were computed.")
        elif kind == "planned":
            self._say(f"{event.get('steps')} steps were planned.")
        elif kind == "written":
            self.written, self.file = True, str(event.get("xml") or "")
        if kind in ("question", "written", "run_finished"):
            self.finished = kind == "run_finished"
            self.record = self._read() or self.record

    def render(self, section: str) -> str:
        """``state``, ``findings``, ``steps``, ``sources``, or ``plates <source>``."""
        if section == "state":
            facts = self.result.get("facts", {})
            state = {"finished": self.finished, "written": self.written, "shown": self.record is not None}
            place = {"file": self.file, "url": file_url(self.run.run_id, self.file), "folder": str(self.run.folder)}
            return html("protocol", progress=self.progress, facts=facts, **state, **place)
        if self.record is None:
            return ""
        if section.startswith(PLATES):
            source = section.removeprefix(PLATES)
            return html("plates", plates=self.record.plates(source), source=source)
        rows = self.record.record.get(section, [])
        words = {"part": section, "severities": SEVERITIES}
        return html("protocol_tables", rows=rows, spans=spans, amounts=amounts_of, **words)

    def _say(self, text: str) -> None:
        if text not in self.progress:
            self.progress.append(text)

    def _read(self) -> ProtocolRecord | None:
        for name in FILES:
            if (found := _json(self.run.folder / name)) is not None:
                record = ProtocolRecord(found)
                record.most_telling()  # raises here, where it is caught, if the steps are ill-formed
                return record
        return None


class ProtocolPart(SectionsPart):
    """Draws a design: the state, the plate map with a choice of the source, and the tables below."""

    KIND: ClassVar[type[Watched]] = ProtocolWatch

    def draw(self, run: Run) -> None:
        """Make the elements in the current slot."""
        super().draw(run)
        self.chosen = ui.select([], label="Show the amount of", on_change=lambda: self._show_plates())
        self.chosen.classes("lw-choose").props("outlined dense options-dense")
        self.chosen.set_visibility(False)
        with ui.element("div").classes("lw-plates") as self.around:
            self.map = Section()
            self.tell = ui.html("", sanitize=False)
        self.around.on("keydown", js_handler=WALK)
        self.around.on("focusin", js_handler=TELL)
        self.around.on("mouseover", js_handler=TELL)
        self.tables = {name: Section() for name in ("findings", "steps", "sources")}

    def update(self, run: Run, events: list[Event]) -> None:
        """Take up new events."""
        super().update(run, events)
        assert isinstance(self.watched, ProtocolWatch)
        record = self.watched.record
        for name, section in self.tables.items():
            section.show(self.watched.html(name))
        if record is None:
            return
        if record.sources != self.chosen.options:
            kept = self.chosen.value if self.chosen.value in record.sources else record.most_telling()
            self.chosen.set_options(record.sources, value=kept or None)
            self.chosen.set_visibility(len(record.sources) > 1)
        self._show_plates()

    def _show_plates(self) -> None:
        assert isinstance(self.watched, ProtocolWatch), "`draw` comes before `update`"
        self.map.show(self.watched.html(f"{PLATES}{self.chosen.value or ''}"))
        hint = "Point at a well, or go there with Tab and the arrow keys: what is in it is told here."
        self.tell.set_content(html("well_told", hint=hint) if self.watched.record else "")


def _json(path: Path) -> dict[str, Any] | None:
    """The record in `path`; None if it is not there, is a link, is too large or does not read back."""
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return None
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
