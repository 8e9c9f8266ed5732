"""Questions at a terminal: typed lines become checked answers."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from labwright.apps.asking import answer_of, ask
from labwright.graphs.questions import Option, Question
from labwright.tools.errors import InputError

SCHEMA = {"type": "object", "properties": {"stop": {"type": "number", "default": 0.5}, "qubit": {"type": "string"}}}
STAGE = Question(
    id="s",
    kind="choose",
    title="Next: Ramsey",
    options=[Option(value=name, label=f"{name.title()} it") for name in ("run", "edit", "skip")],
    default="run",
    form_schema=SCHEMA,
)
FREE = Question(id="f", kind="clarify", title="Which qubit?", options=[Option(value="Q1", label="Q1")])


def typed(*lines: str) -> Callable[[], str]:
    left = list(lines)

    def read() -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return read


def screen() -> Console:
    return Console(file=io.StringIO(), width=100)


@pytest.mark.parametrize(
    ("line", "decision"), [("1", "run"), ("SKIP", "skip"), ("skip it", "skip"), ("", "run"), ("3", "skip")]
)
def test_option_by_number_value_label_or_default(line: str, decision: str) -> None:
    assert answer_of(STAGE, line).decision == decision


@pytest.mark.parametrize("line", ['edit {"stop": 2.0, "qubit": "Q2"}', "edit stop = 2.0, qubit = Q2"])
def test_edit_in_one_line(line: str) -> None:
    assert answer_of(STAGE, line).value == {"stop": 2.0, "qubit": "Q2"}


@pytest.mark.parametrize("line", ["edit speed = 2", "edit stop = fast", "edit stop = true", "edit {broken", "edit"])
def test_bad_edit_is_refused(line: str) -> None:
    with pytest.raises(InputError):
        answer_of(STAGE, line)


def test_free_text_and_listed_text() -> None:
    assert answer_of(FREE, "q1").decision == "Q1"
    assert answer_of(FREE, "the one on the left").decision == "the one on the left"


def test_asked_until_it_fits() -> None:
    console = screen()
    answer = ask(STAGE, console, typed("perhaps", "edit speed = 1", "edit", "stop = 3"))
    assert answer is not None
    assert (answer.decision, answer.value) == ("edit", {"stop": 3})
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "'perhaps' is not offered" in said
    assert "no field 'speed'" in said


def test_end_of_input_leaves_it_open() -> None:
    assert ask(FREE, screen(), typed("")) is None


def test_a_long_question_is_shown_whole_and_an_option_that_is_its_own_label_once() -> None:
    console = screen()
    title = (
        "These words are not understood: «the sample is to be weighed again tomorrow». Shall it be done without them?"
    )
    options = [Option(value="go on", label="go on"), Option(value="stop", label="Stop here")]
    assert ask(Question(id="x", kind="clarify", title=title, options=options, default="stop"), console, typed()) is None
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert title in " ".join(shown.split())
    assert "1. go on\n" in shown
    assert "2. Stop here [stop] (default)\n" in shown
