"""A run in a few lines, as it goes on: for the conversation that started it."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import background_tasks, ui

from labwright.apps.console import page_frame
from labwright.apps.console.files import REPORT, run_at
from labwright.apps.console.markdown_html import file_url
from labwright.apps.console.shared_context import Console
from labwright.apps.console.summary import key_results, main_figure, results_table
from labwright.apps.event_line import progress_line
from labwright.apps.terminal_output import legible
from labwright.graphs.front_desk.facts import asked_of
from labwright.tools.runs import Run
from labwright.tools.runs.listing import FINAL

MOST_FIGURES = 3  # the newest
MOST_FILES = 8
ROBOT = "robot/"


class RunCard:
    """One window's card of one run."""

    def __init__(self, console: Console, run_id: str) -> None:
        self.console, self.run_id = console, run_id
        self.run: Run | None = run_at(console.root, run_id)
        self._line, self._ended = "", ""
        self._names: list[str] = []

    def draw(self) -> None:
        """Make the elements and follow the run."""
        run = self.run
        if run is None:
            page_frame.paragraph(f"{self.run_id} is gone.")
            return
        with ui.element("article").classes("lw-card lw-stack"):
            with ui.element("div").classes("lw-row"):
                self._status = page_frame.StatusChip("running")
                page_frame.link(asked_of(run, 80), f"/run/{run.run_id}")
                page_frame.Words("span", run.run_id, "lw-hint")
            self._now = page_frame.Words("p", "", "lw-dim")
            self._files = ui.html("", sanitize=False)
            with ui.element("div").classes("lw-halves"):
                self._results = ui.html("", sanitize=False).classes("lw-scroll lw-filled")
                self._figures = ui.html("", sanitize=False).classes("lw-figures lw-filled")
        feed = self.console.live.feed(run)
        client = ui.context.client

        async def follow() -> None:
            client.on_delete(await feed.subscribe(self.hear))
            self.hear(list(feed.events))

        self._feed = feed
        background_tasks.create(follow(), name=f"card {run.run_id}")

    def hear(self, events: list[dict[str, Any]]) -> None:
        """New events, or another status."""
        run, state = self.run, self._feed.state
        assert run is not None
        if state is not None:
            self._status.show(state.status)
        for event in events:
            self._line = progress_line(event) or self._line
        self._now.text = legible(self._line)
        names = self._feed.figures[-MOST_FIGURES:]
        if state is not None and state.status in FINAL:
            if self._ended != state.status:
                self._results.content = results_table(key_results(run))
                self._files.content = handed_over(run, self._feed.files)
            self._ended, self._now.text = state.status, legible(state.reason)
            names = [path] if (path := main_figure(run)) else []
        if names != self._names:
            self._names = names
            self._figures.content = gallery(run.run_id, names)


def handed_over(run: Run, files: list[str]) -> str:
    """Links that save what the run leaves for others, a robot's files before its report, and the folder, as HTML."""
    robot = [path for path in files if path.startswith(ROBOT) and not path.endswith(".png")][:MOST_FILES]
    named = [*robot, *(path for path in files if path == REPORT)]
    place = f"Files, in <code>{escape(legible(str(run.folder)))}</code>:"
    return f"{place}{file_list(run.run_id, named)}" if named else ""


def file_list(run_id: str, paths: list[str]) -> str:
    """Links that save the files of a run, as HTML; every name is escaped."""
    if not paths:
        return "There are none yet."
    items = "".join(
        f'<li><a href="{escape(file_url(run_id, path))}?download" download>{escape(legible(path))}</a></li>'
        for path in paths
    )
    return f"<ul>{items}</ul>"


def gallery(run_id: str, names: list[str]) -> str:
    """Figures as HTML; every name is escaped."""
    return "".join(
        f'<figure><a href="{escape(file_url(run_id, name))}" target="_blank">'
        f'<img src="{escape(file_url(run_id, name))}" alt="{escape(legible(name))}" loading="lazy"></a>'
        f"<figcaption>{escape(legible(name.rpartition('/')[2]))}</figcaption></figure>"
        for name in names
    )
