"""The check ``rules``, first part: nothing that hides an error, in the source or in the tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from labwright.tools.forge.gate.parsed_candidate import Origins, dotted, is_number
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.gate_findings import GateFinding

_BROAD = frozenset(("Exception", "BaseException", "ArithmeticError", "builtins.Exception", "builtins.BaseException"))
_SILENCING = frozenset(
    "warnings.filterwarnings warnings.simplefilter warnings.catch_warnings numpy.seterr numpy.seterrcall"
    " logging.disable scipy.special.seterr pytest.mark.filterwarnings".split()
)
_NAN_TESTS = ("isnan", "isfinite", "isinf", "isneginf", "isposinf")
_NAN_REPLACING = ("nan_to_num", "nansum", "nanmean", "nanmax", "nanmin", "nanmedian", "nanstd", "nanvar", "nanprod")
_WITH_DEFAULT = {"get": 2, "pop": 2, "setdefault": 2}


def check_honesty(tree: ast.Module) -> Iterator[GateFinding]:
    """Findings of what swallows or replaces errors."""
    origins = Origins(tree)
    counting = {id(one) for node in ast.walk(tree) if isinstance(node, ast.Assign) for one in _counts(node)}
    for node in ast.walk(tree):
        if id(node) in counting:
            continue
        if isinstance(node, ast.Try | ast.TryStar):
            yield from _try(node, origins)
        elif isinstance(node, ast.Call):
            yield from _call(node, origins)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            if any(is_number(one) or _empty(one) for one in node.values[1:]) and not _is_condition(node):
                yield finding("or_default", node.lineno, found=ast.unparse(node)[:80])
        elif isinstance(node, ast.IfExp | ast.If):
            yield from _instead_of_nan(node, origins)
        elif isinstance(node, ast.Assign):
            yield from _assigned(node, origins)


def _try(node: ast.Try | ast.TryStar, origins: Origins) -> Iterator[GateFinding]:
    for handler in node.handlers:
        if handler.type is None:
            yield finding("bare_except", handler.lineno)
        else:
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            for kind in kinds:
                if origins.of(kind) in _BROAD:
                    yield finding("broad_except", handler.lineno, found=ast.unparse(kind))
                elif origins.of(kind) in ("MemoryError", "RecursionError"):  # how much there is tells where it runs
                    yield finding("environment", handler.lineno, found=f"except {ast.unparse(kind)}")
        yield from _handler(handler)
    for statement in node.finalbody:
        for inner in _own(statement):
            if isinstance(inner, ast.Return | ast.Break | ast.Continue):
                yield finding("finally_return", inner.lineno)


def _handler(handler: ast.ExceptHandler) -> Iterator[GateFinding]:
    """A handler may only end by raising: on every way through it."""
    inside = [inner for statement in handler.body for inner in _own(statement)]
    for inner in inside:
        if isinstance(inner, ast.Return):
            yield finding("handler_return", inner.lineno)
            return
        if isinstance(inner, ast.Continue | ast.Break):
            yield finding("handler_continue", inner.lineno)
            return
    if not _raises(handler.body):
        assigns = any(isinstance(inner, ast.Assign | ast.AugAssign | ast.AnnAssign) for inner in inside)
        yield finding("handler_default" if assigns else "handler_pass", handler.body[0].lineno)


def _raises(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and _raises(last.body) and _raises(last.orelse)
    return isinstance(last, ast.With) and _raises(last.body)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what lies in it, functions inside it left out."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _own(child)


def _call(node: ast.Call, origins: Origins) -> Iterator[GateFinding]:
    name = origins.of(node.func)
    last = name.rsplit(".", 1)[-1] if name else getattr(node.func, "attr", "")
    if name in ("contextlib.suppress", "contextlib.ExitStack.suppress"):
        yield finding("suppress", node.lineno)
    elif name in _SILENCING and not _makes_errors(node, name):
        yield finding("warnings_off", node.lineno, found=name)
    elif last in _NAN_REPLACING:
        yield finding("nan_to_num", node.lineno, found=name or last)
    elif last == "errstate" and any(_word(one.value) == "ignore" for one in node.keywords):
        yield finding("errstate", node.lineno, found=ast.unparse(node)[:80])
    elif last in _WITH_DEFAULT and isinstance(node.func, ast.Attribute) and len(node.args) == _WITH_DEFAULT[last]:
        if is_number(node.args[1]) and last != "setdefault" and ast.unparse(node.args[1]) != "0":  # a count begins at 0
            yield finding("get_default", node.lineno, found=ast.unparse(node)[:80])
    elif name in ("getattr", "next") and len(node.args) > 1 and is_number(node.args[-1]):
        yield finding("get_default", node.lineno, found=ast.unparse(node)[:80])
    elif last in ("where", "select", "putmask", "place", "copyto", "fillna") and node.args:
        if _asks_finite(node.args[0], origins) and any(is_number(one) for one in node.args[1:]):
            yield finding("nan_default", node.lineno, found=ast.unparse(node)[:80])
    elif last in ("max", "min") and any(one.arg == "default" and is_number(one.value) for one in node.keywords):
        yield finding("get_default", node.lineno, found=ast.unparse(node)[:80])


def _makes_errors(node: ast.Call, name: str) -> bool:
    """``simplefilter("error")`` turns warnings into errors; ``catch_warnings()`` by itself only brings filters back."""
    if name == "warnings.catch_warnings":
        return not node.args and not node.keywords
    first = _word(node.args[0] if node.args else node)
    return name in ("warnings.simplefilter", "warnings.filterwarnings") and first == "error"


def _counts(node: ast.Assign) -> Iterator[ast.Call]:
    """``sums[key] = sums.get(key, 0.0) + x``: a sum begins at nothing, that hides no error."""
    for call in ast.walk(node.value):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        if call.func.attr == "get" and call.args:
            place = f"{ast.unparse(call.func.value)}[{ast.unparse(call.args[0])}]"
            zero = len(call.args) == 2 and ast.unparse(call.args[1]) in ("0", "0.0", "0j")
            if zero and any(ast.unparse(target) == place for target in node.targets):
                yield call


def _instead_of_nan(node: ast.IfExp | ast.If, origins: Origins) -> Iterator[GateFinding]:
    """``0.0 if isnan(x) else x``, and ``if isnan(x): return 0.0``."""
    if not _asks_finite(node.test, origins):
        return
    if isinstance(node, ast.IfExp):
        if is_number(node.body) or is_number(node.orelse):
            yield finding("nan_default", node.lineno, found=ast.unparse(node)[:80])
        return
    for statement in (*node.body, *node.orelse):
        value = statement.value if isinstance(statement, ast.Return | ast.Assign) else None
        if is_number(value) or isinstance(statement, ast.Continue | ast.Pass):
            yield finding("nan_default", statement.lineno, found=ast.unparse(statement)[:80])


def _assigned(node: ast.Assign, origins: Origins) -> Iterator[GateFinding]:
    """``x[isnan(x)] = 0``."""
    for target in node.targets:
        if isinstance(target, ast.Subscript) and _asks_finite(target.slice, origins) and is_number(node.value):
            yield finding("nan_default", node.lineno, found=ast.unparse(node)[:80])


def _asks_finite(node: ast.expr, origins: Origins) -> bool:
    calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    return any((origins.of(one) or dotted(one)).rsplit(".", 1)[-1] in _NAN_TESTS for one in calls)


def _is_condition(node: ast.BoolOp) -> bool:
    """Whether the alternatives are truth values, as in ``a or b > 1``."""
    return all(isinstance(one, ast.Compare | ast.UnaryOp | ast.BoolOp) and not is_number(one) for one in node.values)


def _empty(node: ast.expr) -> bool:
    filled = getattr(node, "elts", None) or getattr(node, "keys", None)
    return isinstance(node, ast.List | ast.Dict | ast.Tuple) and not filled


def _word(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None
