"""The record of a search as a prompt can bear it: the best maps in full, of the others the numbers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whose types use this
    from labwright.agents.feature_map_search.ideas import Tried

LEADERS = 3  # maps whose formula and code a prompt gets


def in_short(tried: list[Tried]) -> list[Tried]:
    """The same maps in the same order; only the best few keep formula, code and summary, and none is shown twice."""
    last = max((one.trial for one in tried), default=0)
    ranked = sorted((one for one in tried if one.selection is not None), key=lambda one: -(one.selection or 0.0))
    whole = list(dict.fromkeys(_words(one) for one in ranked))[:LEADERS]
    found: list[Tried] = []
    seen: set[tuple[str, str]] = set()
    for one in tried:
        words = _words(one)
        again = words in seen and bool(one.summary)  # the same map with other constants
        bare = without_text(one) if again or (words not in whole and one.trial != last) else one
        coded = words in whole and one.recipe is None  # a recipe says the same in fewer words
        found.append(bare.model_copy(update={"code": without_comments(bare.code) if coded else ""}))
        seen.add(words)
    return found


def without_text(tried: Tried) -> Tried:
    """The map without formula, code and summary."""
    return tried.model_copy(update={"code": "", "formula": "", "summary": ""})


def without_comments(code: str) -> str:
    """The same program without comments and docstrings, which the map's summary makes superfluous."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _words(tried: Tried) -> tuple[str, str]:
    """What a map and its tuned twin have in common."""
    return tried.summary, tried.formula
