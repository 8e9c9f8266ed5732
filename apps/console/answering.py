"""The headers of every answer, and a nonce for the scripts of a page: what is not the console's own does not run."""

from __future__ import annotations

import secrets

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

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


def guarded_send(send: Send, host: str, path: str) -> Send:
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
