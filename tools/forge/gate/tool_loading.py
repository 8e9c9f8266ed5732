"""Inside a job's process: tools are loaded from texts in memory; there is no file of theirs to be read."""

from __future__ import annotations

import ast
import builtins
import importlib
import linecache
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from labwright.tools.forge.gate.forbidden_references import may_be_looked_up

MARK = "_labwright_hit_"


def _by_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """``getattr`` and its like, for every name but those of the program's own inside."""

    def looked_up(target: Any, name: str, *more: Any) -> Any:
        if not may_be_looked_up(str(name)):
            raise AttributeError(f"The name {name!r} may not be looked up in a tool or its tests.")
        return function(target, name, *more)

    return looked_up


BUILTINS = {
    **vars(builtins),
    **{one.__name__: _by_name(one) for one in (getattr, hasattr, setattr, delattr)},
}  # of the tool and its tests; the packages that they import keep their own
for _gone in ("eval", "exec", "compile", "globals", "locals", "vars", "breakpoint", "input"):
    del BUILTINS[_gone]


class Loading(MetaPathFinder, Loader):
    """Finds ``tools`` and what is below it among texts.

    Attributes:
        hit: first lines of statements of the tool that ran since this was last cleared; with `hits` only.
    """

    def __init__(self, module: str, source: str, others: dict[str, str], *, hits: bool) -> None:
        """Stand in for the import system.

        Args:
            module: dotted name of the tool, such as ``tools.plot_lines``.
            source: its text.
            others: dotted name -> text of the tools that it imports.
            hits: whether to note which statements run.
        """
        self._module, self._texts, self._hits = module, {**others, module: source}, hits
        self.hit: set[int] = set()
        sys.meta_path.insert(0, self)

    def tool(self) -> ModuleType:
        """The tool's module, imported."""
        return importlib.import_module(self._module)

    def run_tests(self, name: str, tree: ast.Module, text: str) -> dict[str, Any]:
        """The names of the test module after it ran."""
        file = f"test_{name}.py"
        _remember(file, text)
        module = ModuleType(f"test_{name}")
        module.__file__ = file
        module.__dict__["__builtins__"] = BUILTINS
        sys.modules[module.__name__] = module
        exec(compile(tree, file, "exec", dont_inherit=True), module.__dict__)
        return module.__dict__

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Part of the import system."""
        if fullname in self._texts:
            return ModuleSpec(fullname, self, origin=_file(fullname))
        if fullname == "tools" or any(one.startswith(fullname + ".") for one in self._texts):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Part of the import system."""
        text = self._texts.get(module.__name__)
        if text is None:
            return
        file = _file(module.__name__)
        module.__file__ = file
        module.__dict__["__builtins__"] = BUILTINS
        _remember(file, text)
        exec(self._compiled(module, text, file), module.__dict__)

    def _compiled(self, module: ModuleType, text: str, file: str) -> CodeType:
        tree = ast.parse(text, file)
        if self._hits and module.__name__ == self._module:
            module.__dict__[MARK] = self.hit.add
            tree = ast.fix_missing_locations(_Marked().visit(tree))
        return compile(tree, file, "exec", dont_inherit=True)


def _file(module: str) -> str:
    return module.rsplit(".", 1)[-1] + ".py"


def _remember(file: str, text: str) -> None:
    """Let tracebacks, and packages that compile functions from their text, find exactly what runs."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


class _Marked(ast.NodeTransformer):
    """Notes each statement of a function before it runs."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if not node.decorator_list:  # a decorator may compile the function's text
            node.body = self._body(node.body, docstring=True)
        return node

    def _body(self, body: list[ast.stmt], *, docstring: bool = False) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for index, statement in enumerate(body):
            words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not (docstring and index == 0 and words):
                name = ast.copy_location(ast.Name(MARK, ast.Load()), statement)
                line = ast.copy_location(ast.Constant(statement.lineno), statement)
                call = ast.copy_location(ast.Call(name, [line], []), statement)
                made.append(ast.copy_location(ast.Expr(call), statement))
            made.append(self._inner(statement))
        return made

    def _inner(self, statement: ast.stmt) -> ast.stmt:
        if isinstance(statement, ast.FunctionDef):
            return self.visit_FunctionDef(statement)
        for field in ("body", "orelse", "finalbody"):
            inside = getattr(statement, field, None)
            if inside and not isinstance(statement, ast.ClassDef):
                setattr(statement, field, self._body(inside))
        for handler in getattr(statement, "handlers", []):
            handler.body = self._body(handler.body)
        return statement
