"""Whoever writes into a run's checkpoints has none of their code run, and no clock makes a run begin again."""

from __future__ import annotations

import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.base import id as ids

from labwright.graphs import checkpoints, running
from labwright.graphs.checkpoints import FILE, PACKED, Packed, Sealed
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, resume, start
from labwright.graphs.questions import Answer
from labwright.tools.errors import CorruptRecordError, RecordError
from labwright.tools.runs.run import open_run

Stored = tuple[str, bytes]
SIGN = "sign"  # a file that hostile code would make


def built(code: int, *parts: Any) -> bytes:
    """A stored object: msgpack's extension `code` with these parts."""
    return ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(parts)))


def within(inner: bytes) -> bytes:
    """The same inside the arguments of an object that may be stored."""
    ext = ormsgpack.unpackb(inner, ext_hook=lambda code, content: ormsgpack.Ext(code, content))
    return built(1, "langgraph.types", "Send", ["node", ext])


CALLS: dict[str, Callable[[str], bytes]] = {
    "one argument": lambda sign: built(0, "os", "system", f"touch {sign}"),
    "several arguments": lambda sign: built(1, "subprocess", "call", [["touch", sign]]),
    "arguments by name": lambda sign: built(2, "subprocess", "run", {"args": ["touch", sign]}),
    "a method": lambda sign: built(3, "pathlib", "Path", sign, "touch"),
    "a pydantic model of version 1": lambda sign: built(4, "subprocess", "Popen", {"args": ["touch", sign]}),
    "a pydantic model of version 2": lambda sign: built(5, "subprocess", "Popen", {"args": ["touch", sign]}, "x"),
    "eval": lambda sign: built(0, "builtins", "eval", f"open({sign!r}, 'w')"),
    "exec": lambda sign: built(0, "builtins", "exec", f"open({sign!r}, 'w').close()"),
    "a module whose import acts": lambda sign: built(0, "labwright.apps.cli", "main", [sign]),
    "a pattern": lambda sign: built(1, "re", "compile", ["(a+)+$", 0]),
    "a prompt of LangChain": lambda sign: built(5, "langchain_core.prompts", "PromptTemplate", {"template": "x"}, ""),
    "an array of objects": lambda sign: built(6, "|O", [1], "C", b"12345678"),
    "code that msgpack does not know": lambda sign: built(99, "os", "system", f"touch {sign}"),
    "no parts": lambda sign: ormsgpack.packb(ormsgpack.Ext(0, ormsgpack.packb("os"))),
}


@pytest.mark.parametrize("where", ["alone", "within a Send", "packed"])
@pytest.mark.parametrize("call", CALLS)
def test_no_function_is_called_by_its_name(call: str, where: str, tmp_path: Path) -> None:
    content = CALLS[call](str(tmp_path / SIGN))
    content = within(content) if where == "within a Send" else content
    stored: Stored = ("msgpack", content)
    if where == "packed":
        stored = (f"msgpack{PACKED}", zlib.compress(content))
    with pytest.raises(sqlite3.DatabaseError, match=r"no run stores|does not unpack"):
        Packed().loads_typed(stored)
    assert not (tmp_path / SIGN).exists()


CONSTRUCTOR = b'{"lc": 2, "type": "constructor", "id": ["pathlib", "Path"], "args": ["x"]}'


@pytest.mark.parametrize(
    "stored",
    [
        ("json", CONSTRUCTOR),
        ("json", b'{"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "PromptTemplate"], "kwargs": {}}'),
        (f"json{PACKED}", zlib.compress(CONSTRUCTOR)),
        ("pickle", b"cos\nsystem\n(S'touch sign'\ntR."),
        ("msgpack+zlib", b"not packed"),
        ("msgpack+zlib", zlib.compress(ormsgpack.packb("x" * 1000))[:-8]),
        ("msgpack", b"\xc1"),
    ],
)
def test_nothing_but_plain_values_is_read(stored: Stored) -> None:
    with pytest.raises(sqlite3.DatabaseError, match="checkpoint"):
        Packed().loads_typed(stored)


