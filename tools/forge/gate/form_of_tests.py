"""The check ``form``, of the tests: they are there, they import the tool, and each could fail for a wrong one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from labwright.tools.forge.gate.parsed_candidate import Draft, Origins, dotted, functions
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.gate_findings import GateFinding
from labwright.tools.forge.toolset.tool_source import tools_imported

_RAISES = frozenset(("pytest.raises",))
_MEANT = frozenset("ValueError RuntimeError ValidationError".split())
_MEANT |= {"pydantic.ValidationError", "pydantic_core.ValidationError"}
_FIXTURES = frozenset(("tmp_path", "monkeypatch"))
_WATCHED = frozenset(("matplotlib.figure.Figure", "matplotlib.pyplot"))
_ASSERTING = tuple(f"assert_{one}" for one in "allclose array_equal equal array_almost_equal almost_equal".split())
_MARKS = ("pytest.mark.parametrize",)
_ODD_MARKS = ("pytest.mark.skip", "pytest.mark.skipif", "pytest.mark.xfail")
_SKIPPING = ("pytest.skip", "pytest.xfail", "pytest.exit", "pytest.importorskip")
_VACUOUS_CALLS = ("isinstance", "hasattr", "callable", "type", "issubclass", "bool")


def check_tests(draft: Draft) -> Iterator[GateFinding]:
    """Findings of the form of the tests."""
    tests = [node for node in draft.tests.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    if not tests:
        yield finding("no_tests")
        return
    if not any(module.rsplit(".", 1)[-1] == draft.name for module in tools_imported(draft.tests)):
        yield finding("tests_import", 1, name=draft.name)
    origins = Origins(draft.tests)
    yield from _module(draft, origins)
    helpers = _helpers(draft.tests, origins)
    for test in tests:
        yield from _test(draft, test, origins, helpers)
    if not any(test.name.startswith("test_invariant_") for test in tests):
        yield finding("no_invariant")
    if not any(test.name.startswith("test_error_") and _raises(test, origins) for test in tests):
        yield finding("no_error_test")


def _module(draft: Draft, origins: Origins) -> Iterator[GateFinding]:
    for node in draft.tests.body:
        if isinstance(node, ast.ClassDef):
            yield finding("tests_form", node.lineno, found=f"the class {node.name}")
        elif isinstance(node, ast.AsyncFunctionDef):
            yield finding("tests_form", node.lineno, found=f"the async function {node.name}")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Name) and one.id == "pytestmark" for one in targets):
                yield finding("tests_form", node.lineno, found="pytestmark")
    for inner in ast.walk(draft.tests):
        if isinstance(inner, ast.Call) and origins.of(inner.func) in _SKIPPING:
            yield finding("skipped", inner.lineno, test=origins.of(inner.func))
    yield from _patches(draft.tests, origins)


def _test(draft: Draft, test: ast.FunctionDef, origins: Origins, helpers: set[str]) -> Iterator[GateFinding]:
    for mark in test.decorator_list:
        word = origins.of(mark.func if isinstance(mark, ast.Call) else mark)
        if word in _ODD_MARKS:
            yield finding("skipped", test.lineno, test=test.name)
        elif word not in _MARKS:
            yield finding("tests_form", test.lineno, found=f"the decorator {word or ast.unparse(mark)}")
    own = {node.name for node in draft.tests.body if isinstance(node, ast.FunctionDef) and _is_fixture(node, origins)}
    marked = {name for mark in test.decorator_list for name in _parameters(mark)}
    for argument in [*test.args.args, *test.args.kwonlyargs]:
        if argument.arg not in own | marked | _FIXTURES:
            yield finding("tests_form", test.lineno, found=f"the fixture {argument.arg}")
    yield from _asserts(draft, test, origins, helpers)


def _patches(tree: ast.Module, origins: Origins) -> Iterator[GateFinding]:
    """The working folder may be changed, and matplotlib's writing watched; nothing else may be replaced."""
    watching = {
        id(node.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and len(node.args) == 3 and origins.of(node.args[0]) in _WATCHED
        if isinstance(node.args[1], ast.Constant) and node.args[1].value in ("savefig", "close")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and dotted(node).startswith("monkeypatch.") and node.attr != "chdir":
            if node.attr != "setattr" or id(node) not in watching:
                yield finding("patched", node.lineno, found=dotted(node))
        elif isinstance(node, ast.Attribute) and dotted(node).startswith(("unittest.mock", "mock.", "mocker.")):
            yield finding("patched", node.lineno, found=dotted(node))


def _is_fixture(node: ast.FunctionDef, origins: Origins) -> bool:
    marks = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    return any(origins.of(one) == "pytest.fixture" for one in marks)


def _parameters(mark: ast.expr) -> list[str]:
    if not isinstance(mark, ast.Call) or not mark.args:
        return []
    first = mark.args[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return [word.strip() for word in first.value.split(",")]
    words = [one.value for one in getattr(first, "elts", []) if isinstance(one, ast.Constant)]
    return [one for one in words if isinstance(one, str)]


def _helpers(tree: ast.Module, origins: Origins) -> set[str]:
    """Functions of the test module that assert something themselves."""
    own = [node for node in functions(tree) if not node.name.startswith("test_")]
    return {node.name for node in own if any(map(_real, _asserted(node))) or _raises(node, origins)}


def _asserts(draft: Draft, test: ast.FunctionDef, origins: Origins, helpers: set[str]) -> Iterator[GateFinding]:
    asserted = list(_asserted(test))
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
    compared = any(origins.of(node.func).rsplit(".", 1)[-1] in (*_ASSERTING, *helpers) for node in calls)
    raised = _raises(test, origins)
    for call in raised:
        expected = [origins.of(one) for one in _types(call)]
        if not set(expected) <= _MEANT:
            yield finding("broad_raises", call.lineno, test=test.name, found=", ".join(expected) or "anything")
    if not asserted and not compared and not raised:
        yield finding("no_assert", test.lineno, test=test.name)
    elif not compared and not raised and not any(_real(one) for one in asserted):
        shown = "; ".join(ast.unparse(one.test) for one in asserted)[:100]
        yield finding("empty_assert", asserted[0].lineno, test=test.name, found=f"`{shown}`")
    others = [one for one in asserted if _real(one) and not _with_itself(one.test, draft.name, test)]
    for one in asserted if not others and not compared and not raised else []:
        if same := _with_itself(one.test, draft.name, test):
            yield finding("self_compare", one.lineno, test=test.name, found=same)


def _asserted(node: ast.AST) -> Iterator[ast.Assert]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Assert))


def _raises(node: ast.AST, origins: Origins) -> list[ast.Call]:
    return [one for one in ast.walk(node) if isinstance(one, ast.Call) and origins.of(one.func) in _RAISES]


def expecting(draft: Draft) -> frozenset[str]:
    """Tests that expect an error, by themselves or through a function of theirs."""
    origins = Origins(draft.tests)
    direct = {node.name for node in functions(draft.tests) if _raises(node, origins)}
    every = functions(draft.tests)
    names = {one.name: {part.id for part in ast.walk(one) if isinstance(part, ast.Name)} for one in every}
    called = {name for name, used in names.items() if direct & {*used}}
    return frozenset(direct | called)


def watching(draft: Draft) -> frozenset[str]:
    """Tests that watch what the tool does in their own process, by themselves or through functions of theirs."""
    found: set[str] = set()
    for _ in range(4):
        for node in functions(draft.tests):
            named = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            named |= {one.arg for one in node.args.args}
            patched = (dotted(one) for one in ast.walk(node) if isinstance(one, ast.Attribute))
            patches = "monkeypatch.setattr" in patched
            if patches or named & found:
                found.add(node.name)
    return frozenset(found)


def _types(call: ast.Call) -> list[ast.expr]:
    if not call.args:
        return []
    first = call.args[0]
    return list(first.elts) if isinstance(first, ast.Tuple) else [first]


def _real(one: ast.Assert) -> bool:
    return _says(one.test)


def _says(node: ast.expr) -> bool:
    """Whether an asserted expression can be false for a wrong number."""
    if isinstance(node, ast.Constant):
        return False
    if isinstance(node, ast.BoolOp):
        parts = [_says(one) for one in node.values]
        return any(parts) if isinstance(node.op, ast.And) else all(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _says(node.operand)
    if isinstance(node, ast.Call):
        return dotted(node.func) not in _VACUOUS_CALLS
    if isinstance(node, ast.Compare):
        is_not = isinstance(node.ops[0], ast.IsNot | ast.NotEq)
        nothing = [is_not and isinstance(one, ast.Constant) and one.value is None for one in node.comparators]
        types = "type(" in ast.unparse(node.left) and isinstance(node.ops[0], ast.Is | ast.Eq)
        constant = all(isinstance(one, ast.Constant) for one in (node.left, *node.comparators))
        return not all(nothing) and not types and not constant
    return not isinstance(node, ast.Name | ast.Attribute)  # `assert result` holds for every model


def _with_itself(node: ast.expr, tool: str, test: ast.FunctionDef) -> str:
    """Text of a comparison of one expression with the same one, if the tool stands behind it."""
    if not isinstance(node, ast.Compare) or len(node.comparators) != 1:
        return ""
    left, right = node.left, _unwrapped(node.comparators[0])
    given = [(target, one.value) for one in ast.walk(test) if isinstance(one, ast.Assign) for target in one.targets]
    bound = {target.id: ast.unparse(value) for target, value in given if isinstance(target, ast.Name)}
    texts = [_written(one, bound) for one in (_unwrapped(left), right)]
    behind = any(f"{tool}(" in text for text in texts)
    same = texts[0] == texts[1] and (behind or ast.unparse(left) == ast.unparse(right))
    return ast.unparse(node)[:120] if same else ""


def _written(node: ast.expr, bound: dict[str, str]) -> str:
    class Written(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.parse(bound[node.id], mode="eval").body if node.id in bound else node

    return ast.unparse(Written().visit(ast.parse(ast.unparse(node), mode="eval").body))


def _unwrapped(node: ast.expr) -> ast.expr:
    """What stands inside ``pytest.approx(...)`` and the like."""
    while isinstance(node, ast.Call) and dotted(node.func).rsplit(".", 1)[-1] == "approx" and node.args:
        node = node.args[0]
    return node
