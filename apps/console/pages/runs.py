"""All runs: searched, filtered, two of them chosen to be compared."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any
from urllib.parse import quote

from nicegui import ui

from labwright.apps.console import page_frame
from labwright.apps.console.files import run_at
from labwright.apps.console.shared_context import Console
from labwright.apps.console.summary import duration, key_results
from labwright.apps.terminal_output import legible
from labwright.graphs.front_desk.facts import asked_of
from labwright.graphs.registry import SYSTEMS
from labwright.tools.runs import RunSummary, list_runs
from labwright.tools.runs.listing import FINAL

MOST_SHOWN = 100
SHOWN = 3  # results of each
ANY = "any"
TITLES = {ANY: "any system"} | {name: entry.title for name, entry in SYSTEMS.items()}
STATES = [ANY, *page_frame.MARKS]


async def show(console: Console) -> None:
    """The page."""
    found = await asyncio.to_thread(list_runs, console.root)
    listing = Listing(console, found)
    listing.draw()
    ui.timer(0.0, listing.results, once=True)  # the page is there before the slow work


@dataclass
class Listing:
    """One window's list."""

    console: Console
    runs: list[RunSummary]
    _chosen: list[str] = field(default_factory=list)
    _read: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # id -> title, duration, main results
    _cells: dict[str, tuple[page_frame.Words, ...]] = field(default_factory=dict)  # they show `_read`

    def draw(self) -> None:
        """Make the elements."""
        page_frame.heading("Runs")
        with ui.element("div").classes("lw-row").props("role=search"):
            self._words = ui.input("Search", on_change=self.refresh).props("outlined dense clearable")
            self._system = ui.select(TITLES, value=ANY, label="System", on_change=self.refresh)
            self._state = ui.select(STATES, value=ANY, label="Status", on_change=self.refresh)
            for one in (self._system, self._state):
                one.props("outlined dense").classes("lw-choice")
            ui.button("Look again", on_click=self._again).props("outline no-caps")
        with ui.element("div").classes("lw-row"):
            self._compare = ui.button("Compare the two", on_click=self._compared).props("no-caps")
            self._hint = page_frame.Words("span", "", "lw-dim").props("role=status")
        self._table = ui.element("div").classes("lw-scroll")
        self.refresh()

    def refresh(self) -> None:
        """Show the runs that fit."""
        words = str(self._words.value or "")
        fitting = matching(self.runs, words, str(self._system.value), str(self._state.value))
        self._table.clear()
        self._cells.clear()
        with self._table, ui.element("table").classes("lw-table lw-full"):
            page_frame.Words("caption", f"{len(fitting)} of {len(self.runs)} runs, the newest first")
            with ui.element("tr"):
                for title in ("compare", "run", "status", "system", "took", "key results", "reason"):
                    page_frame.Words("th", title).props("scope=col")
            for run in fitting[:MOST_SHOWN]:
                self._row(run)
        self._mark()

    async def results(self) -> None:
        """Read what the newest runs found, and show it."""
        self._read = await asyncio.to_thread(_results, self.console.root, self.runs[:MOST_SHOWN])
        for run_id in self._cells.keys() & self._read.keys():  # in place: a click on a row drawn anew would be lost
            for cell, text in zip(self._cells[run_id], self._read[run_id], strict=True):
                cell.text = legible(text)

    def _row(self, run: RunSummary) -> None:
        with ui.element("tr"):
            with ui.element("td"):
                box = ui.checkbox(value=run.run_id in self._chosen, on_change=lambda e, r=run: self._choose(r, e.value))
                box.props["aria-label"] = f"compare {run.run_id}"
            with ui.element("td"):
                title, took, found = self._read.get(run.run_id, (shorten(run.asked, 90, placeholder=" ..."), "", ""))
                link = page_frame.link(title, f"/run/{quote(run.run_id)}")
                page_frame.Words("div", run.run_id, "lw-hint")
            with ui.element("td"):
                page_frame.StatusChip(run.status)
            page_frame.Words("td", TITLES.get(run.system, run.system))
            self._cells[run.run_id] = (link, page_frame.Words("td", took, "lw-number"), page_frame.Words("td", found))
            page_frame.Words("td", run.reason[:200])

    def _choose(self, run: RunSummary, wanted: Any) -> None:
        self._chosen = [name for name in self._chosen if name != run.run_id] + ([run.run_id] if wanted else [])
        self._mark()

    def _mark(self) -> None:
        self._compare.set_enabled(len(self._chosen) == 2)
        self._hint.text = f"{len(self._chosen)} chosen; two can be compared."

    def _compared(self) -> None:
        first, second = self._chosen
        ui.navigate.to(f"/compare?first={quote(first)}&second={quote(second)}")

    async def _again(self) -> None:
        self.runs = await asyncio.to_thread(list_runs, self.console.root)
        self.refresh()
        await self.results()


def _results(root: Path, runs: list[RunSummary]) -> dict[str, tuple[str, str, str]]:
    found = {}
    for one in runs:
        if (run := run_at(root, one.run_id)) is not None:
            first = list(key_results(run).items())[:SHOWN] if one.status in FINAL else []
            found[one.run_id] = (
                asked_of(run, 90),
                duration(run),
                "; ".join(f"{name} {value}" for name, value in first),
            )
    return found


def matching(runs: list[RunSummary], words: str, system: str = ANY, state: str = ANY) -> list[RunSummary]:
    """The runs that hold all of `words` in their id, request or reason, of that system and status."""
    wanted = words.lower().split()
    found = []
    for run in runs:
        text = f"{run.run_id} {run.asked} {run.reason}".lower()
        if system in (ANY, run.system) and state in (ANY, run.status) and all(word in text for word in wanted):
            found.append(run)
    return found
