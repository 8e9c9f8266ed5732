"""A table whose results are left open says which values there are and what is wanted."""

from __future__ import annotations

import pytest

from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.readers.language.clean import clean


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("| h | 2 | 3 |\n|---|---|---|\n| glow | ? | ? |\n| hum | | |", "h = 2, 3.\nWanted: glow, hum for each h."),
        ("| T / K | glow |\n|---|---|\n| 5 | ... |\n| 10 | ... |", "T = 5, 10 K.\nWanted: glow for each T."),
        ("| h | k | glow |\n|---|---|---|\n| 1 | 2 | ? |\n| 2 | 3 | ? |", "h 1: k = 2.\nh 2: k = 3.\nWanted: glow."),
        ("| lamp | on |\n| glow | ? |", "lamp: on.\nglow.\nWanted: glow."),
    ],
)
def test_what_is_left_open_is_wanted(table: str, said: str) -> None:
    plain = clean(table)
    assert plain.text.strip() == said
    assert len(plain.origin) == len(plain.text) + 1
    assert demands(TaskText(table))[-1].span[1] > demands(TaskText(table))[-1].span[0]
    assert any("glow" in one.words for one in demands(TaskText(table)))


def test_a_filled_table_is_told_as_before() -> None:
    assert clean("| site | energy |\n|---|---|\n| a | 3 |\n| b | 4 |").text.strip() == "a: 3.\nb: 4."


def test_latex_of_text_roots_and_nested_fractions() -> None:
    assert clean(r"\textbf{Note} \texttt{x}").text == "Note x"
    assert clean(r"\sqrt3 + \sqrt{5} + sqrt 7 + sqrt2").text == "sqrt(3) + sqrt(5) + sqrt(7) + sqrt(2)"
    assert clean(r"\frac{1}{e^{a/b}-1}").text == "((1)/(e^{a/b}-1))"
    assert (
        clean(r"$|\!\uparrow\downarrow\uparrow\downarrow\uparrow\downarrow\rangle$").text == "|up down up down up down>"
    )


def test_fractions_in_words_within_a_list() -> None:
    assert clean("k = one quarter, one half and three quarters.").text == "k = 0.25, 0.5 and 0.75."
    assert clean("a quarter of the sites, a third run").text == "a quarter of the sites, a third run"
