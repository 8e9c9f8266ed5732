"""Words, or a file that holds them."""

from pathlib import Path

import pytest

from labwright.apps.request_text import request_text
from labwright.tools.errors import InputError


def test_words_are_taken_as_they_are_however_long() -> None:
    for words in ("Calibrate Q1", "Calibrate Q1. " * 40, "a\nb"):
        assert request_text(words, (".md",), "") == words


def test_a_file_is_read_and_a_missing_one_named(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("Measure T1 of Q1")
    assert request_text(str(tmp_path / "plan"), (".md",), "") == "Measure T1 of Q1"
    with pytest.raises(InputError, match="cannot be read"):
        request_text(str(tmp_path / "none.md"), (".md",), "")


def test_nothing_asked_says_what_to_ask() -> None:
    with pytest.raises(InputError, match="Say so"):
        request_text("  ", (), "Say so.")
