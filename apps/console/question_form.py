"""A question of a run, or of the desk, as a form. What is sent is checked here again, whatever the browser sent."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nicegui import ui

from labwright.agents.settings import Settings
from labwright.apps.console import page_frame
from labwright.apps.console.markdown_html import file_url, safe_html
from labwright.apps.terminal_output import legible
from labwright.apps.terminal_questions import option_of
from labwright.graphs.questions import Answer, Question, document_field, document_of, limits_of, problems
from labwright.tools.errors import InputError
from labwright.tools.named_persons import sign

EDIT = "edit"
LONGEST = 20_000  # characters of one field
LONGEST_DOCUMENT = 200_000  # as many as a specification may have
Give = Callable[[Answer, str], None]


@dataclass
class QuestionForm:
    """The form, in the current slot.

    Attributes:
        question: as the person's channel knows it.
        asking: the run that asks; empty if the desk does.
        figures: (run, path) of the question's figures.
        give: takes the checked answer and what the person chose in words.
        folder: of the run that asks, where a named person's sign-off goes.
    """

    question: Question
    asking: str
    figures: tuple[tuple[str, str], ...]
    give: Give
    folder: Path | None = None
    _signer: Any = None
    _passphrase: Any = None
    _inputs: dict[str, Any] = field(default_factory=dict)
    _free: Any = None
    _sent: bool = False

    def draw(self) -> None:
        """Make the elements."""
        question = self.question
        with ui.element("section").classes("lw-card lw-ask lw-stack").props('aria-label="Question"') as self._box:
            if self.asking:
                with ui.element("div").classes("lw-row"):
                    page_frame.Words("span", "?", "lw-status")
                    page_frame.link(f"{self.asking} asks", f"/run/{self.asking}")
            page_frame.heading(question.title, 2)
            if body := self._body():
                ui.html(safe_html(body, self.asking), sanitize=True).classes("lw-report")
            for run_id, path in self.figures:
                picture(run_id, path)
            if self._document:
                self._text_area(question.form_schema or {})
            elif question.form_schema:
                self._fields(question.form_schema)
            if question.signs:
                self._signature()
            self._wrong = page_frame.Words("p", "", "lw-status").props("role=alert")
            self._buttons()
            if question.free or question.kind == "clarify" or not question.options:
                self._free_answer()
            if question.default is not None:
                page_frame.paragraph(f"Without an answer: {question.default}. {question.consequence}".strip(), "lw-dim")

    @property
    def _document(self) -> str:
        return document_field(self.question)

    def _body(self) -> str:
        """The question's text; a document that stands in the text area below is not shown twice."""
        body = self.question.body_markdown
        return body.replace(f"```yaml\n{document_of(self.question)}```", "").strip() if self._document else body

    def _text_area(self, schema: dict[str, Any]) -> None:
        """The document, to be changed in place."""
        now = str(schema["properties"][self._document].get("default", ""))
        made = ui.textarea("The specification", value=now).props("outlined autogrow spellcheck=false")
        self._inputs[self._document] = made.classes("lw-yaml")

    def _fields(self, schema: dict[str, Any]) -> None:
        """A table of the values that can be changed, in place."""
        with ui.element("div").classes("lw-scroll"), ui.element("table").classes("lw-table"):
            page_frame.Words("caption", "What can be changed")
            with ui.element("tr"):
                for title in ("", "now", "limits", "new"):
                    page_frame.Words("th", title).props("scope=col")
            for name, item in schema.get("properties", {}).items():
                with ui.element("tr"):
                    page_frame.Words("th", name).props("scope=row")
                    page_frame.Words("td", f"{shown(item.get('default'))} {item.get('unit', '')}".rstrip())
                    page_frame.Words("td", limits_of(item))
                    with ui.element("td"):
                        self._inputs[name] = entry(name, item)

    def _buttons(self) -> None:
        with ui.element("div").classes("lw-row"):
            for place, option in enumerate(self.question.options):
                if self.question.signs and place == 0:
                    continue  # it stands beside the name and the passphrase
                plain = place > 0  # what a question offers first is what it is about
                label = "Take my changes" if self._document and option.value == EDIT else legible(option.label)
                button = ui.button(label, on_click=lambda _, value=option.value: self._chosen(value))
                button.props("no-caps" + (" outline" if plain else ""))

    def _signature(self) -> None:
        """Name, passphrase and the button that signs, together: the others sign nothing."""
        accept = self.question.options[0]
        with ui.element("fieldset").classes("lw-card lw-stack lw-sign"):
            page_frame.Words("legend", "Sign")
            with ui.element("div").classes("lw-row"):
                self._signer = ui.input("Your name").props("outlined dense autocomplete=username spellcheck=false")
                self._passphrase = ui.input("Passphrase", password=True)
                self._passphrase.props("outlined dense autocomplete=current-password")
                for field in (self._signer, self._passphrase):
                    field.classes("lw-grow").on("keydown.enter", lambda: self._chosen(accept.value))
            button = ui.button(legible(accept.label), on_click=lambda: self._chosen(accept.value))
            button.props("no-caps").classes("lw-short")

    def _free_answer(self) -> None:
        with ui.element("div").classes("lw-row"):
            label = "Or change it: words, or PATH = VALUE" if self.question.signs else "Your own answer"
            self._free = ui.textarea(label).props("outlined autogrow dense").classes("lw-grow")
            ui.button("Answer", on_click=lambda: self._chosen(str(self._free.value or ""))).props("no-caps outline")

    def _chosen(self, decision: str) -> None:
        try:
            answer = answered(self.question, decision, {name: one.value for name, one in self._inputs.items()})
            self._sign(answer)
        except InputError as wrong:
            self._wrong.text = str(wrong)
            return
        if self._sent:
            return
        self._sent = True  # a second click is no second answer
        self.give(answer, in_words(self.question, answer))

    def _sign(self, answer: Answer) -> None:
        """Sign what a named person accepts; name and passphrase go no further than this process.

        Raises:
            InputError: they do not belong together.
        """
        question = self.question
        if question.signs and answer.decision == question.options[0].value and self.folder is not None:
            name, passphrase = str(self._signer.value or "").strip(), str(self._passphrase.value or "")
            self._passphrase.value = ""
            sign(Settings().people, self.folder, question.signs, name, passphrase)


