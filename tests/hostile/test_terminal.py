"""Escape sequences planted in every place that foreign text comes from never reach a terminal or a log."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pty
import re
import sys
import threading
import tty
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from labwright.apps import terminal_output
from labwright.apps.cli import app
from labwright.apps.exits import complain, endings, say_stopped
from labwright.apps.terminal_output import LegibleRecord, err, out
from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import to_json
from labwright.tools.runs.run import Run, create_run

MARK = "PLANTED"
SEQUENCES = {
    "colour": f"\x1b[31m{MARK}",
    "title": f"\x1b]0;{MARK}\x07",
    "clipboard": f"\x1b]52;c;{MARK}\x1b\\",
    "link": f"\x1b]8;;http://x\x1b\\{MARK}",
    "cursor": f"\x1b[2J\x1b[1;1H{MARK}",
    "of one byte": f"\x9b2J{MARK}",
    "string of one byte": f"\x9d0;{MARK}\x9c",
    "device": f"\x1bP{MARK}\x1b\\",
    "reset": f"\x1bc{MARK}",
    "back": f"{MARK}\b\b\b\b",
    "return": f"{MARK}\rok",
    "turned round": f"\u202e{MARK}\u2066",
    "unseen": f"{MARK}\U000e0041\u200f",
}
ALL = " ".join(SEQUENCES.values())
# What may stand on the screen: rich's colours, what it does to lines, and the line ends of a terminal.
OURS = re.compile(rb"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[0-9]*[AK]|\x1b\[2K|\r\n|\r(?=\x1b)")
Terminal = Callable[[Callable[[], object]], bytes]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, root: Path) -> Terminal:
    """Calls something whose stdout and stderr are a terminal; gives what was sent to it."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def sent(act: Callable[[], object]) -> bytes:
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        got: list[bytes] = []

        def read() -> None:
            with contextlib.suppress(OSError):  # the other end is closed
                while chunk := os.read(ours, 65536):
                    got.append(chunk)

        reader = threading.Thread(target=read)
        reader.start()
        with (
            os.fdopen(theirs, "w", encoding="utf-8", errors="surrogatepass") as stream,
            contextlib.redirect_stdout(stream),
            contextlib.redirect_stderr(stream),
        ):
            act()
        reader.join(10)
        os.close(ours)
        return b"".join(got)

    return sent


def command(*words: str) -> None:
    with pytest.raises(SystemExit):
        app(list(words))


def clean(sent: bytes) -> None:
    assert MARK.encode() in sent, "it was not shown at all"
    for sequence in SEQUENCES.values():
        assert sequence.encode() not in sent, ascii(sequence)
    left = OURS.sub(b"", sent).decode("utf-8", "surrogatepass")
    assert not terminal_output.CONTROL.search(left), ascii(terminal_output.CONTROL.findall(left))


def planted(root: Path) -> Run:
    """A run with sequences in its words, choices, events, result, questions and files."""
    run = create_run(root, "lab_calibration", f"Measure {ALL}", {"mind": ALL, "device": ALL, "approval": ALL}, 0)
    run = Run(run.folder, replace(run.record, account=ALL, parent={"run_id": ALL}))
    run.save_json("run.json", asdict(run.record))
    for event in (
        {"kind": "stage_started", "stage": ALL, "instruction": ALL, "path": ALL, "depth": 1, "attempt": 1},
        {"kind": "translated", "call": ALL, "stage": ALL},
        {"kind": "measured", "experiment": ALL, "arguments": {}, "device_seconds": 1.0, "figure": ALL},
        {"kind": "inspected", "verdict": "adjust", "diagnosis": ALL, "reason": ALL},
        {"kind": "warning", "text": ALL},
        {"kind": "run_finished", "status": "stopped", "reason": ALL},
    ):
        run.events.append(event)
    question = {
        "id": ALL,
        "kind": "approve",
        "title": ALL,
        "body_markdown": ALL,
        "options": [{"value": ALL, "label": ALL}],
    }
    result = {
        "status": "stopped",
        "reason": ALL,
        "questions": [question],
        "result": {"assumptions": [ALL]},
        "seconds": 1.0,
    }
    (run.folder / "result.json").write_bytes(to_json(result))
    (run.folder / f"{MARK}\x1b[2J\x9b31m.txt").write_text("x")
    with (run.folder / "events.jsonl").open("a") as log:
        log.write(json.dumps({"seq": 99, "kind": ALL, "time": ALL}) + "\n")
    return run


