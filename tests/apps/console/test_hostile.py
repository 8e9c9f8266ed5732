"""A real server under attack: other sites, forged and oversized messages, wrong tokens, words that want to be code."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from browsing import browser, console

from labwright.apps.console.app import LARGEST_MESSAGE
from labwright.apps.console.guard import COOKIE
from labwright.apps.console.login import MOST_OF_ONE
from labwright.tools.runs import create_run, to_json

TOKEN = "the-token-of-this-test"
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
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run whose every text wants to be code."""
    root = tmp_path_factory.mktemp("hostile")
    for system in ("lab_calibration", "protocol_design", "feature_map_search", "tool_forging", f"strange {CODE}"):
        run = create_run(root / "runs", system, f"hostile {CODE}{TURNED}", {"mind": CODE, "seed": 0}, 0)
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
    return root


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with console(folder, "--token", TOKEN) as found:
        yield found


@pytest.fixture(scope="module")
def cookie(address: str) -> str:
    """The cookie of somebody who knew the token."""
    answer = httpx.get(address, params={"token": TOKEN})
    assert answer.status_code == 303
    return f"{COOKIE}={answer.cookies[COOKIE]}"


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


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost:1", "null", None])
def test_a_socket_from_elsewhere_is_refused_even_with_the_cookie(address: str, cookie: str, origin: str | None) -> None:
    assert not asyncio.run(opened(address, cookie, origin))


def test_a_socket_from_our_page_needs_the_cookie(address: str, cookie: str) -> None:
    assert asyncio.run(opened(address, cookie, address))
    assert not asyncio.run(opened(address, "", address))
    assert not asyncio.run(opened(address, f"{COOKIE}={TOKEN}", address))


def test_an_oversized_message_ends_its_socket_and_nothing_else(address: str, cookie: str) -> None:
    async def flood() -> int | None:
        async with socket(address, cookie, address) as talk:
            await talk.recv()
            await talk.send("4" + "x" * (2 * LARGEST_MESSAGE))
            try:
                while True:
                    await asyncio.wait_for(talk.recv(), 10)
            except websockets.ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 1006

    assert asyncio.run(flood()) in (1009, 1006, 1000)
    assert asyncio.run(opened(address, cookie, address))


def test_forged_events_of_another_window_have_no_effect(address: str, cookie: str, folder: Path) -> None:
    """Clicks for elements of windows that are not the sender's, or that are not there."""

    async def forge() -> None:
        async with socket(address, cookie, address) as talk:
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
    assert asyncio.run(opened(address, cookie, address))
    assert not [path for path in (folder / "runs").glob("*/events.jsonl") if '"answer"' in path.read_text()]


@pytest.mark.slow
def test_words_that_want_to_be_code_are_words_on_every_page(address: str, folder: Path) -> None:
    with browser() as chromium:
        window = chromium.window(f"{address}/runs?token={TOKEN}")
        runs = sorted(path.name for path in (folder / "runs").iterdir())
        pages = ["/", "/runs", "/costs", "/library", f"/compare?first={runs[0]}&second={runs[1]}"]
        for path in pages + [f"/run/{name}" for name in runs]:
            looked_at(window, address + path)
        window.goto(f"{address}/run/{runs[0]}")
        window.get_by_role("button", name="<img").wait_for()
        assert window.get_by_role("heading", name="Measure <img").count() == 1
        assert TURNED not in window.locator("main").inner_text()
        assert window.evaluate("document.cookie") == "", "no script can read the cookie"
        assert COOKIE in str(window.context.cookies())
        assert chromium.elsewhere(address) == []


@pytest.mark.slow
def test_what_is_said_in_the_chat_is_words_too(address: str) -> None:
    with browser() as chromium:
        window = chromium.window(f"{address}/?token={TOKEN}")
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
def test_made_up_names_find_nothing(address: str, cookie: str, path: str) -> None:
    answer = httpx.get(address + path, headers={"cookie": cookie})
    assert answer.status_code in (200, 400, 404)
    assert not re.search(r"root:|SQLite format", answer.text)
    body = answer.text.partition("<body>")[2]
    assert "<script>window" not in body


def test_guessing_the_token_is_slowed(address: str) -> None:
    """Last: it locks this address out for a minute."""
    with httpx.Client() as client:
        codes = [client.get(address, params={"token": f"guess {n}"}).status_code for n in range(MOST_OF_ONE + 2)]
        assert codes == [403] * MOST_OF_ONE + [429] * 2
        assert client.get(address, params={"token": TOKEN}).status_code == 429
