"""The coder: an idea as a class that fills in the template."""

from __future__ import annotations

import ast

from labwright.agents.feature_map_search.ideas import CodeIn, CodeOut
from labwright.agents.typed_call import AgentCall, without_words

__all__ = ["WRITE_CODE", "CodeIn", "CodeOut", "check_code", "code_faults"]
MOST_LETTERS = 80  # of a class name; the code's file is called by it


def check_code(given: CodeIn, answer: CodeOut) -> list[str]:
    """The class is there and is filled in. What it does is found out in the sandbox."""
    found = code_faults(answer)
    if not found and answer.code.strip() == given.template.strip():
        found.append("The code is the template itself; write the feature map into it.")
    return found


def code_faults(answer: CodeOut) -> list[str]:
    """Why an answer cannot be the module of one feature map; empty if it may be.

    Code that does not parse passes: the linter finds that with line and mend, and the mender gets both.
    """
    if answer.code.lstrip().startswith("```") or answer.code.rstrip().endswith("```"):
        return ["The code stands in a Markdown fence. Give the bare module."]
    name = answer.class_name
    if not (name.isascii() and name.isidentifier() and len(name) <= MOST_LETTERS):
        return [f"`class_name` must be a plain name of at most 80 letters and digits, but is {answer.class_name!r}."]
    try:
        tree = ast.parse(answer.code)
    except (SyntaxError, ValueError):
        return [] if f"class {answer.class_name}" in answer.code else [_no_class(answer)]
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == answer.class_name]
    if not classes:
        return [_no_class(answer)]
    methods = {node.name for node in classes[0].body if isinstance(node, ast.FunctionDef)}
    return [] if "feature_map" in methods else [f"Class {answer.class_name} has no method `feature_map(self, x)`."]


def _no_class(answer: CodeOut) -> str:
    return f"`class_name` is {answer.class_name!r}, but the code has no such class."


WRITE_CODE = AgentCall(
    "feature_map_search.write_code",
    "feature_map_search/write_code.md",
    CodeIn,
    CodeOut,
    without_words,
    check_code,
    "reasoning",
)
