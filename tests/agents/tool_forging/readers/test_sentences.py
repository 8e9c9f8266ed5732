"""Where sentences end: a form says one thing a line, lists may be numbered with letters, prose goes over lines."""

from __future__ import annotations

from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.sentences import sentences


def _told(text: str) -> list[str]:
    return [one.text for one in sentences(clean(text))]


def test_each_line_of_a_form_is_a_sentence() -> None:
    assert _told("lattice constant: 4\n  how long: 3 ms\nwhat I want: purity\n") == [
        "lattice constant: 4",
        "how long: 3 ms",
        "what I want: purity",
    ]


def test_a_line_below_a_key_belongs_to_it() -> None:
    assert _told("drift:\n   0.2 X\n   + 0.1 Z\nbound: 4\n") == ["drift:\n   0.2 X\n   + 0.1 Z", "bound: 4"]


def test_a_colon_in_prose_ends_nothing() -> None:
    text = "We take three values of the\nfield: 1, 2 and 3, and look at what becomes of\nthe purity."
    assert _told(text) == [text]


def test_items_with_letters_and_roman_numbers() -> None:
    assert _told("(i) the purity\n(ii) the entropy\nb) more\nc. last") == ["the purity", "the entropy", "more", "last"]


def test_items_below_a_line_that_orders_are_demands() -> None:
    text = "Of interest are\n (a) the glow of the lamp\n (b) its hum\n"
    assert [one.words for one in demands(TaskText(text))] == ["the glow of the lamp", "its hum"]
    assert [one.words for one in demands(TaskText("To be recorded:\n- the glow\n"))] == ["the glow"]


def test_items_below_a_whole_sentence_are_none() -> None:
    assert [one.words for one in demands(TaskText("Plot the purity.\n- a ring\n- ten sites\n"))] == ["Plot the purity."]
