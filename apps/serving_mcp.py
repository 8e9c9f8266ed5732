"""Serve an MCP server until stopped: over standard input and output, or over HTTP with a token."""

from __future__ import annotations

import functools
import hmac
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import anyio

from labwright.agents.errors import AgentError
from labwright.apps.terminal_output import err, escape
from labwright.tools.errors import ToolError

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP

P = ParamSpec("P")
R = TypeVar("R")
REFUSED = b"This server wants the token that it printed when it began, as `Authorization: Bearer TOKEN`.\n"


def serve(server: FastMCP, http: int | None, what: str, anyone: bool = False) -> None:
    """Serve until stopped.

    Args:
        server: the tools.
        http: a port of loopback; None: standard input and output.
        what: what is served, for the line that says where.
        anyone: want no token, where nothing but the client reaches this loopback, such as in a container.
    """
    if http is None:
        server.run(transport="stdio")
        return
    import uvicorn  # late, as pydantic below: `labwright jobs list` imports this module, too

    from labwright.agents.settings import Settings

    own = Settings().mcp_token
    token = own.get_secret_value() if own else secrets.token_urlsafe(32)
    header = "the token of LABWRIGHT_MCP_TOKEN" if own else f"Authorization: Bearer {token}"
    app: Any = server.streamable_http_app()
    if not anyone:
        err().print(f"{escape(what)} on http://127.0.0.1:{http}/mcp, with the header", soft_wrap=True)
        err().print(escape(header), soft_wrap=True)
        app = WithToken(app, token)
    anyio.run(uvicorn.Server(uvicorn.Config(app, "127.0.0.1", http, log_level="warning")).serve)


def told(work: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """`work`, with our errors as what the protocol shows to the agent: cause and remedy, no traceback."""

    @functools.wraps(work)
    async def telling(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await work(*args, **kwargs)
        except (ToolError, AgentError, OSError) as error:
            from mcp.server.fastmcp.exceptions import ToolError as Refused

            raise Refused(str(error)) from error

    return telling


class WithToken:
    """An ASGI application that only those reach who know the token: every account of the machine can reach loopback."""

    def __init__(self, app: Any, token: str) -> None:
        self._app, self._wanted = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on, or refuse it with status 401."""
        if scope["type"] in ("http", "websocket") and not self._knows(scope):
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": REFUSED})
            return
        await self._app(scope, receive, send)

    def _knows(self, scope: Any) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(given) == 1 and hmac.compare_digest(given[0], self._wanted)
