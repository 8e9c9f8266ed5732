"""Markdown from anywhere as HTML that does nothing."""

from __future__ import annotations

import re

import pytest

from labwright.apps.console.markdown_html import LONGEST, safe_html

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "![x](//evil.example/pixel.png)",
    '![x" onerror="alert(1)](figures/a.png)',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox)",
    '[x](https://e.example/" onmouseover="alert(1))',
    "<a href='javascript:alert(1)'>x</a>",
    "<svg/onload=alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "`<script>alert(1)</script>`",
    "```html\n<script>alert(1)</script>\n```",
    "| <script>a</script> | b |\n|---|---|\n| <img src=x onerror=a> | c |",
    "![x](../../etc/passwd)",
    "![x](/files/other/figures/a.png)",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_shown_and_not_obeyed(text: str) -> None:
    made = safe_html(text, "run-1")
    tags = re.findall(r"<[^>]*>", made)
    for tag in tags:
        assert not re.match(r"</?(script|svg|iframe|object|style|form)", tag, re.I), tag
        names = re.findall(r"""\s([\w-]+)=(?:"[^"]*"|'[^']*')""", tag)
        assert not [name for name in names if name.lower().startswith("on")], tag
        for _, address in re.findall(r'\b(src|href)="([^"]*)"', tag):
            assert address.startswith(("/files/run-1/", "https://e.example/")), tag
        assert not re.search(r'src="(?!/files/run-1/)', tag), tag


def test_what_reports_hold_is_drawn() -> None:
    made = safe_html("# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![rabi](figures/01 rabi.png)\n", "run-1")
    assert "<table>" in made
    assert "<h1>A</h1>" in made
    made = safe_html("![rabi](figures/01_rabi.png) [w](https://a.example/x)", "run-1")
    assert '<img src="/files/run-1/figures/01_rabi.png" alt="rabi">' in made
    assert 'href="https://a.example/x" rel="noopener noreferrer nofollow"' in made


def test_marks_that_turn_the_writing_round_are_gone_and_length_is_bounded() -> None:
    assert "\u202e" not in safe_html("approve \u202eetirw")
    assert len(safe_html("x" * (LONGEST * 2))) < LONGEST + 100
