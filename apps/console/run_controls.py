"""What a person can do with a run: pause it, go on with it, fork it. Each goes the way of the chat's commands."""

from __future__ import annotations

import asyncio

from nicegui import ui

from labwright.apps.calibrate import check_budget
from labwright.apps.console import page_frame
from labwright.apps.console.shared_context import Console
from labwright.apps.console.summary import MEASURED
from labwright.graphs.registry import SYSTEMS, driver_of
from labwright.tools.errors import ToolError
from labwright.tools.runs import Run, RunSummary, summarise

RESUMABLE = ("stopped", "dead")
UNITS = {"feature_map_search": "trials"}


class Controls:
    """The buttons of one window."""

    def __init__(self, console: Console, run: Run) -> None:
        self.console, self.run = console, run

    def draw(self) -> None:
        """Make the elements."""
        with ui.element("div").classes("lw-row"):
            self._pause = ui.button("Pause at the next stage", on_click=self._paused).props("outline no-caps")
            self._resume = ui.button("Go on", on_click=self._resumed).props("no-caps")
            with ui.element("details"):
                known = SYSTEMS.get(self.run.record.system)  # another version may have made the run
                forks = known is not None and known.forks
                page_frame.Words("summary", "Measure again from here, budget" if forks else "Budget for going on")
                with ui.element("div").classes("lw-row"):
                    self._budget = ui.input("Budget for going on").props('dense outlined hint="money=2,tokens=20000"')
                    if forks:
                        self._fork_form()
        self._wrong = page_frame.Words("p", "", "lw-status").props("role=alert")

    def _fork_form(self) -> None:
        unit = UNITS.get(self.run.record.system, "stage runs")
        self._stage = ui.number(f"Keep so many {unit}", value=0, min=0, precision=0).props("dense outlined")
        self._ask = ui.checkbox("Ask me first, with parameters to change")
        self._ask.set_visibility(self.run.record.system == MEASURED)
        ui.button("Measure again from here", on_click=self._forked).props("outline no-caps")

    def show(self, state: RunSummary) -> None:
        """Offer what can be done in this state."""
        self._pause.set_visibility(state.status == "running")
        self._resume.set_visibility(state.status in RESUMABLE)

    def _paused(self) -> None:
        from labwright.graphs.front_desk.workers import WORKERS

        if not WORKERS.drives(self.run) and summarise(self.run).status != "running":
            self._wrong.text = "The run does not work now, so it cannot be paused."
            return
        WORKERS.pause(self.run)
        ui.notify("It pauses before its next stage.")

    def _resumed(self) -> None:
        budget = str(self._budget.value or "").strip()
        try:
            if budget:
                check_budget(budget)
        except ToolError as wrong:
            self._wrong.text = str(wrong)
            return
        if summarise(self.run).status not in RESUMABLE:
            self._wrong.text = "The run neither stopped nor broke off, so there is nothing to go on with."
            return
        talk = self.console.talks.of_run(self.run.run_id) or self.console.talks.newest()
        talk.adopt(self.run.run_id, budget)
        self._wrong.text = ""

    async def _forked(self) -> None:
        stage = int(self._stage.value or 0)
        try:
            fork, ask = driver_of(self.run).fork, bool(self._ask.value)
            new = await asyncio.to_thread(fork, self.run.run_id, self.console.root, stage=stage, ask=ask)
        except (ToolError, OSError) as wrong:
            self._wrong.text = str(wrong)
            return
        talk = self.console.talks.of_run(self.run.run_id) or self.console.talks.newest()
        talk.adopt(str(new))
        ui.navigate.to(f"/run/{new}")
