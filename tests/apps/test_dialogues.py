"""A dialogue of ten turns with three corrections, through the chat and the console; killed in the middle, the same."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dialogues
import pytest
from designs import design
from scripted_model import Reply, Request, ScriptedModel
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.apps.console.conversation_store import Talks
from labwright.graphs.front_desk.desk_context import FOLDER
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.workers import WORKERS
from labwright.graphs.questions import Answer
from labwright.tools.liquid_handler.lsr_reader import read_lsr
from labwright.tools.runs import list_runs, open_run, read_result
from labwright.tools.runs.kill_points import VARIABLE

pytestmark = pytest.mark.slow  # quick: tests/graphs/protocol_design and front_desk
MODEL = "openai:scripted"
PATIENCE = 600.0  # s for one turn; usually about 0.3
CHAT = "from labwright.apps.cli import main; main()"


@dataclass
class Script:
    """The model; `at` is called once, while a request that holds the words `on` waits for its answer."""

    on: str = ""
    at: Callable[[], None] = lambda: None

    def __call__(self, request: Request) -> Reply:
        if self.on and request.input.get("uncovered") and self.on in request.input["uncovered"][0]:
            self.on, at = "", self.at
            at()
        return dialogues.model(request)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Script) -> Iterator[Path]:
    """A runs folder, and a model behind loopback."""
    with ScriptedModel(script) as model:
        own = {"RUNS": tmp_path / "runs", "STATE": tmp_path / "state", "BASE_URL": model.url, "MODEL": MODEL}
        for name, value in own.items():
            monkeypatch.setenv(f"LABWRIGHT_{name}", str(value))
        monkeypatch.setenv("LABWRIGHT_API_KEY", "none")
        monkeypatch.chdir(tmp_path)
        yield tmp_path / "runs"


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a person's own specification gives."""
    return facts(design(dialogues.AGREED, tmp_path_factory.mktemp("agreed") / "runs").run_dir)


def facts(folder: Path) -> dict[str, Any]:
    """The file that a finished design left, and what stands in every vial."""
    document = read_result(open_run(folder.parent, folder.name))
    assert document is not None
    assert document["status"] == "complete", document["reason"]
    written = read_lsr((folder / document["result"]["xml"]).read_bytes())
    return {"file": written, "vials": document["result"]["vials"]}


def until(holds: Callable[[], Any]) -> Any:
    """What it gives as soon as that is something."""
    deadline = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def waiting(root: Path) -> str:
    """The id of the question that the run waits with; ``end`` once it has ended; empty meanwhile."""
    runs = list_runs(root)
    if not runs:
        return ""
    if runs[0].status == "complete":
        return "end"
    document = read_result(open_run(root, runs[0].run_id)) if runs[0].status == "interrupted" else None
    return str(document["questions"][0]["id"]) if document else ""


class Chat:
    """``labwright chat`` as a process that a person types into; a context manager."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._printed = (folder / "chat.log").open("w+")
        command = [sys.executable, "-c", CHAT, "chat", "--approve", "always", *options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=self._printed, stderr=subprocess.STDOUT, text=True
        )

    def __enter__(self) -> Chat:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        with suppress(BrokenPipeError):
            self.process.stdin.close()  # type: ignore[union-attr]
        self._printed.close()

    def say(self, words: str) -> None:
        """One line; what a dead process does not hear is lost."""
        with suppress(BrokenPipeError):
            self.process.stdin.write(f"{words}\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]

    def gone(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None

    def left(self) -> int:
        """The exit code after the last line."""
        with suppress(BrokenPipeError):
            self.process.stdin.close()  # type: ignore[union-attr]
        return self.process.wait(PATIENCE)


def answered(root: Path, say: Callable[[str], Any], gone: Callable[[], bool] = lambda: False) -> str:
    """Answer every question as it comes; returns how it ended: ``end``, or ``gone`` with the process."""
    before = ""
    while True:
        question = until(lambda last=before: "gone" if gone() else (now := waiting(root)) != last and now)
        if question in ("end", "gone"):
            return str(question)
        say(dialogues.ANSWERS[question])
        before = question


def go_on(root: Path) -> None:
    """Come back after a crash as a person does: look, and resume the run if it is dead."""
    with Chat(root.parent, "--continue", "latest") as chat:
        if not waiting(root):
            chat.say("/resume" if list_runs(root) else dialogues.WORDS)
        assert answered(root, chat.say, chat.gone) == "end"
        assert chat.left() == 0


def only(root: Path) -> Path:
    """The folder of the one run."""
    [run] = list_runs(root)
    return root / run.run_id


def test_ten_turns_through_the_chat_end_in_the_agreed_file(root: Path, agreed: dict[str, Any]) -> None:
    lines = "\n".join([dialogues.WORDS, *dialogues.ANSWERS.values()])
    done = CliRunner().invoke(app, ["chat", "--approve", "always"], input=f"{lines}\n")
    assert done.exit_code == 0, done.output
    assert facts(only(root)) == agreed


def test_a_chat_that_is_killed_while_the_model_reads_a_correction_ends_in_the_agreed_file(
    root: Path, script: Script, agreed: dict[str, Any]
) -> None:
    with Chat(root.parent) as chat:
        script.on, script.at = dialogues.BLANK, chat.process.kill
        chat.say(dialogues.WORDS)
        assert answered(root, chat.say, chat.gone) == "gone"
    go_on(root)
    assert facts(only(root)) == agreed
    said = [event["decision"] for event in open_run(root, "latest").events.read() if event["kind"] == "answer"]
    assert said == list(dialogues.ANSWERS.values())


def test_ten_turns_through_the_console_end_in_the_agreed_file(root: Path, agreed: dict[str, Any]) -> None:
    talks = Talks(Terms(approval="always", mind=MODEL), root, root.parent / "state" / FOLDER)
    talk = talks.new()

    def say(words: str) -> None:
        question = until(lambda: talk.question)
        if words in [option.value for option in question.options]:
            talk.answer(Answer(id=question.id, decision=words), words)
        else:
            talk.say(words, question.id)
        until(lambda: talk.question is None or talk.question.id != question.id)

    talk.say(dialogues.WORDS)
    answered(root, say)
    talks.close()
    assert WORKERS.wait(600)
    assert facts(only(root)) == agreed
    assert [entry.text for entry in talk.entries if entry.who == "wrong"] == []


@pytest.mark.parametrize("point", ["after_writes:5", "after_checkpoint:20", "after_writes:50", "after_checkpoint:80"])
def test_a_chat_may_be_killed_anywhere(
    point: str, root: Path, agreed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, point)
    with Chat(root.parent) as chat:
        monkeypatch.delenv(VARIABLE)
        chat.say(dialogues.WORDS)
        assert answered(root, chat.say, chat.gone) == "gone"
    go_on(root)
    assert facts(only(root)) == agreed
