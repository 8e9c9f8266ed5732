"""The log keeps its order and survives a torn line."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs import EventLog


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog(tmp_path / "events.jsonl")


def test_numbers_count_from_one_without_gaps(log: EventLog) -> None:
    assert log.read() == []
    assert log.last() is None
    assert [log.append({"kind": "a", "i": i}) for i in range(3)] == [1, 2, 3]
    assert [event["i"] for event in log.read(after=1)] == [1, 2]
    last = log.last()
    assert last is not None
    assert last["seq"] == 3


@given(cut=st.integers(min_value=1, max_value=60))
def test_torn_last_line_is_no_event_and_is_cut_away(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    log = EventLog(tmp_path_factory.mktemp("log") / "events.jsonl")
    log.append({"kind": "whole"})
    before = log.path.stat().st_size
    log.append({"kind": "torn", "text": "x" * 60})
    content = log.path.read_bytes()
    log.path.write_bytes(content[: max(before, len(content) - cut)])
    assert [event["kind"] for event in log.read()] == ["whole"]
    last = log.last()
    assert last is not None
    assert last["kind"] == "whole"
    assert log.append({"kind": "next"}) == 2
    assert [event["kind"] for event in log.read()] == ["whole", "next"]


def test_torn_first_line(log: EventLog) -> None:
    log.path.write_bytes(b'{"seq": 1, "ki')
    assert log.read() == []
    assert log.append({"kind": "first"}) == 1
    assert len(log.read()) == 1


def test_event_longer_than_the_tail(log: EventLog) -> None:
    log.append({"text": "x" * 100_000})
    assert log.append({"text": "y" * 100_000}, sync=True) == 2
    last = log.last()
    assert last is not None
    assert last["text"][0] == "y"


def test_line_breaks_and_nan_inside_an_event(log: EventLog) -> None:
    log.append({"text": "a\nb\u2028c", "value": float("nan")})
    (event,) = log.read()
    assert (event["text"], event["value"]) == ("a\nb\u2028c", None)


def test_broken_line_in_the_middle_is_said(log: EventLog) -> None:
    log.path.write_bytes(b'nonsense\n{"seq": 2}\n')
    with pytest.raises(CorruptRecordError, match="Line 1 of"):
        log.read()


def test_a_damaged_line_of_a_sealed_log_is_named_and_hides_no_other(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl", "a run/events.jsonl")
    for kind in "abc":
        log.append({"kind": kind})
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(b"".join([lines[0], b"nonsense\n", lines[2]]))
    assert [event["kind"] for event in log.read()] == ["a", "damaged", "c"]
    assert log.read()[1]["line"] == 2
    log.path.write_bytes(log.path.read_bytes() + b"[]\n")
    assert log.last() == {"seq": 3, "kind": "c", "time": log.read()[2]["time"]}
    assert log.append({"kind": "d"}) == 5
    assert [event["kind"] for event in log.read()] == ["a", "damaged", "c", "damaged", "d"]
    assert [event["kind"] for event in log.read(sound=True)] == ["a", "c", "d"]


def test_writers_do_not_mix(log: EventLog) -> None:
    def write(name: str) -> None:
        for _ in range(50):
            EventLog(log.path).append({"kind": name})

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event["seq"] for event in log.read()] == list(range(1, 151))


def test_follow_yields_what_comes_and_ends(log: EventLog) -> None:
    log.append({"kind": "early"})
    over = threading.Event()

    def later() -> None:
        log.append({"kind": "late"})
        over.set()

    timer = threading.Timer(0.05, later)
    timer.start()
    assert [event["kind"] for event in log.follow(over.is_set, poll=0.01)] == ["early", "late"]
    timer.join()


def test_writing_behind_a_damaged_line_says_what_to_mend(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.path.write_bytes(b'{"seq": 1}\nno event\n')
    with pytest.raises(CorruptRecordError, match="Delete that line"):
        log.append({"kind": "x"})
