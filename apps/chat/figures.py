"""Figures inside a terminal: kitty's and iTerm's protocols take a PNG as it is, sixel wants its own bands of pixels."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

Way = Literal["paths", "kitty", "iterm", "sixel"]
CHUNK = 4096  # bytes of base64 in one escape sequence of kitty's protocol
WIDEST = 800  # pixels of a sixel picture; larger ones are made smaller
COLOURS = 64  # registers of a sixel picture; every terminal that draws them has so many
BAND = 6  # rows of pixels in one sixel
_SIXEL_TERMINALS = ("foot", "mlterm", "yaft", "contour", "sixel")


def way_of(environment: Mapping[str, str] = os.environ) -> Way:
    """How the terminal behind `environment` shows figures; only their paths if nothing says that it can."""
    terminal, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("TMUX") or terminal.startswith("screen"):
        return "paths"  # a multiplexer swallows pictures
    if environment.get("KITTY_WINDOW_ID") or "kitty" in terminal or program in ("ghostty", "WezTerm"):
        return "kitty"
    if program == "iTerm.app" or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return "sixel" if any(name in terminal for name in _SIXEL_TERMINALS) else "paths"


def drawn(path: Path, way: Way) -> str:
    """The escape sequences that show the PNG at `path`; empty for ``paths``.

    Raises:
        OSError: the file is not there or is no picture.
    """
    if way == "kitty":
        return "".join(kitty(path.read_bytes()))
    if way == "iterm":
        return iterm(path.read_bytes())
    return sixel(path) if way == "sixel" else ""


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


def sixel(path: Path) -> str:
    """DEC sixel graphics: a palette, then bands of six rows, each colour of a band as run-lengths.

    Raises:
        OSError: the file is no picture.
    """
    from PIL import Image  # with matplotlib; needs 0.1 s

    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    if picture.width > WIDEST:
        picture = picture.resize((WIDEST, max(1, round(picture.height * WIDEST / picture.width))))
    indexed = picture.quantize(COLOURS)
    palette = indexed.getpalette() or []
    width, height = indexed.size
    pixels = indexed.tobytes()
    out = [f'\x1bPq"1;1;{width};{height}']
    for colour in sorted(set(pixels)):
        red, green, blue = (round(value * 100 / 255) for value in palette[3 * colour : 3 * colour + 3])
        out.append(f"#{colour};2;{red};{green};{blue}")
    for top in range(0, height, BAND):
        out.append(_band([pixels[y * width : (y + 1) * width] for y in range(top, min(top + BAND, height))]))
    return "".join([*out, "\x1b\\\n"])


def _band(rows: list[bytes]) -> str:
    """Six rows: for every colour in them one line over the whole width, drawn one on the other."""
    width, lines = len(rows[0]), []
    for colour in sorted(set(b"".join(rows))):
        bits = bytearray(width)
        for number, row in enumerate(rows):
            at = row.find(colour)
            while at >= 0:
                bits[at] |= 1 << number
                at = row.find(colour, at + 1)
        lines.append(f"#{colour}{_runs(bits)}")
    return "$".join(lines) + "-"


def _runs(bits: bytearray) -> str:
    """Sixel characters with ``!count`` for four and more of one kind."""
    out, at = [], 0
    while at < len(bits):
        end = at
        while end < len(bits) and bits[end] == bits[at]:
            end += 1
        character = chr(63 + bits[at])
        out.append(f"!{end - at}{character}" if end - at > 3 else character * (end - at))
        at = end
    return "".join(out)
