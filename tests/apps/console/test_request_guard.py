"""The wall in front of the console, with a plain application behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from labwright.apps.console.login import MOST_OF_ONE, WINDOW, Attempts
from labwright.apps.console.request_guard import COOKIE, LARGEST_BODY, Guard, Rules

TOKEN = "a-token-that-is-long-enough"
HERE = "http://127.0.0.1:8080"


class Clock:
    """Seconds that pass only when they are told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def behind() -> Starlette:
    async def page(request: Request) -> Response:
        return HTMLResponse("<html><script>own()</script><script type='module'>x</script></html>")

    async def take(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("hello")
        await socket.close()

    return Starlette(
        routes=[
            Route("/", page),
            Route("/run/{name}", page),
            Route("/take", take, methods=["POST"]),
            WebSocketRoute("/_nicegui_ws/socket.io", talk),
        ]
    )


def client(rules: Rules, attempts: Attempts | None = None) -> TestClient:
    return TestClient(Guard(behind(), rules, attempts or Attempts()), base_url=HERE, follow_redirects=False)


@pytest.fixture
def here() -> Iterator[TestClient]:
    with client(Rules()) as made:
        yield made


@pytest.fixture
def away() -> Iterator[TestClient]:
    with client(Rules(TOKEN)) as made:
        yield made


def test_a_page_gets_the_headers_and_its_scripts_the_nonce(here: TestClient) -> None:
    answer = here.get("/")
    policy = answer.headers["content-security-policy"]
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert answer.text.count(f'<script nonce="{nonce}"') == 2
    assert len(answer.content) == int(answer.headers["content-length"])
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    assert "http:" not in policy
    assert "https:" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert here.get("/").headers["content-security-policy"] != policy, "a nonce is used once"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080", "", "10.0.0.5"]
)
def test_another_name_for_this_machine_is_refused(here: TestClient, host: str) -> None:
    assert here.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080", "LOCALHOST"])
def test_the_names_of_loopback_are_taken(here: TestClient, host: str) -> None:
    assert here.get("/", headers={"host": host}).status_code == 200


def test_elsewhere_an_address_is_taken_and_a_strange_name_is_not() -> None:
    with client(Rules(TOKEN, frozenset({"lab.example"}), any_address=True)) as made:
        token = {"token": TOKEN}
        assert made.get("/", params=token, headers={"host": "192.168.1.7:8080"}).status_code == 303
        made.cookies.clear()
        assert made.get("/", params=token, headers={"host": "lab.example"}).status_code == 303
        made.cookies.clear()
        assert made.get("/", params=token, headers={"host": "evil.example"}).status_code == 421


def test_what_changes_something_must_come_from_our_own_page(here: TestClient) -> None:
    assert here.post("/take", content=b"x", headers={"origin": HERE}).text == "1"
    for origin in ("https://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1:8080.evil.example"):
        assert here.post("/take", content=b"x", headers={"origin": origin}).status_code == 403
    assert here.post("/take", content=b"x").status_code == 403, "no origin at all"


def test_another_sites_page_may_not_load_pictures_or_scripts(here: TestClient) -> None:
    asked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert here.get("/", headers=asked).status_code == 403
    assert here.get("/", headers={**asked, "sec-fetch-mode": "navigate"}).status_code == 200, "a link is followed"


def test_a_socket_from_another_site_is_closed_before_it_is_accepted(here: TestClient) -> None:
    path = "/_nicegui_ws/socket.io"
    with here.websocket_connect(path, headers={"origin": HERE, "host": "127.0.0.1:8080"}) as socket:
        assert socket.receive_text() == "hello"
    for origin in ("https://evil.example", "http://localhost:8080", "null", ""):
        with (
            pytest.raises(WebSocketDisconnect) as closed,
            here.websocket_connect(path, headers={"origin": origin, "host": "127.0.0.1:8080"}),
        ):
            pass
        assert closed.value.code == 1008


def test_only_the_one_socket_is_served_and_only_as_a_socket(here: TestClient) -> None:
    assert here.get("/_nicegui_ws/socket.io?transport=polling").status_code == 400
    with pytest.raises(WebSocketDisconnect), here.websocket_connect("/run/x", headers={"origin": HERE}):
        pass


def test_an_oversized_body_is_refused_said_or_unsaid(here: TestClient) -> None:
    def unsaid() -> Iterator[bytes]:
        for _ in range(LARGEST_BODY // 1024 + 2):
            yield b"x" * 1024

    headers = {"origin": HERE}
    assert here.post("/take", content=b"x" * (LARGEST_BODY + 1), headers=headers).status_code == 413
    assert here.post("/take", content=unsaid(), headers=headers).status_code == 413
    assert here.post("/take", content=b"x" * LARGEST_BODY, headers=headers).text == str(LARGEST_BODY)


def test_without_the_token_there_is_a_form_and_nothing_else(away: TestClient) -> None:
    shown = away.get("/run/x", headers={"accept": "text/html"})
    assert shown.status_code == 401
    assert "own()" not in shown.text
    assert '<form method="post" action="/login">' in shown.text
    assert away.get("/run/x").status_code == 401
    with pytest.raises(WebSocketDisconnect), away.websocket_connect("/_nicegui_ws/socket.io", headers={"origin": HERE}):
        pass


def test_the_token_gives_a_cookie_that_no_script_reads(away: TestClient) -> None:
    answer = away.get("/run/x", params={"token": TOKEN, "a": "b c"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/run/x?a=b+c")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert away.get("/run/x").status_code == 200
    headers = {"origin": HERE, "host": "127.0.0.1:8080", "cookie": cookie.partition(";")[0]}
    with away.websocket_connect("/_nicegui_ws/socket.io", headers=headers) as socket:
        assert socket.receive_text() == "hello"


def test_the_form_gives_it_too_and_away_from_loopback_over_https_alone() -> None:
    with client(Rules(TOKEN, secure=True)) as made:
        answer = made.post("/login", data={"token": TOKEN}, headers={"origin": HERE})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert "Secure" in answer.headers["set-cookie"]
        assert made.post("/login", data={"token": TOKEN}, headers={"origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("cookie", ["", "x", TOKEN, "é" * 10])
def test_a_made_up_cookie_opens_nothing(away: TestClient, cookie: str) -> None:
    headers = {"cookie": f"{COOKIE}={cookie}".encode()}
    assert away.get("/", headers=headers).status_code == 401


def test_wrong_tokens_are_few_and_then_the_right_one_waits_as_well() -> None:
    clock = Clock()
    with client(Rules(TOKEN), Attempts(clock)) as made:
        for wrong in range(MOST_OF_ONE):
            assert made.get("/", params={"token": f"wrong {wrong}"}).status_code == 403
        answer = made.get("/", params={"token": TOKEN})
        assert answer.status_code == 429
        assert 0 < int(answer.headers["retry-after"]) <= WINDOW
        clock.now += WINDOW + 1
        assert made.get("/", params={"token": TOKEN}).status_code == 303


def test_a_redirect_after_the_token_stays_on_this_server(away: TestClient) -> None:
    answer = away.get(f"{HERE}//evil.example/x", params={"token": TOKEN})
    assert answer.headers["location"] == "/evil.example/x"
