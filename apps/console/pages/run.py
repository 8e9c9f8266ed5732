"""One run as it goes on: status, question, figures, what its system shows, files, report."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import ui

from labwright.apps.console import files, part, shell
from labwright.apps.console.console import Console
from labwright.apps.console.live import Feed
from labwright.apps.screen import legible
from labwright.tools.runs import Run


async def show(console: Console, run_id: str) -> None:
    """The page of the run `run_id`."""
    run = await asyncio.to_thread(files.run_at, console.root, run_id)
    if run is None:
        with shell.frame("No such run"):
            shell.heading("There is no such run")
            shell.paragraph(f"No run {run_id!r} lies in {console.root}.")
            shell.link("All runs", "/runs")
        return
    with shell.frame(run_id, "/run"):
        view = RunView(console, run)
        await view.begin()


class RunView:
    """One window's view of one run."""

    def __init__(self, console: Console, run: Run) -> None:
        self.console, self.run = console, run
        self.feed: Feed = console.live.feed(run)
        shell.heading(run.run_id)
        shell.paragraph(run.record.asked[:2000], "lw-said")
        with ui.element("div").classes("lw-row"):
            self.status = shell.StatusChip("running")
            self.reason = shell.Words("span", "", "lw-dim")
        self.slot = ui.element("div").classes("lw-stack")
        shell.heading("Figures", 2)
        self.figures = ui.html("", sanitize=False).classes("lw-figures")

    async def begin(self) -> None:
        """Draw what there is, and go on with what comes."""
        stop = await self.feed.subscribe(self.hear)
        ui.context.client.on_delete(stop)
        with self.slot:
            self.part = part.part_of(self.run)
            self.part.draw(self.run)
        self.hear(list(self.feed.events))

    def hear(self, events: list[dict[str, Any]]) -> None:
        """New events, or another status."""
        state = self.feed.state
        if state is not None:
            self.status.show(state.status)
            self.reason.text = legible(state.reason)
        if events:
            with self.slot:
                self.part.update(self.run, events)
