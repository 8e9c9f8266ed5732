"""A real server under attack: other sites, forged and oversized messages, wrong tokens, words that want to be code."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from browsing import TOKEN, Browser

from labwright.apps.console.app import LARGEST_MESSAGE
from labwright.apps.console.request_guard import COOKIE
from labwright.tools.runs import create_run, to_json

pytestmark = pytest.mark.slow  # quick, without a server: test_request_guard.py
CODE = (
    '<img src=x onerror="window.taken=1"><script>window.taken=1</script>'
    "{{constructor.constructor('window.taken=1')()}}"
)
TURNED = "\N{RIGHT-TO-LEFT OVERRIDE}"
QUESTION = {
    "id": f"approve {CODE}",
    "kind": "approve",
    "title": f"Measure {CODE}{TURNED}?",
    "body_markdown": f"{CODE}\n\n[x](javascript:window.taken=1) ![p](https://evil.example/pixel.png)",
    "figures": ["../../../etc/passwd", f"figures/{CODE}.png"],
    "options": [{"value": "run", "label": CODE}, {"value": "edit", "label": "edit"}],
    "form_schema": {"type": "object", "properties": {CODE: {"type": "string", "default": CODE}}},
}


@pytest.fixture(scope="module")
def hostile(folder: Path) -> list[str]:
    """Runs of this laboratory whose every text wants to be code."""
    made: list[str] = []
    with pytest.MonkeyPatch.context() as settings:
        settings.setenv("LABWRIGHT_STATE", str(folder / "state"))
        write(folder, made)
    return made


def write(folder: Path, made: list[str]) -> None:
    for system in ("lab_calibration", "protocol_design", "feature_map_search", "tool_forging", f"strange {CODE}"):
        run = create_run(folder / "runs", system, f"hostile {CODE}{TURNED}", {"mind": CODE, "seed": 0}, 0)
        started = {"stage": CODE, "instruction": CODE, "path": "p", "attempt": 1, "depth": 1}
        run.events.append({"kind": "planned", "path": "p", "stages": [{"label": CODE, "instruction": CODE}]})
        run.events.append({"kind": "stage_started", **started})
        run.events.append({"kind": "inspected", "verdict": CODE, "diagnosis": CODE, "reason": CODE, "estimates": {}})
        run.events.append({"kind": "run_finished", "status": "stopped", "reason": CODE})
        (run.folder / "figures").mkdir()
        (run.folder / "figures" / 'a"onerror="window.taken=1".png').write_bytes(b"\x89PNG\r\n\x1a\n")
        (run.folder / "report.md").write_text(f"# {CODE}\n\n| {CODE} |\n|---|\n| {CODE} |\n\n![x]({CODE})")
        ended = {"status": "stopped", "reason": CODE, "questions": [QUESTION], "result": {}, "artifacts": []}
        (run.folder / "result.json").write_bytes(to_json(ended))
        made.append(run.run_id)


@pytest.fixture(scope="module")
def cookies(cookie: str) -> str:
    """The header of somebody who knew the token."""
    return f"{COOKIE}={cookie}"


def socket(address: str, cookie: str, origin: str | None) -> Any:
    """The pages' websocket, as a program would open it."""
    url = address.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    headers = {"Cookie": cookie} if cookie else {}
    return websockets.connect(url, origin=origin, additional_headers=headers, max_size=None)  # type: ignore[arg-type]


async def opened(address: str, cookie: str, origin: str | None) -> bool:
    """Whether the server speaks socket.io with it."""
    try:
        async with socket(address, cookie, origin) as talk:
            return str(await asyncio.wait_for(talk.recv(), 10)).startswith("0{")
    except websockets.InvalidStatus as refused:
        return refused.response.status_code != 403


def test_a_socket_from_our_page_needs_the_cookie(address: str, cookies: str) -> None:
    assert asyncio.run(opened(address, cookies, address))
    assert not asyncio.run(opened(address, "", address))
    assert not asyncio.run(opened(address, f"{COOKIE}={TOKEN}", address))


