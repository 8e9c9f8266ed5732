"""Conversations of the console in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, say, wider_than_the_window
from designs import AZIDE, design

from labwright.tools import named_persons
from labwright.tools.runs import open_run

pytestmark = pytest.mark.slow
ZOOM = 4  # times; a window of 1280 pixels then holds 320


def test_a_measurement_from_the_first_word_to_the_report(chromium: Browser, address: str, folder: Path) -> None:
    window = anew(chromium, address)
    say(window, "/approve always")
    say(window, "run a Ramsey experiment with stop = 2 us")
    window.get_by_role("button", name="Q1", exact=True).click()  # which qubit is meant?
    window.get_by_label("new value of stop").wait_for()
    window.reload()  # in mid-run: the same question stands there again
    window.get_by_label("new value of stop").fill("1.25")
    window.get_by_role("button", name="Run this stage").click()
    assert "You changed stop" in window.get_by_role("alert").inner_text()
    path = window.locator("article a").first.get_attribute("href")
    second = chromium.window(address + path)
    second.get_by_label("new value of stop").wait_for()  # another window asks the same
    window.get_by_role("button", name="Edit its parameters first").click()
    window.reload()  # while it measures
    window.locator("article img").first.wait_for()
    second.locator(".lw-figures img").first.wait_for()
    assert second.locator(".lw-figures img").first.evaluate("image => image.complete && image.naturalWidth") > 100
    while not second.locator(".lw-status", has_text="complete").count():  # it may want to measure longer, or again
        go_on = second.get_by_role("button", name="Run this stage")
        if go_on.count():
            go_on.first.click(timeout=5_000)
        second.wait_for_timeout(500)
    second.get_by_role("link", name="report.md").wait_for()
    with second.expect_download() as download:
        second.get_by_role("link", name="report.md").click()
    run = open_run(folder / "runs", path.rpartition("/")[2])
    saved = Path(download.value.path()).read_bytes()
    assert saved == (run.folder / "report.md").read_bytes()
    events = run.events.read()
    answers = [event for event in events if event.get("kind") == "answer" and "agent" not in event]
    assert {"decision": "edit", "value": {"stop": 1.25}}.items() <= answers[1].items()
    assert "stop=1.25" in str([event for event in events if event.get("kind") in ("translated", "measured")])


def test_windows_of_one_conversation_see_the_same(chromium: Browser, address: str) -> None:
    first, second = chromium.window(address), chromium.window(address)
    say(first, "/help")
    for window in (first, second):
        window.get_by_text("go on with a run under another budget").last.wait_for()
    first = anew(chromium, address)
    say(first, "/cost")
    first.get_by_text("this conversation, in all").wait_for()
    assert second.get_by_text("this conversation, in all").count() == 0, "another conversation"


def test_the_keyboard_reaches_what_the_mouse_does(chromium: Browser, address: str) -> None:
    window = chromium.window(address)
    window.wait_for_function("window.did_handshake === true")
    window.get_by_label("Message").wait_for()
    window.evaluate("document.activeElement.blur()")
    reached = tabbed(window, 30)
    assert reached[0] == "Skip to the content"
    for name in ("Conversation", "New", "Runs", "Library", "Costs", "Colours", "New conversation", "Message", "Send"):
        assert any(name in one for one in reached), (name, reached)
    assert window.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    window.get_by_label("Message").focus()
    window.keyboard.type("/look")
    window.keyboard.press("Enter")
    window.get_by_text("/look").first.wait_for()


def test_nothing_scrolls_sideways_at_four_times_the_size(chromium: Browser, address: str) -> None:
    window = anew(chromium, address, width=1280 // ZOOM, height=1024 // ZOOM)
    say(window, "/approve always")
    say(window, "run a Ramsey experiment on Q2 with stop = 2 us")
    window.get_by_label("new value of stop").wait_for()
    assert wider_than_the_window(window) <= 0
    window.goto(address + window.locator("article a").last.get_attribute("href"))
    window.get_by_label("new value of stop").wait_for()
    assert wider_than_the_window(window) <= 0
    window.get_by_role("button", name="Abort the run").click()
    window.locator(".lw-status", has_text="stopped").first.wait_for()


def anew(chromium: Browser, address: str, **size: int) -> Any:
    """A window on a conversation in which nothing was said yet."""
    window = chromium.window(address, **size)
    with window.expect_navigation():
        window.get_by_role("button", name="New conversation").click()
    return window


def tabbed(window: Any, times: int) -> list[str]:
    """What the Tab key reaches, by name."""
    found = []
    for _ in range(times):
        window.keyboard.press("Tab")
        found.append(
            window.evaluate(
                "(e => e.getAttribute('aria-label') || e.innerText || e.closest('[aria-label]')?.ariaLabel || '?')"
                "(document.activeElement)"
            )
        )
    return [re.sub(r"\s+", " ", str(one)).strip() for one in found]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_named_person_signs_in_the_form_and_approves_afterwards(
    chromium: Browser, address: str, folder: Path, width: int, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (folder / "people.json").exists():
        named_persons.add(folder / "people.json", "jane", "correct horse")
    monkeypatch.setenv("LABWRIGHT_PEOPLE", str(folder / "people.json"))
    monkeypatch.setenv("LABWRIGHT_STATE", str(folder / "state"))
    waiting = design(AZIDE, folder / "runs", approval="risky")
    window = chromium.window(f"{address}/run/{waiting.run_id}", width, color_scheme=scheme)
    window.get_by_label("Your name").fill("jane")
    window.get_by_label("Passphrase").fill("wrong horse")
    window.get_by_role("button", name="Accept these findings").click()
    window.get_by_text("do not belong together").wait_for()
    assert wider_than_the_window(window) <= 0
    window.get_by_label("Passphrase").fill("correct horse")
    window.get_by_label("Passphrase").press("Enter")
    window.get_by_role("heading", name="Write the robot's file?").wait_for()
    assert window.get_by_text("is open").count() == 0  # the sign-off is no answer to this question
    window.get_by_role("button", name="Write the robot's file").click()
    window.locator(".lw-status", has_text="complete").wait_for()
    assert open_run(folder / "runs", waiting.run_id).events.read()[-1]["status"] == "complete"
