"""All runs: search, filter, compare."""

from __future__ import annotations

import asyncio

from nicegui import ui

from labwright.apps.console import shell
from labwright.apps.console.console import Console
from labwright.tools.runs import list_runs


async def show(console: Console) -> None:
    """The list."""
    found = await asyncio.to_thread(list_runs, console.root)
    shell.heading("Runs")
    with ui.element("ul"):
        for run in found:
            with ui.element("li"):
                shell.link(run.run_id, f"/run/{run.run_id}")
