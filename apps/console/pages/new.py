"""A new specification, field by field: the same fields, defaults and checks as ``labwright new SYSTEM --ask``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from nicegui import ui

from labwright.apps.console import page_frame
from labwright.apps.console.fields import Control, control, told
from labwright.apps.console.shared_context import Console
from labwright.apps.new_specification import checks
from labwright.graphs.feature_map_search.choices import Choices
from labwright.tools.errors import InputError
from labwright.tools.specifications.examples import KINDS, example, path_of
from labwright.tools.specifications.form import FormField, fields, fixed
from labwright.tools.specifications.kinds import SHORT, SYSTEMS, system_named, typed
from labwright.tools.specifications.schema import schema_of
from labwright.tools.specifications.search import SearchSpec
from labwright.tools.specifications.task import FREE
from labwright.tools.specifications.yaml_files import read_document, to_yaml

TITLE = "New specification"
FIRST = ("title", "steps", "for", "question", "dataset", "trials", "ideas", "qubits", "evaluations")  # shown unfolded


async def show(console: Console) -> None:
    """The systems there are, each with its examples."""
    page_frame.heading(TITLE)
    page_frame.paragraph(
        "What you fill in becomes a document. It is checked while you write, and runs when you say so."
    )
    with ui.element("dl"):
        for short in SYSTEMS:
            page_frame.Words("dt", short)
            with ui.element("dd").classes("lw-row"):
                _links(short)


def _links(short: str) -> None:
    page_frame.link("empty", f"/new/{short}")
    for kind in _examples(short):
        page_frame.link(f"example: {kind}", f"/new/{short}?kind={kind}")


def _examples(short: str) -> list[str]:
    """The kinds of examples that have fields; a procedure in prose has none."""
    return [kind for kind in KINDS[short] if path_of(short, kind).suffix == ".yaml"]


async def fill(console: Console, name: str, kind: str, step: dict[str, Any] | None = None) -> None:
    """The form of one system's specification: empty, filled with an example, or with one step of the library."""
    with page_frame.frame(TITLE, "/new"):
        try:
            system = system_named(name)
            if kind and kind not in _examples(SHORT[system]):
                raise InputError(f"There is no example {kind!r}. There are: {', '.join(_examples(SHORT[system]))}.")
        except InputError as wrong:
            page_frame.heading(TITLE)
            page_frame.paragraph(str(wrong), "lw-card lw-wrong")
            return
        now = read_document(example(SHORT[system], kind)).data if kind else {}
        form = NewForm(console, system, kind, {"steps": [step]} if step else now)
        form.draw()
        ui.timer(0.0, form.refresh, once=True)  # the page is there before the slow work


def work_of(data: dict[str, Any]) -> str:
    """How much a search is, in words; empty for other systems, whose plans say it."""
    found = typed(data)
    if not isinstance(found, SearchSpec):
        return ""
    named = {name: getattr(found, name) for name in ("trials", "ideas", "preparation", "evaluations")}
    count = Choices(**named).budget_of_evaluations
    return f"It evaluates {count} kernels in all, and tries as many settings of every baseline."


class NewForm:
    """One window's form."""

    def __init__(self, console: Console, system: str, kind: str, now: dict[str, Any]) -> None:
        self.console, self.system, self.now = console, system, now
        self.schema = schema_of(system, kind or FREE)
        lab = console.talks.terms.lab
        self.check = checks(system, Path(lab) if lab else None)
        self.controls: dict[str, Control] = {}
        self._turn = 0  # of the newest look; an older one that ends later is not shown

    def draw(self) -> None:
        """The fields on one side, what they make on the other."""
        with ui.element("div").classes("lw-row"):
            page_frame.heading(f"New {SHORT[self.system]}")
            _links(SHORT[self.system])
        with ui.element("div").classes("lw-sides"):
            with ui.element("section").classes("lw-stack").props('aria-label="Fields"'):
                every = fields(self.schema)
                few = [each for each in every if each.required or each.name in FIRST or self._given(each)]
                rest = [each for each in every if each not in few]
                self._fields(few)
                with ui.element("details").classes("lw-card") as self._more:
                    page_frame.Words("summary", f"{len(rest)} more fields, all with defaults")
                    with ui.element("div").classes("lw-stack"):
                        self._fields(rest)
            with ui.element("section").classes("lw-stack lw-beside").props('aria-label="The document"'):
                page_frame.heading("The same as YAML", 2)
                self._yaml = page_frame.Words("pre", "", "lw-said lw-document")
                self._wrong = page_frame.Words("p", "", "lw-problem").props("role=status")
                self._work = page_frame.paragraph("", "lw-hint")
                self._start = ui.button("Start it", on_click=self._started).props("no-caps").classes("lw-short")
                page_frame.paragraph("Or save it as a file: labwright run FILE", "lw-dim")

    def _fields(self, chosen: list[FormField]) -> None:
        for each in chosen:
            self.controls[each.name] = made = control(each, each.name, self.now.get(each.name), self.refresh)
            made.draw()
        self._folded = {each.name for each in chosen}  # those that were drawn last

    def _given(self, field: FormField) -> bool:
        return bool(self.now.get(field.name, field.default) != field.default)

    def data(self) -> dict[str, Any]:
        """The plain data that the fields make; what is at its default is left out."""
        given = {name: each.value() for name, each in self.controls.items()}
        return fixed(self.schema) | {name: value for name, value in given.items() if value is not None}

    async def refresh(self) -> bool:
        """Check what the fields hold and show it; says whether it can run."""
        self._turn += 1
        turn, data = self._turn, self.data()
        problems = await asyncio.to_thread(self.check, data)  # a lab's catalogue takes a second the first time
        if turn == self._turn:
            self._yaml.text = to_yaml(data)
            rest = told(self.controls, problems)
            self._wrong.text = " ".join(rest) or (f"{len(problems)} to be put right." if problems else "")
            self._start.set_enabled(not problems)
            self._work.text = "" if problems else work_of(data)
            if self._folded & {str(one.path[0]) for one in problems if one.path}:
                self._more.props("open")
        return not problems

    async def _started(self) -> None:
        """Begin it in the newest conversation, which shows the run and asks what it asks."""
        if await self.refresh():
            self.console.talks.newest().start(to_yaml(self.data()))
            ui.navigate.to("/")
