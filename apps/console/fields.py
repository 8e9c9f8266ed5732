"""A specification as a form: a control for every field of its JSON Schema, nested ones within each other."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as made_by
from typing import Any

from nicegui import ui

from labwright.apps.console import page_frame
from labwright.apps.terminal_output import legible
from labwright.tools.specifications.base import Path, Problem
from labwright.tools.specifications.form import FormField, in_short, value_of
from labwright.tools.specifications.yaml_files import to_yaml

LONGEST = 20_000  # characters of one field
MOST_ITEMS = 200  # of one list
NO_CHOICE = "not given"


@dataclass
class Control(ABC):
    """What is drawn for one field.

    Attributes:
        field: of the form.
        name: that the browser reads out, such as ``design.groups.0.name``.
        now: value to begin with; None for the default.
        changed: called after every change.
    """

    field: FormField
    name: str
    now: Any
    changed: Callable[[], Any]

    @abstractmethod
    def draw(self) -> None:
        """Make the elements, in the current slot."""

    @abstractmethod
    def value(self) -> Any:
        """What the person gave; None where it is left out, or at its default."""

    @abstractmethod
    def places(self, path: Path) -> Iterator[tuple[Path, Control]]:
        """The controls and their places in the data: its own, which is `path`, and those below."""

    def tell(self, wrong: str) -> None:
        """Show what is wrong with it; nothing if empty."""
        self._wrong.text = legible(wrong)

    def _alert(self) -> None:
        """The line for what is wrong."""
        self._wrong = page_frame.Words("p", "", "lw-problem").props("role=alert")


def control(field: FormField, name: str, now: Any, changed: Callable[[], Any]) -> Control:
    """The control of a field; see `Control` for the arguments."""
    if field.repeated:
        return Many(field, name, now, changed)
    return Group(field, name, now, changed) if field.inner else Single(field, name, now, changed)


@dataclass
class Single(Control):
    """A value: a choice, or a text that is read as YAML where the field takes more than text."""

    _made: Any = None

    def draw(self) -> None:
        """A select or a text that grows, what is wrong below it."""
        text = self._text(self.now if self.now is not None else self.field.default)
        with ui.element("div"):
            self._draw(text, self._options(text), _label(self.name))

    def _draw(self, text: str, options: dict[str, str], label: str) -> None:
        if options:
            self._made = ui.select(options, value=text, label=label, on_change=self.changed)
            self._made.props("outlined dense hide-bottom-space options-dense")
        else:
            self._made = ui.textarea(label, value=text, on_change=self.changed)
            self._made.props(f"outlined dense hide-bottom-space autogrow rows=1 debounce=300 maxlength={LONGEST}")
        self._made.props["aria-label"] = legible(self.name)
        self._made.classes("lw-full")
        if self.field.summary:
            limits = f" ({self.field.limits})" if self.field.limits else ""
            page_frame.paragraph(f"{self.field.summary}{limits}.", "lw-hint")
        self._alert()

    def _options(self, text: str) -> dict[str, str]:
        given = self.field.options or (("true", "false") if self.field.kinds == ("boolean",) else ())
        free = {} if self.field.required or in_short(self.field.default) else {"": NO_CHOICE}
        known = {**free, **{each: each for each in given}}
        return {**known, text: text or NO_CHOICE} if given else {}

    def _text(self, value: Any) -> str:
        """A value as it is written here; `value` reads it back."""
        if value in (None, "", [], {}):
            return ""
        if isinstance(value, dict | list):
            return to_yaml(value).strip()  # type: ignore[arg-type]
        reads = isinstance(value, str) and value_of(value, self.field) == value
        return value if reads else json.dumps(value, ensure_ascii=False)

    def value(self) -> Any:
        """The value, read; None if it is empty or the default."""
        text = str(self._made.value or "").strip()[:LONGEST]
        if not text or text == self._text(self.field.default):
            return None
        return value_of(text, self.field)

    def places(self, path: Path) -> Iterator[tuple[Path, Control]]:
        """Itself."""
        yield path, self


@dataclass
class Group(Control):
    """An object: its fields within each other."""

    inner: dict[str, Control] = made_by(default_factory=dict)

    def draw(self) -> None:
        """The fields, folded away while nothing of them has to be given."""
        with ui.element("details").classes("lw-card") as made:
            if self.field.required or self.now:
                made.props("open")
            page_frame.Words("summary", _label(self.name))
            with ui.element("div").classes("lw-stack"):
                self._inside()

    def _inside(self) -> None:
        if self.field.summary:
            page_frame.paragraph(f"{self.field.summary}.", "lw-hint")
        self._alert()
        now = self.now if isinstance(self.now, dict) else {}
        for each in self.field.inner:
            made = control(each, f"{self.name}.{each.name}", now.get(each.name), self.changed)
            self.inner[each.name] = made
            made.draw()

    def value(self) -> Any:
        """Its fields that are given; None if none is."""
        found = {name: given for name, each in self.inner.items() if (given := each.value()) is not None}
        return found or None

    def places(self, path: Path) -> Iterator[tuple[Path, Control]]:
        """Itself and its fields."""
        yield path, self
        for name, each in self.inner.items():
            yield from each.places((*path, name))


@dataclass
class Many(Control):
    """A list: a control for each item, a button for another one."""

    items: list[Control] = made_by(default_factory=list)
    _count: int = 0  # items that were ever made; no two have the same name

    def draw(self) -> None:
        """The items there are, and a button for more."""
        with ui.element("fieldset").classes("lw-card lw-stack"):
            page_frame.Words("legend", _label(self.name))
            if self.field.summary:
                page_frame.paragraph(f"{self.field.summary}.", "lw-hint")
            self._alert()
            self._box = ui.element("div").classes("lw-stack")
            for each in self.now if isinstance(self.now, list) else []:
                self._add(each)
            if not self.items and (self.field.required or not self.field.inner):
                self._add(None)
            add = ui.button("Another one", on_click=self._another).props("outline no-caps dense").classes("lw-short")
            add.props["aria-label"] = f"another one of {legible(self.name)}"

    def _add(self, now: Any) -> None:
        one = replace(self.field, repeated=False, required=bool(self.field.inner), default=None, about="")
        made = control(one, f"{self.name}.{self._count}", now, self.changed)
        self._count += 1
        with self._box, ui.element("div").classes("lw-row lw-item") as row:
            with ui.element("div").classes("lw-grow"):
                made.draw()
            remove = ui.button("Remove", on_click=lambda: self._remove(made, row)).props("flat no-caps dense")
            remove.props["aria-label"] = f"remove {legible(self.name)}.{self._count - 1}"
        self.items.append(made)

    async def _another(self) -> None:
        if len(self.items) < MOST_ITEMS:
            self._add(None)
            await self.changed()

    async def _remove(self, item: Control, row: ui.element) -> None:
        self.items.remove(item)
        row.delete()
        await self.changed()

    def value(self) -> Any:
        """The items that are given; None if none is."""
        return [given for each in self.items if (given := each.value()) is not None] or None

    def places(self, path: Path) -> Iterator[tuple[Path, Control]]:
        """Itself and the items that are given, numbered as in the data."""
        yield path, self
        for number, each in enumerate(each for each in self.items if each.value() is not None):
            yield from each.places((*path, number))


def _label(name: str) -> str:
    """The last part of a name; an item's with its list's, as in ``steps.0``."""
    parts = legible(name).split(".")
    return ".".join(parts[-2:] if parts[-1].isdigit() else parts[-1:])


def told(controls: dict[str, Control], problems: Sequence[Problem]) -> list[str]:
    """Show each problem at the innermost control that it is about; returns the sentences of those about none."""
    places = dict(pair for name, each in controls.items() for pair in each.places((name,)))
    found: dict[Path, str] = {}
    rest = []
    for problem in problems:
        path = next((problem.path[:end] for end in range(len(problem.path), 0, -1) if problem.path[:end] in places), ())
        if path:
            said = " ".join(filter(None, (problem.message, problem.fix)))
            found[path] = " ".join(filter(None, (found.get(path, ""), said)))
        else:
            rest.append(problem.sentence())
    for path, each in places.items():
        each.tell(found.get(path, ""))
    return rest
