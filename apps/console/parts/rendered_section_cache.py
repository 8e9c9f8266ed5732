"""What all windows on one run share: its events are taken up once, and each section is rendered once."""

from __future__ import annotations

import logging
import weakref
from abc import ABC, abstractmethod
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from jinja2 import UndefinedError
from nicegui import ui

from labwright.apps.console.parts.html_templates import Section, html, styles
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs import Run, read_result

Event = dict[str, Any]
BROKEN = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)  # what ill-formed records lead to
DAMAGED = "This part of the run cannot be shown: its files are not as expected. The report and the files are below."
_LOG = logging.getLogger(__name__)
Kind = TypeVar("Kind", bound="Watched")
# Held only by the windows that show the run.
_SHARED: weakref.WeakValueDictionary[tuple[type[Watched], Path], Watched] = weakref.WeakValueDictionary()


class Watched(ABC):
    """A run as one kind of part sees it. Sub-classes hear events and render sections; no widget in here.

    Class variables:
        SECTIONS: names of the sections, in their order on the page.
    """

    SECTIONS: ClassVar[tuple[str, ...]]

    def __init__(self, run: Run) -> None:
        self.run = run
        self.result: dict[str, Any] = {}  # the `result` of the run's document, once it has ended
        self._heard: dict[str, int] = {}  # lane -> number of its newest event; the run itself is the lane ""
        self._drawn: dict[str, str] = {}

    @abstractmethod
    def hear(self, event: Event, now: float) -> None:
        """Take up one event; `now` is its time in seconds since 1970."""

    @abstractmethod
    def render(self, section: str) -> str:
        """One section as HTML; empty if there is nothing to show yet."""

    def take(self, events: list[Event]) -> None:
        """Hear those of `events` that no window brought before."""
        for event in events:
            lane, number = str(event.get("lane", "")), event.get("seq")
            if not isinstance(number, int) or number <= self._heard.get(lane, 0):
                continue
            self._heard[lane] = number
            self._drawn.clear()
            try:
                self.hear(event, datetime.fromisoformat(str(event["time"])).timestamp())
            except BROKEN as fault:  # one line that a damaged or foreign log holds must not stop the page
                _LOG.warning("Event %s of %s is not as expected: %r", number, self.run.run_id, fault)
            if event.get("kind") == "run_finished" and not lane:
                self.result = self._read_result()

    def html(self, section: str) -> str:
        """`render`, remembered until something new is heard."""
        if section not in self._drawn:
            try:
                self._drawn[section] = self.render(section)
            except (*BROKEN, UndefinedError) as fault:
                _LOG.warning("Section %s of %s cannot be drawn: %r", section, self.run.run_id, fault)
                self._drawn[section] = html("nothing", said=DAMAGED)
        return self._drawn[section]

    def _read_result(self) -> dict[str, Any]:
        try:
            return dict((read_result(self.run) or {}).get("result", {}))
        except CorruptRecordError:  # the page's status says so
            return {}


def shared(kind: type[Kind], run: Run) -> Kind:
    """The one `kind` of `run` in this server."""
    key = (kind, run.folder)
    found = _SHARED.get(key)
    if not isinstance(found, kind):
        _SHARED[key] = found = kind(run)
    return found


class SectionsPart:
    """A part that is nothing but sections. Sub-classes name what they watch, and may put controls between."""

    KIND: ClassVar[type[Watched]]
    BESIDE: ClassVar[str] = ""  # width of the first section if it stands to the left of the others

    def __init__(self) -> None:
        self.watched: Watched | None = None
        self.sections: dict[str, Section] = {}

    def draw(self, run: Run) -> None:
        """Make the elements in the current slot."""
        styles()
        self.watched = shared(self.KIND, run)
        with ui.element("div").classes("lw-part"):
            self.places = ui.element("div").classes("lw-places")
        with self.places:
            self.sections = {name: Section() for name in self.KIND.SECTIONS}
        if self.BESIDE:
            self.places.classes("lw-beside").style(f"--lw-first: {self.BESIDE}")

    def update(self, run: Run, events: list[Event]) -> None:
        """Take up new events."""
        assert self.watched is not None, "`draw` comes before `update`"
        self.watched.take(events)
        for name, section in self.sections.items():
            section.show(self.watched.html(name))