def test_a_checkpoint_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "LARGEST", 2**22)
    packer = zlib.compressobj(9)
    block = bytes(2**20)
    content = b"".join(packer.compress(block) for _ in range(5)) + packer.flush()
    with pytest.raises(sqlite3.DatabaseError, match="too large"):
        Packed().loads_typed(("msgpack+zlib", content))


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that waits for an approval."""
    root = tmp_path_factory.mktemp("waiting")
    options: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 1.0}
    choices = Choices(seed=3, device_options=options, approval="always", figures=False)
    outcome = start(CalibrationRequest("Measure T1 of Q1", choices), root)
    assert outcome.questions
    return outcome.run_dir


@pytest.mark.parametrize("table", ["checkpoints", "writes"])
def test_somebody_elses_run_does_not_act_when_it_is_resumed(table: str, waiting: Path, root: Path) -> None:
    folder = root / waiting.name
    shutil.copytree(waiting, folder)
    sign = root / SIGN
    column = {"checkpoints": "checkpoint", "writes": "value"}[table]
    with sqlite3.connect(folder / FILE) as database:
        database.execute(f"UPDATE {table} SET type = 'msgpack', {column} = ?", (CALLS["one argument"](str(sign)),))
    database.close()
    with pytest.raises(CorruptRecordError, match="not stored by this lab"):
        resume(folder.name, root)
    assert not sign.exists()


def test_a_clock_that_was_set_back_does_not_have_a_run_begin_again(
    waiting: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = root / waiting.name
    shutil.copytree(waiting, folder)
    early = time.time_ns() - 2 * 3600 * 10**9
    monkeypatch.setattr(ids, "_last_v6_timestamp", None)  # as in a new process
    monkeypatch.setattr(ids.time, "time_ns", lambda: early)
    asked = [
        event["question"]["id"] for event in open_run(root, folder.name).events.read() if event["kind"] == "question"
    ]
    outcome = resume(folder.name, root, answers={asked[-1]: Answer(id=asked[-1], decision="run")})
    assert outcome.status == "complete"
    kinds = [event["kind"] for event in open_run(root, folder.name).events.read()]
    assert kinds.count("understood") <= 1
    assert len(kinds) < 60


def test_a_run_that_does_not_move_is_stopped(waiting: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = root / waiting.name
    shutil.copytree(waiting, folder)
    early = time.time_ns() - 2 * 3600 * 10**9
    monkeypatch.setattr(running, "number_after", lambda saver, thread: None)
    monkeypatch.setattr(ids, "_last_v6_timestamp", None)
    monkeypatch.setattr(ids.time, "time_ns", lambda: early)
    asked = [
        event["question"]["id"] for event in open_run(root, folder.name).events.read() if event["kind"] == "question"
    ]
    with pytest.raises(RecordError, match="does not move"):
        resume(folder.name, root, answers={asked[-1]: Answer(id=asked[-1], decision="run")})


def test_a_checkpoint_from_the_far_future_is_refused(waiting: Path, root: Path) -> None:
    folder = root / waiting.name
    shutil.copytree(waiting, folder)
    with sqlite3.connect(folder / FILE) as database:
        newest = database.execute("SELECT checkpoint_id FROM checkpoints ORDER BY checkpoint_id DESC").fetchone()[0]
        row = database.execute("SELECT type, checkpoint FROM checkpoints WHERE checkpoint_id = ?", (newest,)).fetchone()
        serde = Sealed(folder.name)
        stored = serde.loads_typed(row)
        later = f"ffff{newest[4:]}"
        kind, content = serde.dumps_typed({**stored, "id": later})
        database.execute(
            "UPDATE checkpoints SET checkpoint_id = ?, type = ?, checkpoint = ? WHERE checkpoint_id = ?",
            (later, kind, content, newest),
        )
    database.close()
    with pytest.raises(CorruptRecordError, match="more than a year ahead"):
        resume(folder.name, root)
