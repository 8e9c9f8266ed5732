"""The wall in front of the console: who may speak to it, from which page, and how much at once. Plain ASGI.

Order: the Host header (another name that resolves to this machine), the page that asks (Origin, Sec-Fetch-Site), the
size, the token. What passes gets headers that keep a browser from loading or running what the console did not send.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from labwright.apps.console.login import Attempts, form

COMMON = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}
# The pages' Vue compiles templates in the browser, hence 'unsafe-eval'. Scripts within a page need the nonce, so
# neither a script element nor an onerror=... that got into a text would run, even if it were not escaped.
POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; font-src 'self'; connect-src 'self' ws://{host} wss://{host}; manifest-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
)


def guarded_send(send: Send, host: str) -> Send:
    """`send`, with the headers; `host` is as it was found good. A page's own scripts get the answer's nonce."""
    nonce = secrets.token_urlsafe(16)
    held: Message | None = None  # the start of a page, until its whole text is here
    body = b""

    async def guarded(message: Message) -> None:
        nonlocal held, body
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            for name, value in COMMON.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", POLICY.format(nonce=nonce, host=host))
            if headers.get("content-type", "").startswith("text/html"):
                held = message
                return
        if held is None or message["type"] != "http.response.body":
            await send(message)
            return
        body += message.get("body", b"")
        if message.get("more_body", False):
            return
        page = body.replace(b"<script", f'<script nonce="{nonce}"'.encode())
        MutableHeaders(raw=held["headers"])["content-length"] = str(len(page))
        await send(held)
        held = None
        await send({**message, "body": page})

    return guarded


COOKIE = "labwright_console"
MOST_SESSIONS = 200  # logins that are remembered; the oldest is forgotten first
LARGEST_BODY = 256 * 1024  # bytes of a request; nothing larger is ever sent by the console's own pages
TOO_LARGE = f"A request may have at most {LARGEST_BODY} bytes."
SOCKET = "/_nicegui_ws/"
LOGIN = "/login"
SAFE = ("GET", "HEAD")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True)
class Rules:
    """Who may come in.

    Attributes:
        token: what has to be known; empty where nothing is demanded.
        hosts: names under which the console is spoken to, in lower case, without a port.
        any_address: whether a bare IP address in the Host header is taken, too: no other site has one for a name.
        secure: whether the cookie goes over https alone.
    """

    token: str = ""
    hosts: frozenset[str] = frozenset(LOOPBACK)
    any_address: bool = False
    secure: bool = False


@dataclass
class Guard:
    """An ASGI application in front of another."""

    app: ASGIApp
    rules: Rules
    attempts: Attempts = field(default_factory=Attempts)
    _sessions: dict[str, None] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer it here, or let it through."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refused(scope, headers)
        if refusal is None and self.rules.token and not self._known(HTTPConnection(scope)):
            refusal = await self._asked_for_token(scope, headers, receive)
        if refusal is None:
            await self._let_through(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            await refusal(scope, receive, guarded_send(send, headers.get("host", "")))

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:
        """Why the request may not pass, whoever sends it."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._own(hosts[0]):
            words = f"The console is not served under this name. Start it with --name {_name(''.join(hosts[:1]))}"
            return PlainTextResponse(words, 421)
        socket = scope["type"] == "websocket"
        if socket != scope["path"].startswith(SOCKET):
            return PlainTextResponse("Only the websocket of the pages is served here, and only as a websocket.", 400)
        unsafe = socket or scope["method"] not in SAFE
        if unsafe and _place(headers.get("origin", "")) != hosts[0].lower():
            return PlainTextResponse("This was sent by another site's page.", 403)
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("Another site's page may not load this.", 403)
        if not socket and _length(headers) > LARGEST_BODY:
            return PlainTextResponse(TOO_LARGE, 413)
        return None

    def _own(self, host: str) -> bool:
        name = _name(host)
        if name in self.rules.hosts:
            return True
        try:
            return self.rules.any_address and bool(ip_address(name.strip("[]")))
        except ValueError:
            return False

    def _known(self, asking: HTTPConnection) -> bool:
        """Whether the request carries the cookie of somebody who knew the token."""
        given = asking.cookies.get(COOKIE, "")
        found = False
        for session in self._sessions:  # all of them, so that the time tells nothing
            found |= hmac.compare_digest(session.encode(), given.encode(errors="replace"))
        return found

    async def _asked_for_token(self, scope: Scope, headers: Headers, receive: Receive) -> Response:
        """What somebody without a cookie gets: the form, a cookie for the right token, or a refusal."""
        if scope["type"] == "websocket":
            return PlainTextResponse("", 403)
        request = Request(scope)
        offered = await _offered(request, receive)
        if offered is None:
            wanted = "text/html" in headers.get("accept", "")
            return form() if wanted and request.method in SAFE else PlainTextResponse("A token is needed.", 401)
        who = request.client.host if request.client else "?"
        wait = self.attempts.wait(who)
        if wait:
            words = f"Too many wrong tokens. Try again in {wait:.0f} s."
            return PlainTextResponse(words, 429, headers={"Retry-After": f"{wait:.0f}"})
        if not hmac.compare_digest(offered.encode(errors="replace"), self.rules.token.encode()):
            self.attempts.failed(who)
            return form("That is not the token.", 403)
        return self._welcome(request)

    def _welcome(self, request: Request) -> Response:
        """The right token: a cookie that no script can read, and the page that was wanted, without the token."""
        session = secrets.token_urlsafe(32)
        self._sessions[session] = None
        while len(self._sessions) > MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        kept = [(name, value) for name, value in parse_qsl(request.url.query) if name != "token"]
        path = "/" + request.url.path.lstrip("/")
        target = "/" if path == LOGIN else path + (f"?{urlencode(kept)}" if kept else "")
        answer = RedirectResponse(target, 303)
        answer.set_cookie(COOKIE, session, httponly=True, samesite="strict", secure=self.rules.secure, path="/")
        return answer

    async def _let_through(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        answer = guarded_send(send, Headers(scope=scope).get("host", ""))
        if scope["method"] in SAFE:
            await self.app(scope, receive, answer)
            return
        body = await _whole(receive)
        if body is None:
            await PlainTextResponse(TOO_LARGE, 413)(scope, receive, answer)
        else:
            await self.app(scope, _said_again(body, receive), answer)


async def _whole(receive: Receive) -> bytes | None:
    """The body of a request; None if it is larger than it may be, whatever length was said."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > LARGEST_BODY:
            return None
    return body


def _said_again(body: bytes, receive: Receive) -> Receive:
    said = False

    async def again() -> Message:
        nonlocal said
        if said:
            return await receive()
        said = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _offered(request: Request, receive: Receive) -> str | None:
    """The token that the request brings, in the address or the form; None without one."""
    if request.method == "POST" and request.url.path == LOGIN:
        body = await _whole(receive) or b""
        try:
            return dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=10)).get("token", "")
        except ValueError:  # more fields than any form of ours has
            return ""
    if request.method in SAFE and "token" in request.query_params:
        return request.query_params["token"]
    return None


def _name(host: str) -> str:
    """The Host header without its port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def _place(origin: str) -> str:
    """Host and port of an Origin header; empty if it is none of a web page."""
    parts = urlsplit(origin)
    return parts.netloc.lower() if parts.scheme in ("http", "https") and not parts.path.strip("/") else ""


def _length(headers: Headers) -> int:
    given = headers.get("content-length", "0")
    return int(given) if given.isdigit() else LARGEST_BODY + 1
