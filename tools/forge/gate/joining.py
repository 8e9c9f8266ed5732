"""One more test beside those of a candidate, such as a reviewer's."""

from __future__ import annotations

import ast
from dataclasses import replace

from labwright.tools.errors import InputError
from labwright.tools.forge.toolset.contract import Candidate


def with_test(candidate: Candidate, test: str) -> Candidate:
    """The candidate with the functions of a test module of its own behind its tests.

    Raises:
        InputError: the module does not parse, has no test, or gives a name that the tests use another meaning.
    """
    try:
        tree, there = ast.parse(test), ast.parse(candidate.tests)
    except SyntaxError as wrong:
        raise InputError(f"The test does not parse, line {wrong.lineno}: {wrong.msg}.") from wrong
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    if not any(name.startswith("test_") for name in _names(tree)):
        raise InputError("The test has no function test_*.")
    if taken := sorted(_names(tree) & _names(there)):
        raise InputError(f"The tests have {', '.join(taken)} already: choose other names.")
    return replace(candidate, tests=f"{candidate.tests.rstrip()}\n\n\n{ast.unparse(tree)}\n")


def _names(tree: ast.Module) -> set[str]:
    """What a module defines, imports apart."""
    defined = {one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    targets = (target for one in tree.body if isinstance(one, ast.Assign) for target in one.targets)
    return defined | {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
