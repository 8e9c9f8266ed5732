"""A run is followed from its folder, whoever writes there."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from labwright.apps.console.run_watcher import Live
from labwright.apps.console.tail import RunTail, Tail
from labwright.tools.runs import Run, create_run, to_json
from labwright.tools.runs.run import part_of


def made(tmp_path: Path) -> Run:
    return create_run(tmp_path, "lab_calibration", "calibrate Q1", {}, 0)


def test_only_whole_and_new_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    tail = Tail(path)
    assert tail.read() == []
    path.write_bytes(b'{"seq": 1, "kind": "a"}\n{"seq": 2, "ki')
    assert [event["seq"] for event in tail.read()] == [1]
    assert tail.read() == []
    with path.open("ab") as file:
        file.write(b'nd": "b"}\nno event\n[1]\n{"seq": 3}\n')
    assert [event["seq"] for event in tail.read()] == [2, 3]
    assert not tail.grown()


def test_parts_are_followed_as_lanes(tmp_path: Path) -> None:
    run = made(tmp_path)
    tail = RunTail(run)
    run.events.append({"kind": "chip_planned"})
    assert [event["kind"] for event in tail.read()] == ["chip_planned"]
    lane = part_of(run, "Q2", "calibrate Q2", {})
    lane.events.append({"kind": "measured"})
    found = tail.read()
    assert [(event["kind"], event["lane"]) for event in found] == [("measured", "Q2")]


def test_every_window_hears_every_event_once_and_the_reading_is_done_once(tmp_path: Path) -> None:
    run = made(tmp_path)
    run.events.append({"kind": "run_started"})

    async def watch() -> list[list[int]]:
        live = Live()
        heard: list[list[int]] = [[], []]
        feeds = [live.feed(run) for _ in heard]
        assert feeds[0] is feeds[1]
        stops = []
        for feed, mine in zip(feeds, heard, strict=True):
            stops.append(await feed.subscribe(lambda new, mine=mine: mine.extend(one["seq"] for one in new)))  # type: ignore[misc]
            mine += [event["seq"] for event in feed.events]
        for number in range(5):
            await asyncio.to_thread(run.events.append, {"kind": "measured", "n": number})
            await asyncio.sleep(0.03)
        await until(lambda: all(len(mine) == 6 for mine in heard))
        for stop in stops:
            stop()
        assert not feeds[0].watched
        return heard

    assert asyncio.run(watch()) == [[1, 2, 3, 4, 5, 6]] * 2


def test_a_window_that_breaks_silences_no_other(tmp_path: Path) -> None:
    run = made(tmp_path)

    async def watch() -> list[dict[str, Any]]:
        feed, heard = Live().feed(run), list[dict[str, Any]]()

        def broken(new: list[dict[str, Any]]) -> None:
            raise RuntimeError("a window's fault")

        await feed.subscribe(broken)
        await feed.subscribe(heard.extend)
        await asyncio.to_thread(run.events.append, {"kind": "measured"})
        await until(lambda: bool(heard))
        return heard

    assert [event["kind"] for event in asyncio.run(watch())] == ["measured"]


def test_status_questions_figures_and_report_come_without_an_event(tmp_path: Path) -> None:
    run = made(tmp_path)
    asked = {"id": "approve 1", "kind": "approve", "title": "Measure?"}

    async def watch() -> tuple[Any, ...]:
        feed = Live().feed(run)
        told = []
        await feed.subscribe(lambda new: told.append(len(new)))
        assert feed.state is not None
        assert feed.state.status == "dead", "nobody drives it"
        (run.folder / "figures").mkdir()
        (run.folder / "figures" / "01.png").write_bytes(b"")
        (run.folder / "report.md").write_text("# Done <script>")
        run.events.append({"kind": "run_finished"})
        (run.folder / "result.json").write_bytes(to_json({"status": "stopped", "questions": [asked]}))
        await until(lambda: bool(feed.questions))
        return feed.state.status, feed.figures, feed.questions, feed.report, feed.files

    status, figures, questions, report, listed = asyncio.run(watch())
    assert (status, figures, questions) == ("interrupted", ["figures/01.png"], [asked])
    assert "<h1>Done &lt;script&gt;</h1>" in report
    assert listed == ["report.md", "figures/01.png"]


def test_a_line_that_is_no_event_stops_nothing(tmp_path: Path) -> None:
    run = made(tmp_path)
    (run.folder / "events.jsonl").write_text('garbage\n{"seq": 2, "kind": "b", "time": "t"}\n')
    assert [json.dumps(event["kind"]) for event in RunTail(run).read()] == ['"b"']


async def until(holds: Any, seconds: float = 10.0) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.02)
