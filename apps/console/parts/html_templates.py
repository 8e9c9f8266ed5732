"""Templates of the parts: everything that is put into them is escaped, and cannot draw over the page."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup
from nicegui import ui

from labwright.apps.numbers import with_error
from labwright.apps.terminal_output import legible

FOLDER = resources.files(__name__.rpartition(".")[0]) / "templates"


def html(template: str, **given: Any) -> str:
    """``templates/<template>.html`` with `given` filled in; raises jinja2.UndefinedError for a name that is missing."""
    return _environment().get_template(f"{template}.html").render(given)


def quantity(estimate: dict[str, Any]) -> str:
    """``{value, error, unit}`` as a physicist writes it."""
    return with_error(estimate.get("value"), estimate.get("error"), str(estimate.get("unit", "")))


class Section:
    """One block of HTML in a window. It is sent again only when it has changed."""

    def __init__(self) -> None:
        self._shown = ""
        self._element = ui.html("", sanitize=False).classes("lw-section")  # the templates escape

    def show(self, content: str) -> None:
        """Put `content`, which comes from `html`, in the place of what is there."""
        if content != self._shown:
            self._shown = content
            self._element.set_content(content)


def styles() -> None:
    """The parts' own style sheet, once a window."""
    ui.add_css(_text("parts.css"))


@cache
def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_legible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"quantity": quantity, "words": lambda name: str(name).replace("_", " ")}
    return made


def _legible(value: Any) -> Any:
    """Text without what turns the writing direction round; markup of a template is left as it is."""
    return legible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
