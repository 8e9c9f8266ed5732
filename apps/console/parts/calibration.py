"""A calibration: its plan as a state machine, every run of every stage, and the settings before and after."""

from __future__ import annotations

from typing import ClassVar

from markupsafe import Markup

from labwright.apps.console.parts import state_machine_layout
from labwright.apps.console.parts.html_templates import html
from labwright.apps.console.parts.rendered_section_cache import Event, SectionsPart, Watched
from labwright.apps.console.parts.settings_changes import Journal, gate_errors, of_result
from labwright.apps.console.parts.state_machine import Machines
from labwright.apps.watching.stages import Row, StageTable
from labwright.tools.runs import Run

VERDICTS = {"success": "✔ success", "adjust": "↻ adjust", "bad_data": "✘ bad data", "wrong_setup": "✘ wrong setup"}


class Calibration(Watched):
    """One calibration, from its events."""

    SECTIONS: ClassVar[tuple[str, ...]] = ("machines", "now", "stages", "settings")

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.table, self.machines, self.journal = StageTable(), Machines(), Journal(run)

    def hear(self, event: Event, now: float) -> None:
        """Take up one event."""
        if "lane" in event:
            return
        self.table.hear(event, now)
        self.machines.hear(event)
        if event.get("kind") in ("decided", "run_finished"):
            self.journal.look()

    def render(self, section: str) -> str:
        """One section as HTML."""
        if section == "now":  # by itself, because it changes with every word of an agent
            return html("now", activity=self.table.activity, running=not self.machines.finished)
        return {"machines": self._machines, "stages": self._stages, "settings": self._settings}[section]()

    def _machines(self) -> str:
        drawn = [(one, state_machine_layout.layout(one)) for one in self.machines.drawn(self.table)]
        sizes = {"width": state_machine_layout.WIDTH, "left": state_machine_layout.LEFT}
        box = {"box_width": state_machine_layout.BOX, "box_height": state_machine_layout.HEIGHT}
        return html("machines", machines=drawn, **sizes, **box) if drawn else ""

    def _stages(self) -> str:
        return stage_table(self.table, running=not self.machines.finished)

    def _settings(self) -> str:
        rows = self.journal.book.rows() or of_result(self.result).rows()
        return html("settings", rows=rows, errors=gate_errors(self.result))


def stage_table(table: StageTable, *, running: bool) -> str:
    """Every run of every stage as HTML."""
    return html("stages", rows=table.rows, running=running, mark=_verdict, then=_then)


def _verdict(row: Row, running: bool) -> str:
    if row.verdict:
        return VERDICTS.get(row.verdict, row.verdict)
    return "▶ running" if running and row.seconds is None else "–"


def _then(row: Row) -> str | Markup:
    if not row.next:
        return ""
    if row.next == row.label:
        return f"again with {row.changed}" if row.changes else "again"
    return row.next


class CalibrationPart(SectionsPart):
    """Draws a `Calibration`."""

    KIND: ClassVar[type[Watched]] = Calibration
    BESIDE: ClassVar[str] = "360px"
