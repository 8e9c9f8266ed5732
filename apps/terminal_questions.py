"""A run's question at the terminal: read, checked, asked again until it fits."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown

from labwright.apps.external_editor import edited
from labwright.apps.terminal_output import escape, legible
from labwright.graphs import questions
from labwright.graphs.questions import Answer, Question, document_field, document_of, field_lines, in_units, problems
from labwright.tools.errors import InputError

ROOM = 4  # columns that a rule needs beside its title
EDIT = "edit"


def ask(
    question: Question,
    console: Console,
    read: Callable[[], str],
    run_dir: str = "",
    edit: Callable[[str], str] = edited,
) -> Answer | None:
    """Put `question` to the person; `read` returns one typed line, `edit` a document as the person leaves it.

    Returns None when the input ends: the run then waits and can be resumed.
    """
    show(question, console, run_dir)
    while True:
        console.print("[bold]>[/] ", end="")
        try:
            line = read().strip()
            if edits_document(question, line):
                line = f"{EDIT}\n{edit(document_of(question))}"
            answer = answer_of(question, line, lambda name: _field(console, read, name))
        except EOFError:
            return None
        except InputError as error:
            console.print(f"[red]{escape(str(error))}[/]")
            continue
        wrong = problems(question, answer) or unsigned(question, answer, run_dir)
        if not wrong:
            return answer
        console.print(f"[red]{escape(' '.join(wrong))}[/]")


def unsigned(question: Question, answer: Answer, run_dir: str) -> list[str]:
    """Let a named person sign what they accept, at a terminal; what is wrong with it, or nothing."""
    from labwright.apps.named_person import sign_here

    if not question.signs or answer.decision != question.options[0].value or not sys.stdin.isatty():
        return []  # whoever reads lines from a pipe has signed with `labwright sign`, or is asked again
    try:
        sign_here(Path(run_dir), question.signs)
    except InputError as wrong:
        return [str(wrong)]
    return []


def show(question: Question, console: Console, run_dir: str = "", body: str = "") -> None:
    """Draw the question with its figures' paths and numbered options; `body` stands in place of its own."""
    if len(question.title) < console.width - ROOM:
        console.rule(f"[bold]{escape(question.title)}[/]", align="left")
    else:  # a rule would cut it
        console.rule()
        console.print(f"[bold]{escape(question.title)}[/]")
    if body or question.body_markdown:
        console.print(Markdown(legible(body or question.body_markdown)))
    for figure in question.figures:
        console.print(f"figure: {escape(f'{run_dir}/{figure}' if run_dir else figure)}")
    for number, option in enumerate(question.options, 1):
        value = f" [dim]\\[{escape(option.value)}][/]" if option.value.lower() != option.label.lower() else ""
        default = " [dim](default)[/]" if option.value == question.default else ""
        console.print(f"  {number}. {escape(option.label)}{value}{default}", soft_wrap=True)
    for line in field_lines(question.form_schema):
        console.print(f"     [dim]{escape(line)}[/]", soft_wrap=True)
    if question.options and question.free:
        console.print("  [dim]Type a number, or an answer in words.[/]")


def answer_of(question: Question, line: str, fill: Callable[[str], str] | None = None) -> Answer:
    """The typed `line` as an answer: an option's number, value or label, ``yes``, words, or empty for the default.

    Args:
        question: what was asked.
        line: ``2``, ``edit``, ``edit {"stop": 2.0}``, ``edit`` with a document below it, or words.
        fill: asked for the form of an edit when the line does not hold it; returns ``name = value, ...``.

    Raises:
        InputError: the form does not read.
    """
    if not line and question.default is not None:
        return Answer(id=question.id, decision=question.default, note="default")
    parts = line.split(maxsplit=1)
    if parts and question.form_schema and option_of(question, parts[0]) == EDIT:
        rest = line[len(parts[0]) :].strip(" ")
        if not document_field(question) or rest.startswith("{"):
            return Answer(id=question.id, decision=EDIT, value=_form(question.form_schema, rest, fill))
        if not rest or "\n" in rest:
            return _document(question, rest)
        line = rest if parts[0].lower() == EDIT else line  # words, or PATH = VALUE
    return Answer(id=question.id, decision=option_of(question, line) or line)


def edits_document(question: Question, line: str) -> bool:
    """Whether `line` asks for the question's document to be edited and does not bring it along."""
    return bool(document_field(question)) and option_of(question, line.strip()) == EDIT


def _document(question: Question, text: str) -> Answer:
    if not text.strip() or text.strip() == document_of(question).strip():
        raise InputError("Nothing was changed. Write PATH = VALUE for one value, or choose another option.")
    return Answer(id=question.id, decision=EDIT, value={document_field(question): text.strip("\n") + "\n"})


def option_of(question: Question, said: str) -> str:
    """The option meant by its value, its label, a word such as ``yes``, or its number; empty if none is."""
    said = said.strip()
    found = questions.answer_of(question, said)
    values = [option.value for option in question.options]
    if found is not None and found.decision in values:
        return found.decision
    number = int(said) if said.isdecimal() else 0
    return values[number - 1] if 0 < number <= len(values) else ""


def _field(console: Console, read: Callable[[], str], prompt: str) -> str:
    console.print(prompt, end="")
    return read()


def _form(schema: dict[str, Any], text: str, fill: Callable[[str], str] | None) -> dict[str, Any]:
    if not text and fill is not None:
        known = "\n".join(f"  {line}" for line in field_lines(schema))
        text = fill(f"now:\n{escape(known)}\nnew values, as name = value, ...: ")
    if text.lstrip().startswith("{"):
        return _checked(_json(text), schema)
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    return _checked({name.strip(): _value(value.strip()) for name, _, value in pairs}, schema)


def _json(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError) as error:
        raise InputError(f"The form is not a JSON object ({error}). Write name = value, ... instead.") from error


def _value(text: str) -> Any:
    """A number, true, false or null as JSON writes it; anything else is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _checked(values: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """`values` in the form's units.

    Raises:
        InputError: nothing is given, a name is unknown, or a value has the wrong type or is outside of its limits.
    """
    if not values:
        raise InputError("The edit changes nothing. Write name = value, or choose another option.")
    return in_units(schema, values)
