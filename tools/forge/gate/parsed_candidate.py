"""A candidate as the gate's text checks see it: both texts parsed, and what can be said of where names come from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from labwright.tools.errors import InputError
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.contract import Candidate
from labwright.tools.forge.toolset.gate_findings import GateFinding
from labwright.tools.forge.toolset.tool_source import ToolRead, camel, parse, read_tool


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate whose texts parse.

    Attributes:
        tool: its source.
        tests: its tests.
    """

    candidate: Candidate
    tool: ToolRead
    tests: ast.Module

    @property
    def name(self) -> str:
        """Of the tool."""
        return self.candidate.name

    @property
    def input_name(self) -> str:
        """Of the input's model."""
        return camel(self.name) + "Input"

    @property
    def output_name(self) -> str:
        """Of the output's model."""
        return camel(self.name) + "Output"


def read_draft(candidate: Candidate) -> Draft | list[GateFinding]:
    """The candidate's texts parsed, or why they do not parse."""
    found: list[GateFinding] = []
    trees: list[ast.Module] = []
    texts = ((candidate.source, candidate.name, "syntax"), (candidate.tests, f"test_{candidate.name}", "tests_syntax"))
    for text, where, rule in texts:
        try:
            trees.append(parse(text, where))
        except SyntaxError as wrong:
            found.append(finding(rule, wrong.lineno or 0, error=wrong.msg or str(wrong)))
    return found or Draft(candidate, read_tool(trees[0]), trees[1])


def dotted(node: ast.expr) -> str:
    """``a.b.c`` of names and attributes; empty for anything else."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(words)])


class Origins:
    """What a name of a module stands for: ``np.linalg.norm`` -> ``numpy.linalg.norm``."""

    def __init__(self, tree: ast.Module) -> None:
        self._of: dict[str, str] = {}
        self._modules: set[str] = set()
        self.conflicts: list[tuple[int, str]] = []  # names that imports give two meanings, with the line
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.split(".")[0]
                    self._modules.add(alias.asname or top)
                    self._bind(alias.asname or top, alias.name if alias.asname else top, node.lineno)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self._bind(alias.asname or alias.name, f"{node.module or ''}.{alias.name}", node.lineno)

    def _bind(self, name: str, full: str, line: int) -> None:
        if self._of.setdefault(name, full) != full:
            self.conflicts.append((line, name))

    def of(self, node: ast.expr) -> str:
        """Full dotted name; the bare name where nothing is imported as it; empty for no name."""
        first, _, rest = dotted(node).partition(".")
        full = self._of.get(first, first)
        return f"{full}.{rest}" if rest else full

    def is_module(self, name: str) -> bool:
        """Whether ``import`` binds the name."""
        return name in self._modules

    @property
    def tops(self) -> frozenset[str]:
        """Packages that are imported."""
        return frozenset(full.split(".")[0] for full in self._of.values())

    @property
    def imported(self) -> frozenset[str]:
        """Names that imports bind."""
        return frozenset(self._of)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of the tree, nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def is_number(node: ast.AST | None) -> bool:
    """Whether the node is a literal number, or one with a sign, or a list of such."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.List | ast.Tuple):
        return all(is_number(one) for one in node.elts)
    plain = isinstance(node, ast.Constant) and not isinstance(node.value, bool)
    return plain and isinstance(node.value, int | float | complex)  # type: ignore[union-attr]


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
