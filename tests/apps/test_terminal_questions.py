"""Questions at a terminal: typed lines become checked answers."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from plan_question import PLAN, WHOLE
from rich.console import Console
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.apps.external_editor import edited
from labwright.apps.terminal_questions import answer_of, ask
from labwright.graphs.questions import Option, Question, problems
from labwright.tools import named_persons
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


NEAREST = Question(
    id="words 1",
    kind="choose",
    title="These words were not fully read.",
    options=[Option(value=line, label=line) for line in ("t1 Q1, stop = 200 us", "spin_echo Q1")],
    free=True,
)


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("1", "t1 Q1, stop = 200 us"),
        ("Spin_echo Q1", "spin_echo Q1"),
        ("t2_ramsey Q1", "t2_ramsey Q1"),
        ("2 us", "2 us"),
        ("3", "3"),
    ],
)
def test_a_free_question_takes_an_option_or_words(line: str, decision: str) -> None:
    answer = answer_of(NEAREST, line)
    assert answer.decision == decision
    assert problems(NEAREST, answer) == []


@pytest.mark.parametrize("line", ["yes", "ok", ""])
def test_nothing_is_preselected_among_several(line: str) -> None:
    assert problems(NEAREST, answer_of(NEAREST, line))


@pytest.mark.parametrize("line", ["1", "yes", "ok", "Run it", "run"])
def test_yes_means_the_option_that_runs(line: str) -> None:
    assert answer_of(WHOLE, line).decision == "run"


def test_a_document_is_edited_as_a_whole() -> None:
    changed = PLAN.replace("Q1", "Q2")
    given: list[str] = []

    def edit(text: str) -> str:
        given.append(text)
        return text if len(given) == 1 else changed

    console = screen()
    answer = ask(WHOLE, console, typed("edit", "2"), edit=edit)
    assert answer is not None
    assert (answer.decision, answer.value) == ("edit", {"yaml": changed})
    assert given == [PLAN, PLAN]
    assert "Nothing was changed" in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "decision", "value"),
    [
        (f"edit\n{PLAN}  - t1 Q2", "edit", {"yaml": f"{PLAN}  - t1 Q2\n"}),
        ("edit steps.0.parameters.stop = 2 us", "steps.0.parameters.stop = 2 us", {}),
        ("steps.0.qubits = [Q2]", "steps.0.qubits = [Q2]", {}),
        ("2 us would do", "2 us would do", {}),
    ],
)
def test_a_change_may_come_with_the_line(line: str, decision: str, value: dict[str, str]) -> None:
    answer = answer_of(WHOLE, line)
    assert (answer.decision, answer.value) == (decision, value)


def test_the_editor_that_is_set_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys, pathlib\np = pathlib.Path(sys.argv[1])\np.write_text(p.read_text() + 'seed: 3\\n')\n"
    )
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    assert edited(PLAN) == f"{PLAN}seed: 3\n"
    monkeypatch.setenv("EDITOR", "no-such-editor")
    with pytest.raises(InputError, match="cannot be started"):
        edited(PLAN)
    monkeypatch.setenv("EDITOR", "false")
    with pytest.raises(InputError, match="nothing is changed"):
        edited(PLAN)


SIGN = Question(
    id="sign 1",
    kind="approve",
    title="A named person must accept a finding",
    options=[Option(value="accept", label="Accept"), Option(value="abort", label="Abort")],
    signs="abc",
)


@pytest.mark.parametrize(("words", "decision"), [(["correct horse"], "accept"), (["wrong horse"], "abort")])
def test_a_named_person_signs_at_the_terminal(
    words: list[str], decision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "people.json"
    named_persons.add(file, "jane", "correct horse")
    monkeypatch.setenv("LABWRIGHT_PEOPLE", str(file))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda: "jane")
    monkeypatch.setattr("getpass.getpass", lambda _prompt: words[0])
    answer = ask(SIGN, screen(), typed("accept", "abort"), str(tmp_path))
    assert answer is not None
    assert answer.decision == decision
    assert (named_persons.signed(file, tmp_path, "abc") is not None) == (decision == "accept")


def test_from_a_pipe_no_passphrase_is_taken(tmp_path: Path) -> None:
    answer = ask(SIGN, screen(), typed("accept"), str(tmp_path))
    assert answer is not None  # the run looks for the sign-off, finds none, and asks again
    assert not (tmp_path / named_persons.SIGN_OFF).exists()
    assert CliRunner().invoke(app, ["person", "add", "jane"], input="correct horse\ncorrect horse\n").exit_code == 2
