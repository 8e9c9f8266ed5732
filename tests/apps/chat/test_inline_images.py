"""Pictures in a terminal: what is sent is what the file shows."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from labwright.apps.chat.inline_images import drawn, iterm, kitty, way_of


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
        ({"TERM": "foot"}, "paths"),
    ],
)
def test_the_terminal_says_what_it_can(environment: dict[str, str], way: str) -> None:
    assert way_of(environment) == way


def test_without_a_protocol_nothing_is_drawn(tmp_path: Path) -> None:
    assert drawn(tmp_path / "a.png", "paths") == ""
