"""The grammar files: they compile, share their rules, and are read by people."""

from __future__ import annotations

import pytest
from lark.exceptions import LarkError

from labwright.tools.specifications.lark_grammars import FOLDER, INCLUDES, parser


@pytest.mark.parametrize("name", INCLUDES)
def test_every_grammar_compiles_once(name: str) -> None:
    start = "sum" if name == "values" else "start"
    assert parser(name, start, "t1") is parser(name, start, "t1")


def test_every_grammar_begins_with_an_example() -> None:
    for path in FOLDER.glob("*.lark"):
        head = path.read_text(encoding="utf-8").splitlines()[:5]
        assert head[0].startswith("// "), path
        assert sum(line.startswith("//   ") for line in head) >= 1, path


def test_without_tasks_nothing_is_an_order() -> None:
    with pytest.raises(LarkError):
        parser("short_form").parse("t1 Q1")


@pytest.mark.parametrize(("text", "rule"), [("1 + 2 * 3", "add"), ("(1 + 2) * 3", "multiply"), ("-2 * 3", "multiply")])
def test_arithmetic_binds_as_usual(text: str, rule: str) -> None:
    assert parser("values", "sum").parse(text).data == rule
