"""Where words go: results to stdout, progress and complaints to stderr."""

from __future__ import annotations

import os
import re
import sys

from rich import markup
from rich.console import Console

# Escape sequences and marks that turn the writing direction round: a procedure, a file name or a model's words could
# redraw with them what a person is about to approve.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
WIDTH_WITHOUT_TERMINAL = 120  # columns of a file or a pipe


def out() -> Console:
    """The console of results."""
    return _console(stderr=False)


def err() -> Console:
    """The console of progress and complaints."""
    return _console(stderr=True)


def legible(text: str) -> str:
    """`text` without what a terminal would obey instead of show."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def escape(text: str) -> str:
    """`text` as itself in rich's markup, and legible."""
    return markup.escape(legible(text))


def _console(*, stderr: bool) -> Console:
    # Made anew at each call: a test, or a caller, may have replaced the streams since.
    stream = sys.stderr if stderr else sys.stdout
    fixed = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL
    return Console(file=stream, width=fixed, highlight=False, soft_wrap=False)
