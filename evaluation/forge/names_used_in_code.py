"""What a piece of Python names, read from its syntax tree: imported callables, methods, words and numbers."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field


@dataclass(slots=True)
class Named:
    """What code refers to.

    Attributes:
        callables: dotted names through imports, such as ``qutip.mesolve``; importing alone does not count.
        methods: attributes of other things, such as ``run`` of ``solver.run``, and plain names that are called.
        words: text literals in small letters.
        numbers: number literals.
        modules: imported modules, dotted.
    """

    callables: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)

    def add(self, other: Named) -> None:
        """Take in what other code names."""
        for name in ("callables", "methods", "words", "numbers", "modules"):
            getattr(self, name).update(getattr(other, name))


def read_code(source: str) -> Named:
    """What `source` names; nothing where it is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return Named()
    found = Named()
    aliases = _aliases(tree, found)
    documentation = {id(text) for text in _docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            _constant(node, found, documentation)
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            _reference(node, aliases, found)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.methods.add(node.func.id)
    return found


def _aliases(tree: ast.AST, found: Named) -> dict[str, str]:
    """Local name -> dotted name, of every import anywhere."""
    aliases = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                found.modules.add(one.name)
                top = one.name.partition(".")[0]
                aliases[one.asname or top] = one.name if one.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.modules.add(node.module)
            for one in node.names:
                aliases[one.asname or one.name] = f"{node.module}.{one.name}"
    return aliases


def _docstrings(tree: ast.AST) -> list[ast.Constant]:
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    firsts = [body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)]
    return [first for first in firsts if isinstance(first, ast.Constant)]


def _constant(node: ast.Constant, found: Named, documentation: set[int]) -> None:
    if isinstance(node.value, bool):
        return
    if isinstance(node.value, int | float):
        found.numbers.add(float(node.value))
    elif isinstance(node.value, str) and id(node) not in documentation:
        found.words.add(node.value.lower())


def _reference(node: ast.Attribute | ast.Name, aliases: dict[str, str], found: Named) -> None:
    parts: list[str] = []
    walked: ast.expr = node
    while isinstance(walked, ast.Attribute):
        parts.append(walked.attr)
        walked = walked.value
    if isinstance(walked, ast.Name) and walked.id in aliases:
        found.callables.add(".".join([aliases[walked.id], *reversed(parts)]))
    elif isinstance(node, ast.Attribute):
        found.methods.add(node.attr)
