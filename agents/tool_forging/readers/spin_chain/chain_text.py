"""The text of a task about chains with its formulas in one form: sums in words, indices, brackets of exponentials."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.traced import Clean, replaced

_SUM = re.compile(
    r"\b(?:the\s+)?sum\s+(?:over|on|for)\s+(?P<what>[^.;:\n]{1,60}?)\s*(?:\bof\b(?:\s+the)?(?:\s+products?)?|:|"
    r"(?<=\w)\s)\s*"
    r"(?=[-+(\[]*\s*(?:\d|[XYZ](?![a-z])|S_?[\^{xyz]|sigma|[A-Za-z](?:_\w+)?\s*\*?\s*[XYZ(|/]))"
)
_NEXT_INDEX = re.compile(r"(?<=[XYZ]_)([ijkln])([+-]\d)(?![\w.}])|(?<=S[xyz]_)([ijkln])([+-]\d)(?![\w.}])")
_BOXED = re.compile(
    r"(?<![A-Za-z])(?P<op>[XYZ]|S[xyz]|sigma_?[xyz])(?:\[(?P<a>\w(?:\s*[+-]\s*\d)?)\]|"
    r"\((?P<b>[ijkln](?:\s*[+-]\s*\d)?)\))"
)
_EXP = re.compile(r"\bexp\s*(?P<open>[\[{])")
_SPACED_EXP = re.compile(r"\bexp\s+(?=\()")
_ARROW = re.compile("[\u2191\u2193]")


class ChainBody(Body):
    """The task with sums, indices and exponentials in the form that the parser of expressions reads."""

    @cached_property
    def plain(self) -> Clean:
        """See `Body.plain`."""
        state = replaced(super().plain, _ARROW, lambda m: "up " if m[0] == "\u2191" else "down ")
        state = replaced(state, _SUM, lambda m: _index(m["what"]))
        state = replaced(state, _NEXT_INDEX, lambda m: f"{{{m[1] or m[3]}{m[2] or m[4]}}}")
        state = replaced(state, _BOXED, lambda m: f"{m['op']}_{{{re.sub(r'[ ]', '', m['a'] or m['b'])}}}")
        state = replaced(state, _SPACED_EXP, "exp")
        return _round_brackets(state)


def _index(what: str) -> str:
    """The sum's index: all pairs, neighbours, or sites."""
    if re.search(r"neighbou?r|\bbonds?\b|\blinks?\b|adjacent|consecutive|\w\s*,\s*\w\s*\+\s*1", what, re.I):
        return "sum_{<i,j>} "
    if re.search(r"<|\bpairs?\b", what):
        return "sum_{i<j} "
    letter = re.search(r"\b([ijkln])\b", what)
    return f"sum_{letter[1] if letter else 'i'} "


def _round_brackets(state: Clean) -> Clean:
    """``exp[...]`` and ``exp{...}`` with round brackets."""
    text = state.text
    for match in _EXP.finditer(text):
        opening, depth = match.end() - 1, 0
        pair = {"[": "]", "{": "}"}[match["open"]]
        for place in range(opening, len(text)):
            depth += {match["open"]: 1, pair: -1}.get(text[place], 0)
            if depth == 0:
                text = f"{text[:opening]}({text[opening + 1 : place]}){text[place + 1 :]}"
                break
    return replace(state, text=text)
