"""Pause, answer, fork, go on and compare, from a run's own page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browser, browser, console, say

from labwright.tools.runs import open_run

pytestmark = pytest.mark.slow


@pytest.fixture
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def test_a_run_is_paused_answered_on_its_own_page_forked_and_compared(chromium: Browser, tmp_path: Path) -> None:
    with console(tmp_path, "--approve", "auto") as address:
        window = chromium.window(address)
        say(window, "calibrate Q1")
        path = window.locator("article a").first.get_attribute("href")
        run = open_run(tmp_path / "runs", path.rpartition("/")[2])
        window.goto(address + path)
        window.get_by_role("button", name="Pause at the next stage").click()
        window.get_by_role("button", name="Run this stage").click()  # a paused run asks how it goes on
        done = window.locator(".lw-status", has_text="complete")
        done.first.wait_for(timeout=120_000)
        window.locator("summary", has_text="Measure again").click()
        window.get_by_label("Keep so many").fill("99")
        window.get_by_role("button", name="Measure again from here").click()
        window.get_by_text("not after 99").wait_for()
        window.get_by_label("Keep so many").fill("2")
        window.get_by_text("Ask me first, with parameters to change").click()
        with window.expect_navigation():
            window.get_by_role("button", name="Measure again from here").click()
        forked = open_run(tmp_path / "runs", window.url.rpartition("/")[2])
        assert forked.record.choices["approval"] == "always"
        window.get_by_text(f"{forked.run_id} (this run), from stage run 2 on").wait_for()
        step = window.get_by_role("button", name="Run this stage")
        while not done.count():
            if step.count():
                step.first.click()
            window.wait_for_timeout(300)
        done.first.wait_for(timeout=120_000)
        assert forked.record.parent == {"run_id": run.run_id, "stage": 2}
        measured = [sum(event["kind"] == "measured" for event in one.events.read()) for one in (run, forked)]
        assert measured[1] < measured[0], "the stages that were kept are not measured again"
        window.goto(f"{address}/runs")
        for one in (run, forked):
            window.get_by_role("checkbox", name=f"compare {one.run_id}").click()
        with window.expect_navigation():
            window.get_by_role("button", name="Compare the two").click()
        window.get_by_role("rowheader", name="Q1 error per gate").wait_for()
        assert chromium.complaints == []


def test_a_run_whose_server_went_away_goes_on_from_its_page(chromium: Browser, tmp_path: Path) -> None:
    with console(tmp_path, "--approve", "auto") as address:
        window = chromium.window(address)
        say(window, "calibrate Q2")
        path = window.locator("article a").first.get_attribute("href")
        window.locator("article img").first.wait_for()
    run = open_run(tmp_path / "runs", path.rpartition("/")[2])
    before = sum(event["kind"] == "measured" for event in run.events.read())
    with console(tmp_path, "--approve", "auto") as address:
        window = chromium.window(address + path)
        go_on = window.get_by_role("button", name="Go on", exact=True)
        run_it = window.get_by_role("button", name="Run this stage")
        go_on.or_(run_it).first.click()
        window.locator(".lw-status", has_text="complete").first.wait_for(timeout=120_000)
    keys = [event["once"] for event in run.events.read() if event["kind"] == "measured"]
    assert len(keys) == len(set(keys)), "nothing is measured twice"
    assert len(keys) > before >= 1
