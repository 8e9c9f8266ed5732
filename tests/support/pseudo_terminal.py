"""A program behind a pseudo-terminal: what is typed into it, and what its screen says."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

_SEQUENCES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78])|\r")
# The terminal becomes the program's own: else a Ctrl-C is lost while the line editor has left raw mode to print.
OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)
PATIENCE = 300.0  # s for whatever is waited for; a busy machine is no failure
CURSOR_ASKED = "\x1b[6n"  # a line editor asks where it is


class PseudoTerminal:
    """A program with a terminal of its own; use it as a context manager."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], size: tuple[int, int] = (40, 120)) -> None:
        self.words, self.environment, self.size = list(words), dict(environment), size
        self.raw = ""
        self._seen = 0

    def __enter__(self) -> PseudoTerminal:
        import fcntl
        import struct
        import termios

        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *self.size, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, *self.words],
            stdin=slave, stdout=slave, stderr=slave, env=self.environment, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._master)

    @property
    def screen(self) -> str:
        """Everything that was shown, without escape sequences."""
        return _SEQUENCES.sub("", self.raw)

    def send(self, text: str) -> None:
        """Type `text`."""
        os.write(self._master, text.encode())

    def line(self, text: str) -> None:
        """Type `text`, or paste it as terminals do if it has several lines, see it, and press Enter."""
        before = len(self.screen)
        self.send(f"\x1b[200~{text}\x1b[201~" if "\n" in text else text)
        time.sleep(0.2)
        deadline = time.monotonic() + 60  # a busy program shows it late
        while text[-5:] not in self.screen[before:] and self._read(deadline):
            pass
        self.send("\r")

    def expect(self, words: str) -> str:
        """Wait until `words` are shown anew; returns what was shown since the last time.

        Raises:
            AssertionError: they were not shown in time, or the program ended.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            shown = self.screen
            at = shown.find(words, self._seen)
            if at >= 0:
                since, self._seen = shown[self._seen : at + len(words)], at + len(words)
                return since
            if not self._read(deadline):
                raise AssertionError(f"{words!r} was not shown. The screen says:\n{self.screen[-3000:]}")

    def ended(self) -> int:
        """Wait for the program's end; returns its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and self._read(deadline):
            pass
        return self.process.wait(max(0.1, deadline - time.monotonic()))

    def _read(self, deadline: float) -> bool:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        ready, _, _ = select.select([self._master], [], [], min(left, 1.0))
        if not ready:
            return True
        try:
            piece = os.read(self._master, 65536).decode(errors="replace")
        except OSError:  # the other side is closed
            return False
        self.raw += piece
        if CURSOR_ASKED in piece:
            self.send(f"\x1b[{self.size[0] - 12};1R")
        return bool(piece)
