"""Pictures in a terminal: what is sent is what the file shows."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from labwright.apps.chat.figures import drawn, iterm, kitty, sixel, way_of


def picture(path: Path, width: int = 23, height: int = 14) -> Path:
    """Four areas of plain colours: every quantiser keeps them."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] = (255, 0, 0)
    pixels[: height // 2, width // 2 :] = (0, 255, 0)
    pixels[height // 2 :, : width // 2] = (0, 0, 255)
    pixels[height // 2 :, width // 2 :] = (255, 255, 255)
    Image.fromarray(pixels).save(path)
    return path


def decoded(text: str) -> np.ndarray:
    """The pixels of a sixel picture, as a terminal would set them."""
    head = re.match(r'\x1bPq"1;1;(\d+);(\d+)', text)
    assert head is not None
    width, height = int(head[1]), int(head[2])
    body = text[head.end() :].removesuffix("\x1b\\\n")
    palette = {int(n): [int(r), int(g), int(b)] for n, r, g, b in re.findall(r"#(\d+);2;(\d+);(\d+);(\d+)", body)}
    body = re.sub(r"#\d+;2;\d+;\d+;\d+", "", body)
    pixels = np.full((height + 6, width, 3), -1)
    x = y = colour = 0
    for token in re.finditer(r"#(\d+)|!(\d+)([?-~])|([?-~])|([$-])", body):
        if token[1]:
            colour = int(token[1])
        elif token[5]:
            x, y = 0, y + 6 * (token[5] == "-")
        else:
            bits, count = ord(token[3] or token[4]) - 63, int(token[2] or 1)
            for bit in range(6):
                if bits >> bit & 1:
                    pixels[y + bit, x : x + count] = palette[colour]
            x += count
    return pixels[:height]


def test_a_sixel_picture_decodes_to_the_pixels_of_the_file(tmp_path: Path) -> None:
    path = picture(tmp_path / "a.png")
    wanted = np.round(np.asarray(Image.open(path).convert("RGB")).astype(float) / 2.55).astype(int)
    assert np.abs(decoded(sixel(path)) - wanted).max() <= 1


def test_a_wide_figure_is_made_smaller(tmp_path: Path) -> None:
    Image.new("RGB", (1600, 400), "white").save(tmp_path / "wide.png")
    assert decoded(sixel(tmp_path / "wide.png")).shape == (200, 800, 3)


def test_kitty_gets_the_file_in_pieces(tmp_path: Path) -> None:
    content = bytes(range(256)) * 40
    pieces = re.findall(r"\x1b_G(.*?)m=(\d);(.*?)\x1b\\", "".join(kitty(content)))
    assert [more for _, more, _ in pieces] == ["1"] * (len(pieces) - 1) + ["0"]
    assert pieces[0][0] == "a=T,f=100,"
    assert all(len(data) <= 4096 for _, _, data in pieces)
    assert base64.b64decode("".join(data for _, _, data in pieces)) == content


def test_iterm_gets_the_file_at_once() -> None:
    content = b"\x89PNG whatever"
    assert base64.b64decode(iterm(content).partition(":")[2].rstrip("\a\n")) == content


@pytest.mark.parametrize(
    ("environment", "way"),
    [
        ({}, "paths"),
        ({"TERM": "xterm-256color"}, "paths"),
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, "paths"),
        ({"TERM_PROGRAM": "iTerm.app", "TERM": "xterm"}, "iterm"),
        ({"TERM": "foot"}, "sixel"),
    ],
)
def test_the_terminal_says_what_it_can(environment: dict[str, str], way: str) -> None:
    assert way_of(environment) == way


def test_a_file_that_is_no_picture_is_an_error_and_no_output(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no picture")
    with pytest.raises(OSError, match="cannot identify"):
        drawn(tmp_path / "a.png", "sixel")
    assert drawn(tmp_path / "a.png", "paths") == ""
