"""The Lark grammars of this folder, compiled once a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lark import Lark

FOLDER = Path(__file__).parent
INCLUDES = {"values": (), "predicates": ("values",), "short_form": ("values", "predicates")}


@cache
def parser(name: str, start: str = "start", tasks: str = "", *, positions: bool = False) -> Lark:
    """The parser of the grammar file `name`.

    Args:
        name: ``values``, ``predicates`` or ``short_form``.
        start: rule that the whole text has to be.
        tasks: regular expression of the names of experiments and procedures; only the short form has them.
        positions: whether trees know where they stand in the text.
    """
    parts = [_rules(each) for each in INCLUDES[name]] + [(FOLDER / f"{name}.lark").read_text(encoding="utf-8")]
    text = "\n".join(_without_imports(part) for part in parts).replace("TASKS", tasks or "(?!)")
    return Lark(f"{text}\n%ignore WS\n", start=start, parser="earley", lexer="dynamic", propagate_positions=positions)


def _rules(name: str) -> str:
    """A grammar that another one includes: its own start rule stays behind."""
    text = (FOLDER / f"{name}.lark").read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if not line.startswith("start:"))


def _without_imports(text: str) -> str:
    """Files are joined, so that an included rule keeps its name; `%import` tells readers (and editors) of it."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(("%import", "%ignore")))
