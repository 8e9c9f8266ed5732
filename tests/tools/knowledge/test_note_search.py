"""Notes on the instrument and shipped experiments: they read, and the like of a description is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.tools.errors import ProcedureError
from labwright.tools.knowledge.note_search import SOPS, Note, nearest, notes_in, read_note
from labwright.tools.liquid_handler import platform


def test_shipped_notes_have_titles_of_their_own() -> None:
    notes = notes_in(SOPS)
    assert len(notes_in(SOPS)) >= 6
    assert len({note.title for note in notes}) == len(notes)
    assert all(len(note.text) < 3000 for note in notes)


def test_the_notes_say_the_platforms_numbers() -> None:
    text = " ".join(note.text for note in notes_in(SOPS))
    for value in (platform.HEATING_MIN, platform.HEATING_MAX):
        assert f"{value:g}" in text
    assert f"{platform.MAX_STIR:g} rpm" in text
    assert f"{platform.MAX_VORTEX:g} rpm" in text
    assert f"{platform.SAFE_TO_OPEN:g} degC" in text
    assert f"between {100 * platform.MIN_FILL:g} and {100 * platform.MAX_FILL:g} %" in text


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("every vial reacts for a time of its own, follow the reaction at six time points", "time of their own"),
        ("dilute a portion of each sample by a factor of 10 for analysis", "Diluting samples"),
        ("from a 28 % aqueous stock solution of ammonia", "stock solutions"),
        ("cap the vials before they are heated and open them later", "Capping and opening"),
    ],
)
def test_the_note_that_concerns_a_description_is_among_the_first(query: str, title: str) -> None:
    assert any(title in note.title for note in nearest(notes_in(SOPS), query, 3))


def test_nothing_is_found_among_nothing_and_equals_keep_their_order() -> None:
    same = [Note(str(i), "the same words", "") for i in range(5)]
    assert [note.title for note in nearest(same, "the same words", 3)] == ["0", "1", "2"]
    assert nearest([], "words", 3) == nearest(same, " ", 3) == nearest(same, "words", 0) == []


@pytest.mark.parametrize("text", ["No title\n\ntext", "# Title\n\n", ""])
def test_a_note_without_title_or_text_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_text(text)
    with pytest.raises(ProcedureError, match=r"bad\.md"):
        read_note(tmp_path / "bad.md")