def answered(question: Question, decision: str, values: dict[str, Any]) -> Answer:
    """The answer that a filled form means.

    Raises:
        InputError: it does not fit the question.
    """
    fields = (question.form_schema or {}).get("properties", {})
    changed = _changed(fields, values)
    decision = option_of(question, decision) or decision[:LONGEST]
    if decision == EDIT and fields:
        if not changed:
            raise InputError("Nothing is changed yet. Change a value, or choose another button.")
        answer = Answer(id=question.id, decision=decision, value=changed)
    elif changed:
        names = "the specification" if document_field(question) else ", ".join(changed)
        raise InputError(f"You changed {names}, which this button would not use. Choose the one that edits first.")
    else:
        answer = Answer(id=question.id, decision=decision)
    wrong = problems(question, answer)
    if wrong:
        raise InputError(" ".join(wrong))
    return answer


def _changed(fields: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The values that differ from the present ones, each of its field's type and within its bounds."""
    found = {}
    for name, given in values.items():
        if name not in fields:
            raise InputError(f"There is no field {legible(name)!r}.")
        value = typed(name, fields[name], given)
        if value is not None and value != fields[name].get("default"):
            found[name] = value
    return found


def typed(name: str, item: dict[str, Any], given: Any) -> Any:
    """`given` as the type that the field `item` of a JSON schema wants; None if nothing was given.

    Raises:
        InputError: it is of another type or out of bounds.
    """
    kind = item.get("type", "string")
    if given is None or (given == "" and kind != "string"):
        return None
    if kind == "boolean":
        if not isinstance(given, bool):
            raise InputError(f"Field `{name}` must be yes or no.")
        return given
    if kind in ("number", "integer"):
        return _number(name, item, given, whole=kind == "integer")
    longest = LONGEST_DOCUMENT if "contentMediaType" in item else LONGEST
    if not isinstance(given, str) or len(given) > longest:
        raise InputError(f"Field `{name}` must be a text of at most {longest} characters.")
    return given


def _number(name: str, item: dict[str, Any], given: Any, *, whole: bool) -> float | int:
    try:
        value = float(given) if not isinstance(given, bool) else math.nan
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value) or (whole and value != int(value)):
        raise InputError(f"Field `{name}` must be a {'whole ' if whole else ''}number, but is {given!r}.")
    low, high = item.get("minimum", -math.inf), item.get("maximum", math.inf)
    if not low <= value <= high:
        raise InputError(f"Field `{name}` must lie between {low:g} and {high:g}, but is {value:g}.")
    return int(value) if whole else value


def entry(name: str, item: dict[str, Any]) -> Any:
    """The control for one field of a JSON schema."""
    now, kind = item.get("default"), item.get("type", "string")
    made: Any
    if kind == "boolean":
        made = ui.checkbox(value=bool(now))
    elif kind in ("number", "integer"):
        made = ui.number(
            value=now if isinstance(now, int | float) else None, min=item.get("minimum"), max=item.get("maximum")
        )
        made.props("dense outlined" + (" step=1" if kind == "integer" else " step=any"))
    else:
        made = ui.input(value="" if now is None else str(now)).props("dense outlined").classes("lw-field")
    made.props["aria-label"] = f"new value of {legible(name)}"
    return made


def in_words(question: Question, answer: Answer) -> str:
    """What the person chose, as the windows show it."""
    label = next((option.label for option in question.options if option.value == answer.decision), answer.decision)
    if (name := document_field(question)) in answer.value:
        return f"{label}:\n{answer.value[name]}"
    changes = ", ".join(f"{name} = {shown(value)}" for name, value in answer.value.items())
    return f"{label}: {changes}" if changes else label


def shown(value: Any) -> str:
    """A value as a person writes it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def picture(run_id: str, path: str) -> None:
    """A figure of a run with its name."""
    with ui.element("figure").classes("lw-figures"):
        made = ui.element("img")
        made.props["src"], made.props["alt"] = file_url(run_id, path), path.rpartition("/")[2]
        page_frame.Words("figcaption", path)