def test_an_oversized_message_ends_its_socket_and_nothing_else(address: str, cookies: str) -> None:
    async def flood() -> int | None:
        async with socket(address, cookies, address) as talk:
            await talk.recv()
            await talk.send("4" + "x" * (2 * LARGEST_MESSAGE))
            try:
                while True:
                    await asyncio.wait_for(talk.recv(), 10)
            except websockets.ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 1006

    assert asyncio.run(flood()) in (1009, 1006, 1000)
    assert asyncio.run(opened(address, cookies, address))


def test_forged_events_of_another_window_have_no_effect(
    address: str, cookies: str, folder: Path, hostile: list[str]
) -> None:
    """Clicks for elements of windows that are not the sender's, or that are not there."""

    async def forge() -> None:
        async with socket(address, cookies, address) as talk:
            await talk.recv()
            await talk.send("40")
            await talk.recv()
            for event in (
                {"client_id": "no-such-client", "id": 12, "listener_id": "x", "args": []},
                {"client_id": "../../etc", "id": -1, "listener_id": None, "args": ["{}"]},
            ):
                await talk.send("42" + json.dumps(["event", event]))
                await talk.send(
                    "42" + json.dumps(["javascript_response", {**event, "request_id": "1", "result": CODE}])
                )
            await asyncio.sleep(0.2)

    asyncio.run(forge())
    assert asyncio.run(opened(address, cookies, address))
    assert not [name for name in hostile if '"answer"' in (folder / "runs" / name / "events.jsonl").read_text()]


def test_words_that_want_to_be_code_are_words_on_every_page(
    chromium: Browser, address: str, hostile: list[str]
) -> None:
    window = chromium.window()
    pages = ["/", "/runs", "/costs", "/library", f"/compare?first={hostile[0]}&second={hostile[1]}"]
    for path in pages + [f"/run/{name}" for name in hostile]:
        looked_at(window, address + path)
    window.goto(f"{address}/run/{hostile[0]}")
    window.get_by_role("button", name="<img").wait_for()
    assert window.get_by_role("heading", name="Measure <img").count() == 1
    assert TURNED not in window.locator("main").inner_text()
    signed_in = chromium.chromium.new_context().new_page()
    signed_in.goto(f"{address}/?token={TOKEN}")
    assert signed_in.evaluate("document.cookie") == "", "no script can read the cookie"
    assert COOKIE in str(signed_in.context.cookies())
    chromium.complaints.clear()  # pictures with made-up names are missing


def test_what_is_said_in_the_chat_is_words_too(chromium: Browser, address: str) -> None:
    window = chromium.window(address)
    window.get_by_label("Message").fill(f"/remember that {CODE}")
    window.get_by_role("button", name="Send").click()
    window.get_by_text("I keep in mind").wait_for()
    looked_at(window, address)
    assert "<script>window.taken=1</script>" in window.locator("main").inner_text()


def looked_at(window: Any, url: str) -> None:
    """Open the page, wait until it is alive, and see that nothing took it over."""
    window.goto(url)
    window.wait_for_function("window.did_handshake === true")
    window.locator("main h1").first.wait_for()
    window.wait_for_timeout(300)
    assert window.evaluate("window.taken") is None, url
    assert window.evaluate("document.querySelectorAll('main script, main iframe, main [onerror]').length") == 0, url


@pytest.mark.parametrize(
    "path",
    [
        "/files/..%2f..%2fstate/x/report.md", "/files/%2e%2e/state/memory.sqlite", "/run/..%2f..", "/run/%00",
        "/run/%3Cscript%3E", "/conversation/..%2f..%2fruns", "/compare?first=../..&second=%3Cscript%3E",
        "/_nicegui/../../../etc/passwd",
    ],
)  # fmt: skip
def test_made_up_names_find_nothing(address: str, cookies: str, path: str) -> None:
    answer = httpx.get(address + path, headers={"cookie": cookies})
    assert answer.status_code in (200, 400, 404)
    assert not re.search(r"root:|SQLite format", answer.text)
    body = answer.text.partition("<body>")[2]
    assert "<script>window" not in body
