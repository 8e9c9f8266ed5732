"""Where words go: results to stdout, progress and complaints to stderr."""

from __future__ import annotations

import os
import sys

from rich.console import Console

WIDTH_WITHOUT_TERMINAL = 120  # columns of a file or a pipe


def out() -> Console:
    """The console of results."""
    return _console(stderr=False)


def err() -> Console:
    """The console of progress and complaints."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    # Made anew at each call: a test, or a caller, may have replaced the streams since.
    stream = sys.stderr if stderr else sys.stdout
    fixed = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL
    return Console(file=stream, width=fixed, highlight=False, soft_wrap=False)
