"""A forging run: its steps, each tool with gate, tests and review, how the solution was judged, and the workspace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from nicegui import events as ui_events
from nicegui import ui

from labwright.apps.console import page_frame
from labwright.apps.console.parts import workspace
from labwright.apps.console.parts.html_templates import Section, html
from labwright.apps.console.parts.rendered_section_cache import Event, SectionsPart, Watched
from labwright.apps.watching.forging_steps import StepTable
from labwright.tools.runs import Run

WORKSPACE = "workspace"
STATES = {
    "admitted": "✔ admitted",
    "refused": "✘ refused",
    "done": "✔ done",
    "again": "↻ once more",
    "open": "▶ at work",
    "drafted": "▶ at work",
    "stopped": "■ not finished",
}
# What may have changed the workspace.
WRITES = {
    "drafted",
    "gating",
    "gated",
    "reviewed",
    "admitted",
    "tool_refused",
    "executing",
    "executed",
    "evaluated",
    "run_finished",
}


@dataclass
class Forged:
    """One tool on its way into the toolset.

    Attributes:
        drafts: how many drafts the gate has seen.
        findings: of the gate on the newest draft.
        checks: check of the gate -> seconds it took.
        bugs: what the reviewer found, all reviews together.
        source: path of the newest draft in the workspace.
    """

    name: str
    purpose: str = ""
    package: str = ""
    state: str = "open"
    drafts: int = 0
    findings: list[str] = field(default_factory=list)
    checks: dict[str, float] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)
    killed: int = 0
    mutants: int = 0
    reviews: int = 0
    approved: bool = False
    bugs: list[str] = field(default_factory=list)
    source: str = ""


class Forge(Watched):
    """One forging run, from its events; the workspace is listed when something may have been written."""

    SECTIONS: ClassVar[tuple[str, ...]] = ("now", "steps", "tools", "criteria")

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.table = StepTable()
        self.tools: dict[str, Forged] = {}
        self.planned: dict[str, dict[str, Any]] = {}  # contracts of the newest analysis, by name
        self.files = workspace.Listing((), False)
        self.newest = ""  # what a window shows that has not chosen: the draft at work, the report at the end
        self.finished = False
        self._stale = True
        self._shown: dict[str, str] = {}

    def hear(self, event: Event, now: float) -> None:
        """Take up one event."""
        self.table.hear(event, now)
        kind = str(event.get("kind"))
        if "agent" in event:
            self._of_agent(event)
            return
        self._stale = self._stale or kind in WRITES
        if kind in ("run_started", "run_finished", "tool_begun", "executing"):
            self.finished = kind == "run_finished"
        if "tool" in event:
            self._of_tool(self._tool(str(event["tool"])), kind, event)

    def look(self) -> workspace.Listing:
        """The workspace as it is now."""
        if self._stale:
            self._stale = False
            self._shown.clear()
            self.files = workspace.listing(self.run.folder / WORKSPACE)
            self.newest = self._newest()
        return self.files

    def file(self, path: str) -> str:
        """A file of the workspace as HTML, read again only after something may have been written."""
        if path not in self._shown:
            self._shown[path] = workspace.shown(self.run.folder / WORKSPACE, path)
        return self._shown[path]

    def render(self, section: str) -> str:
        """One section as HTML."""
        if section == "now":  # by itself, because it changes with every word of an agent
            return html("now", activity=self.table.activity, running=not self.finished)
        if section == "steps":
            return html("steps", rows=self.table.rows, states=STATES, finished=self.finished)
        if section == "tools":
            tools = list(self.tools.values())
            return html("tools", tools=tools, states=STATES, finished=self.finished) if tools else ""
        criteria = self.result.get("criteria", [])
        return html("criteria", criteria=criteria, result=self.result) if criteria else ""

    def _tool(self, name: str) -> Forged:
        contract = self.planned.get(name, {})
        purpose, package = str(contract.get("purpose", "")), str(contract.get("package", ""))
        return self.tools.setdefault(name, Forged(name, purpose, package))

    def _of_agent(self, event: Event) -> None:
        output = event.get("output")
        if not isinstance(output, dict):
            return
        if str(event["agent"]).endswith(".analyse"):
            self.planned |= {str(one["name"]): one for one in output.get("new", []) if isinstance(one, dict)}

    def _of_tool(self, tool: Forged, kind: str, event: Event) -> None:
        if kind == "tool_begun":
            self.tools[tool.name] = self.tools.pop(tool.name)  # the newest is the last
            tool.state = "open"
        elif kind == "drafted":
            tool.source = str(event.get("source", ""))
        elif kind == "gated":
            tool.drafts += 1
            tool.findings = [str(one) for one in event.get("findings", [])]
            tool.tests = [str(one) for one in event.get("tests", [])]
        elif kind == "reviewed":
            tool.reviews += 1
            tool.approved = bool(event.get("approved"))
            tool.bugs += [str(one) for one in event.get("bugs", [])]
        elif kind == "admitted":
            tool.state, tool.checks = "admitted", event.get("checks") or {}
            mutants = event.get("mutants") or {}
            tool.killed, tool.mutants = int(mutants.get("killed", 0)), int(mutants.get("total", 0))
        elif kind == "tool_refused":
            tool.state, tool.findings = "refused", [str(one) for one in event.get("findings", [])]

    def _newest(self) -> str:
        drafts = [tool.source for tool in self.tools.values() if tool.source]
        wanted = ["report.md"] if self.finished else []
        wanted += [*reversed(drafts[-1:]), "question.md"]
        return next((path for path in wanted if path in self.files.files), "")


class ForgePart(SectionsPart):
    """Draws a `Forge`, with a tree of the workspace and the file that was chosen in it."""

    KIND: ClassVar[type[Watched]] = Forge

    def draw(self, run: Run) -> None:
        """Make the elements in the current slot."""
        super().draw(run)
        ui.add_css(workspace.style_sheet())
        self.run, self.chosen, self.known = run, "", workspace.Listing((), False)
        page_frame.heading("Workspace", 2)
        with ui.element("div").classes("lw-workspace"):
            with ui.element("nav").props('aria-label="Files of the workspace"').classes("lw-tree"):
                self.tree = ui.tree([], on_select=self._choose).props("dense no-connectors no-selection-unset")
            self.file = Section()

    def update(self, run: Run, events: list[Event]) -> None:
        """Take up new events."""
        super().update(run, events)
        assert isinstance(self.watched, Forge)
        files = self.watched.look()
        if files != self.known:
            self.known = files
            self.tree.props["nodes"] = workspace.tree(files.files)
            self.tree.update()
        self._show()

    def _choose(self, event: ui_events.ValueChangeEventArguments[str | None]) -> None:
        if event.value:
            self.chosen = str(event.value)
            self._show()

    def _show(self) -> None:
        assert isinstance(self.watched, Forge), "`draw` comes before `update`"
        path = self.chosen or self.watched.newest
        if path:
            self.file.show(self.watched.file(path))
