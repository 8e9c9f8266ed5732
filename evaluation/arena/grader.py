"""The grader's process: it has the secret, draws devices, answers the agent's calls, and grades.

It speaks JSON lines over two pipes: ``open``, ``call`` and ``grade``. Nothing that comes in is ever executed or
unpickled. The device's memory is a folder that goes with the process; where Linux allows it, nobody of the same user
may look into the process or that folder.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from labwright.evaluation.arena.client import told
from labwright.evaluation.arena.devices import draw
from labwright.evaluation.arena.grading import grade
from labwright.evaluation.arena.session import Budget, Session
from labwright.tools.errors import InputError
from labwright.tools.sandbox.linux_calls import hide_memory

PACE = 0.25  # s; answers come at multiples of it after the question, so that their time tells little


class Grader:
    """One secret, and the device that is open."""

    def __init__(self, secret: bytes, folder: Path) -> None:
        self._secret, self._folder, self._opened = secret, folder, 0
        self.session: Session | None = None

    def open(self, number: int, kind: Any = "qubit", condition: Any = "any", budget: Budget | None = None) -> Session:
        """Draw a device and put it on the bench; the one before is gone."""
        if self.session is not None:
            self.session.close()
        self._opened += 1
        place = self._folder / str(self._opened)
        self.session = Session(draw(self._secret, number, kind, condition), place, budget or Budget())
        return self.session

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer to one line.

        Raises:
            ToolError: for the agent to read.
        """
        if asked.get("do") == "open":
            budget = Budget(**asked["budget"]) if asked.get("budget") else None
            self.open(int(asked["number"]), asked.get("kind", "qubit"), asked.get("condition", "any"), budget)
            return {"opened": int(asked["number"])}
        if self.session is None:
            raise InputError("No device is open.")
        if asked.get("do") == "call":
            return self.session.call(asked["tool"], asked.get("arguments") or {})
        if asked.get("do") == "grade":
            found = grade(self.session)
            self.session.close()
            self.session = None
            return found
        raise InputError("A line is one of: open, call, grade.")


def serve(lines: IO[str], out: IO[str], secret: bytes, folder: Path, pace: float = PACE) -> None:
    """Answer lines until there are no more."""
    grader = Grader(secret, folder)
    for line in lines:
        begun = time.monotonic()
        try:
            reply = {"ok": grader.answer(json.loads(line))}
        except Exception as error:  # noqa: BLE001 - whatever it was, the agent may not end the grader with it
            reply = told(error)
        if pace:
            time.sleep(pace - (time.monotonic() - begun) % pace)
        out.write(json.dumps(reply) + "\n")
        out.flush()


def main() -> None:
    """Serve over standard input and output; see `client.Arena` for the arguments."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--secret", type=Path)
    arguments.add_argument("--at-once", action="store_true")
    chosen = arguments.parse_args()
    with suppress(OSError):
        hide_memory()
    secret = bytes.fromhex(chosen.secret.read_text("ascii")) if chosen.secret else secrets.token_bytes(32)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        serve(sys.stdin, out, secret, Path(folder), 0.0 if chosen.at_once else PACE)


if __name__ == "__main__":
    main()
