"""One device of the arena as an MCP server. Nothing but its tools is served: no resource, no prompt."""

from __future__ import annotations

import functools
import hashlib
import json
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.exceptions import ToolError as Refused

from labwright.evaluation.arena.client import told
from labwright.evaluation.arena.grader import PACE, Grader
from labwright.evaluation.arena.grading import grade
from labwright.evaluation.arena.session import TOOLS, Budget, Session
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.sandbox.linux_calls import hide_memory

TASK = Path(__file__).parents[1] / "cases" / "arena" / "task.md"


@contextmanager
def served(
    kind: str, condition: str, number: int, secret: Path | None, budget: Budget, grades: Path | None
) -> Iterator[FastMCP]:
    """A server of one device; at the hand-in the grade is appended to the file `grades`, which only its owner may read.

    Args:
        kind: qubit, pair or chip.
        condition: good, drifting, spoilt, doubly_spoilt or any.
        number: of the device below the secret.
        secret: file with it; None: one is drawn, and no device is ever seen again.
        budget: of the agent.
        grades: file for the grade.

    Raises:
        InputError: the device was served before. Who has seen a device knows it.
    """
    with suppress(OSError):
        hide_memory()
    key = _once(secret, number, grades) if secret else secrets.token_bytes(32)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        session = Grader(key, Path(folder)).open(number, kind, condition, budget)
        kept: list[Path] = [grades] if grades else []

        def graded() -> None:
            if kept:
                sealed = hashlib.sha256(key).hexdigest()[:16]
                _add(kept.pop(), json.dumps({"number": number, "secret_sha256": sealed, **grade(session)}))

        try:
            yield server_of(session, graded=graded)
        finally:
            graded()  # of one that never handed in
            session.close()


def server_of(session: Session, pace: float = PACE, graded: Callable[[], None] = lambda: None) -> FastMCP:
    """The tools of a session, one call at a time; `graded` is called at the hand-in."""
    server = FastMCP(
        "labwright-arena", instructions=TASK.read_text(encoding="utf-8"), host="127.0.0.1", log_level="ERROR"
    )
    turn = anyio.Lock()

    def serving(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        async def answer(**arguments: Any) -> Any:
            async with turn:
                begun = time.monotonic()
                try:
                    said = await run_sync(functools.partial(session.call, method.__name__, arguments))
                    if session.handed is not None:
                        await run_sync(graded)
                    return said
                except Exception as error:  # noqa: BLE001 - nothing of an error of ours may reach the agent
                    raise Refused(told(error)["error"]) from None
                finally:
                    await anyio.sleep(pace - (time.monotonic() - begun) % pace if pace else 0)

        return answer

    for name in TOOLS:
        server.add_tool(serving(getattr(session, name)))
    return server


def _once(secret: Path, number: int, grades: Path | None) -> bytes:
    """The secret, unless this device of it was served before; the list stands beside the grades, or the secret."""
    key = bytes.fromhex(secret.read_text(encoding="ascii"))
    listed = (grades or secret).with_suffix(".served")
    before = listed.read_text(encoding="ascii").split() if listed.exists() else []
    if str(number) in before:
        raise InputError(f"Device {number} of {secret} was served already. Serve another number, or draw a new secret.")
    _add(listed, str(number))
    return key


def _add(path: Path, line: str) -> None:
    before = path.read_bytes() if path.exists() else b""
    write_atomic(path, before + line.encode() + b"\n")
    path.chmod(0o600)
