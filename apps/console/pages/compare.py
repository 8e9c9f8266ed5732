"""Two runs side by side."""

from __future__ import annotations

import asyncio

from nicegui import ui

from labwright.apps.console import page_frame
from labwright.apps.console.files import pictures, run_at
from labwright.apps.console.question_form import picture
from labwright.apps.console.shared_context import Console
from labwright.apps.console.summary import key_results
from labwright.apps.runs import facts_of
from labwright.graphs.front_desk.facts import asked_of
from labwright.tools.errors import RecordError
from labwright.tools.runs import Run

MOST_FIGURES = 4


async def show(console: Console, first: str, second: str) -> None:
    """The page for the runs with these ids."""
    runs = [run_at(console.root, name) for name in (first, second)]
    with page_frame.frame("Compare", "/runs"):
        page_frame.heading("Two runs side by side")
        if runs[0] is None or runs[1] is None:
            page_frame.paragraph("One of the two runs is not there. Choose two in the list of runs.")
            page_frame.link("All runs", "/runs")
            return
        await _compared(runs[0], runs[1])


async def _compared(first: Run, second: Run) -> None:
    try:
        facts = [await asyncio.to_thread(_facts, run) for run in (first, second)]
    except RecordError as fault:
        page_frame.paragraph(str(fault))
        return
    with ui.element("div").classes("lw-scroll"), ui.element("table").classes("lw-table"):
        page_frame.Words("caption", "What was chosen, done and found; ≠ marks what differs")
        with ui.element("tr"):
            page_frame.Words("th", "").props("scope=col")
            page_frame.Words("th", "").props("scope=col")
            for run in (first, second):
                with ui.element("th").props("scope=col"):
                    page_frame.link(run.run_id, f"/run/{run.run_id}")
        for name in dict.fromkeys([*facts[0], *facts[1]]):
            _row(name, [each.get(name, "-") for each in facts])
    with ui.element("div").classes("lw-halves"):
        for run in (first, second):
            with ui.element("div").classes("lw-stack"):
                page_frame.heading(run.run_id, 2)
                for path in pictures(run)[-MOST_FIGURES:]:
                    picture(run.run_id, path)


def _facts(run: Run) -> dict[str, str]:
    """What was chosen and how long it took, then the results with errors and units."""
    return facts_of(run) | {"asked": asked_of(run, 60)} | key_results(run)


def _row(name: str, values: list[str]) -> None:
    differs = values[0] != values[1]
    with ui.element("tr"):
        page_frame.Words("th", name).props("scope=row")
        page_frame.Words("td", "≠" if differs else "").props(f'aria-label="{"differs" if differs else "the same"}"')
        for value in values:
            page_frame.Words("td", value)