@pytest.mark.parametrize(
    "words", [["list"], ["show", "latest"], ["verify", "latest"], ["resume", "latest", "--answer", ALL]]
)
def test_commands_that_show_a_run(words: list[str], terminal: Terminal, root: Path) -> None:
    planted(root)
    clean(terminal(lambda: command("runs", *words)))


@pytest.mark.parametrize("name", ["run", "design"])
def test_a_file_with_such_a_name(name: str, terminal: Terminal) -> None:
    clean(terminal(lambda: command(name, f"{MARK}\x1b]0;x\x07\x9b2J.yaml")))


def test_a_document_with_such_fields(terminal: Terminal, tmp_path: Path) -> None:
    place = tmp_path / "x.yaml"
    place.write_text(f"system: lab_calibration\nsteps: [t1]\n{json.dumps(ALL)}: {json.dumps(ALL)}\n", encoding="utf-8")
    clean(terminal(lambda: command("run", str(place))))


PRINTED: dict[str, Callable[[], object]] = {
    "plain text": lambda: out().print(Text(ALL)),
    "without escape": lambda: out().print(ALL.replace("[", r"\[")),
    "markdown": lambda: out().print(Markdown(f"# {ALL}\n\n[{MARK}](http://x/\x1b]0;x\x07) `{ALL}`")),
    "a link": lambda: out().print(Text(MARK, style=f"link http://x/{SEQUENCES['title']}")),
    "a table": lambda: out().print(_table()),
    "progress": lambda: err().print(Text(ALL, style="bold")),
    "an error": lambda: complain(ALL),
    "why it stopped": lambda: say_stopped("run", ALL),
    "an exception": lambda: _raise(InputError(ALL)),
    "a fault": lambda: _raise(ZeroDivisionError(ALL)),
}


def _table() -> Table:
    table = Table(title=Text(ALL))
    table.add_column(Text(ALL))
    table.add_row(Text(ALL))
    return table


def _raise(error: Exception) -> None:
    with pytest.raises(BaseException), endings():  # noqa: PT011, B017 - typer's exit
        raise error


@pytest.mark.parametrize("case", PRINTED)
def test_whatever_is_printed(case: str, terminal: Terminal) -> None:
    clean(terminal(PRINTED[case]))


@pytest.fixture
def shielded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    factory, shown = logging.getLogRecordFactory(), warnings.formatwarning
    for holder, name in ((sys, "excepthook"), (threading, "excepthook")):
        monkeypatch.setattr(holder, name, getattr(holder, name))
    terminal_output.shield()
    yield
    logging.setLogRecordFactory(factory)
    warnings.formatwarning = shown


LOGGED: dict[str, Callable[[logging.Logger], object]] = {
    "the path of a page that is not there": lambda log: log.warning(f"http://127.0.0.1:8080/{ALL} not found"),
    "an argument": lambda log: log.warning("%s said %s", ALL, "x"),
    "an object": lambda log: log.warning("%s", InputError(ALL)),
    "lines": lambda log: log.warning("%s", f"{MARK}\nERROR: all is well"),
    "a traceback": lambda log: _logged_error(log),
    "only an object": lambda log: log.warning(InputError(ALL)),
}


def _logged_error(log: logging.Logger) -> None:
    try:
        raise InputError(ALL)
    except InputError:
        log.exception("It broke.")


@pytest.mark.parametrize("case", LOGGED)
def test_whatever_is_logged(case: str, terminal: Terminal, shielded: None) -> None:
    log = logging.getLogger("nicegui.test")
    log.propagate = False

    def act() -> None:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
        log.addHandler(handler)
        LOGGED[case](log)
        log.removeHandler(handler)

    sent = terminal(act)
    clean(sent)
    if case == "lines":
        assert sent.count(b"\n") == 1, "nobody can write a line of their own into the log"


def test_warnings_and_tracebacks_of_any_thread(terminal: Terminal, shielded: None) -> None:
    def act() -> None:
        sys.stderr.write(warnings.formatwarning(ALL, UserWarning, "x.py", 1))
        sys.excepthook(InputError, InputError(ALL), None)
        thread = threading.Thread(target=_fail)
        thread.start()
        thread.join()

    sent = terminal(act)
    assert sent.count(b"InputError: ") == 2
    clean(sent)


def _fail() -> None:
    raise InputError(ALL)


def test_the_record_keeps_the_words() -> None:
    record = LegibleRecord("x", logging.INFO, "x.py", 1, "10 %s ± 1", ("µs",), None)
    assert record.getMessage() == "10 µs ± 1"
