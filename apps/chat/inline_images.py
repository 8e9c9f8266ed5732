"""Figures inside a terminal: kitty's and iTerm's protocols take a PNG as it is."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

Way = Literal["paths", "kitty", "iterm"]
CHUNK = 4096  # bytes of base64 in one escape sequence of kitty's protocol


def way_of(environment: Mapping[str, str] = os.environ) -> Way:
    """How the terminal behind `environment` shows figures; only their paths if nothing says that it can."""
    terminal, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("TMUX") or terminal.startswith("screen"):
        return "paths"  # a multiplexer swallows pictures
    if environment.get("KITTY_WINDOW_ID") or "kitty" in terminal or program in ("ghostty", "WezTerm"):
        return "kitty"
    if program == "iTerm.app" or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return "paths"


def drawn(path: Path, way: Way) -> str:
    """The escape sequences that show the PNG at `path`; empty for ``paths``.

    Raises:
        OSError: the file is not there.
    """
    if way == "kitty":
        return "".join(kitty(path.read_bytes()))
    if way == "iterm":
        return iterm(path.read_bytes())
    return ""


def kitty(png: bytes) -> Iterator[str]:
    """Kitty's graphics protocol: base64 in pieces, all but the last with ``m=1``."""
    content = base64.standard_b64encode(png).decode()
    pieces = [content[at : at + CHUNK] for at in range(0, len(content), CHUNK)]
    for number, piece in enumerate(pieces):
        first = "a=T,f=100," if number == 0 else ""
        yield f"\x1b_G{first}m={int(number < len(pieces) - 1)};{piece}\x1b\\"
    yield "\n"


def iterm(png: bytes) -> str:
    """iTerm2's inline image."""
    return f"\x1b]1337;File=inline=1;size={len(png)}:{base64.standard_b64encode(png).decode()}\a\n"
