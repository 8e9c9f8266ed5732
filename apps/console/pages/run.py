"""One run as it goes on: status, question, what its system shows, figures, files, report."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import ui

from labwright.apps.console import files, page_frame, part_registry
from labwright.apps.console.interactive_plot import LivePlot
from labwright.apps.console.question_form import QuestionForm
from labwright.apps.console.run_card import file_list, gallery
from labwright.apps.console.run_controls import Controls
from labwright.apps.console.run_watcher import Feed
from labwright.apps.console.shared_context import Console
from labwright.apps.console.summary import duration, family, key_results, results_table
from labwright.apps.terminal_output import legible
from labwright.graphs.front_desk.facts import asked_of
from labwright.graphs.questions import Answer, Question
from labwright.tools.errors import ForeignRunError
from labwright.tools.runs import Run
from labwright.tools.runs.listing import FINAL

MOST_FIGURES = 60
CONTENTS = ("Results", "Course", "Figures", "Files", "Report")


async def show(console: Console, run_id: str) -> None:
    """The page of the run `run_id`."""
    run = await asyncio.to_thread(files.run_at, console.root, run_id)
    if run is None:
        with page_frame.frame("No such run"):
            page_frame.heading("There is no such run")
            page_frame.paragraph(f"No run {run_id[:100]!r} lies in the folder of the runs.")
            page_frame.link("All runs", "/runs")
        return
    with page_frame.frame(run_id, "/runs"):
        view = RunView(console, run)
        view.draw()
        await view.begin()


class RunView:
    """One window's view of one run."""

    def __init__(self, console: Console, run: Run) -> None:
        self.console, self.run = console, run
        self.feed: Feed = console.live.feed(run)
        self._asked, self._ended = "", ""
        self._listed: list[str] = []

    def draw(self) -> None:
        """Make the elements."""
        run = self.run
        title = asked_of(run, 90)
        page_frame.heading(title)
        if " ".join(run.record.asked.split()) != title:
            with ui.element("details"):
                page_frame.Words("summary", "What was asked, in full")
                page_frame.Words("div", run.record.asked[:20_000], "lw-said")
        with ui.element("div").classes("lw-row"):
            self._status = page_frame.StatusChip("running")
            self._reason = page_frame.Words("span", "", "lw-dim")
        with ui.element("div").classes("lw-row lw-dim"):
            choices = run.record.choices
            begun = run.record.created[:16].replace("T", " ")
            page_frame.Words(
                "span", f"{run.run_id} · {begun} UTC · model {choices.get('mind', 'rules')}, seed {run.record.seed}"
            )
            self._took = page_frame.Words("span", "")
        with ui.element("nav").classes("lw-row lw-contents").props('aria-label="Contents"'):
            for name in CONTENTS:
                page_frame.link(name, f"#{name.lower()}")
        self._controls = Controls(self.console, run)
        self._ours = run.chain.ours
        if self._ours:
            self._controls.draw()
        else:
            page_frame.paragraph(str(ForeignRunError(run.folder.name, changed=run.chain.changed)), "lw-status")
        self._form = ui.element("div").classes("lw-stack")
        _section("Results")
        self._results = ui.html("They come at the end.", sanitize=False).classes("lw-scroll")
        self._family = ui.html("", sanitize=False)
        _section("Course")
        self._part_slot = ui.element("div").classes("lw-stack")
        _section("Figures")
        self._plot = LivePlot(run)
        self._plot.draw()
        self._figures = ui.html("", sanitize=False).classes("lw-figures")
        _section("Files")
        self._files = ui.html("", sanitize=False)
        _section("Report")
        self._report = ui.html("The report is written at the end.", sanitize=True).classes("lw-report")

    async def begin(self) -> None:
        """Show what there is, and go on with what comes."""
        client = ui.context.client
        client.on_delete(await self.feed.subscribe(self.hear))
        self._draw_part(list(self.feed.events))
        self._refresh()
        if tree := await asyncio.to_thread(family, self.console.root, self.run):
            self._family.content = f"<p>Runs with the same past:</p>{tree}"

    def hear(self, events: list[dict[str, Any]]) -> None:
        """New events, or another status."""
        if any(event.get("kind") == part_registry.PLANNED for event in events):
            self._draw_part(list(self.feed.events))
        elif events:
            with self._part_slot:
                self._part.update(self.run, events)
        self._refresh()

    def _draw_part(self, events: list[dict[str, Any]]) -> None:
        self._part_slot.clear()
        with self._part_slot:
            self._part = part_registry.part_of(self.run, events)
            self._part.draw(self.run)
            self._part.update(self.run, events)

    def _refresh(self) -> None:
        """Everything that is no event: status, question, figures, files, report."""
        feed, state = self.feed, self.feed.state
        if state is None:
            return
        self._status.show(state.status)
        if state.status in FINAL and state.status != self._ended:
            self._ended = state.status
            self._results.content = results_table(key_results(self.run)) or "It has none."
            self._took.text = f"took {spent}" if (spent := duration(self.run)) else ""
        self._reason.text = legible(state.reason)
        if self._ours:
            self._controls.show(state)
        self._plot.update(feed.plots)
        _put(self._figures, gallery(self.run.run_id, feed.figures[-MOST_FIGURES:]) or "There are none yet.")
        if feed.report:
            _put(self._report, feed.report)
        _put(self._files, file_list(self.run.run_id, feed.files))
        question = feed.questions[0] if feed.questions else None
        wanted = str(question["id"]) if question else ""
        if wanted != self._asked:
            self._asked = wanted
            self._ask(Question.model_validate(question) if question else None)

    def _ask(self, question: Question | None) -> None:
        self._form.clear()
        if question is None or not self._ours:
            return
        figures = tuple((self.run.run_id, path) for path in question.figures)
        with self._form:
            QuestionForm(question, "", figures, self._give, self.run.folder).draw()

    def _give(self, answer: Answer, shown: str) -> None:
        talk = self.console.talks.answer(self.run.run_id, answer, shown)
        self._form.clear()
        self._asked = ""  # if it was not taken, the next look shows the question again
        with self._form:
            page_frame.paragraph(f"You answered: {shown}", "lw-dim")
            name = talk.name
            if name:
                page_frame.link("The conversation", f"/conversation/{name}")


def _section(name: str) -> None:
    """The heading of a part of the page, which the contents lead to."""
    page_frame.heading(name, 2).props(f"id={name.lower()}")


def _put(shown: ui.html, content: str) -> None:
    """Send `content` only if it is not there already."""
    if shown.content != content:
        shown.content = content
