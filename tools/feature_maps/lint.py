"""What the text of feature-map code shows before it is run: syntax, class, calls of PennyLane.

Advice that saves a run and speaks of lines and argument names. It is no boundary: that is the sandbox.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from labwright.tools.feature_maps.pennylane_signatures import Signature, signatures
from labwright.tools.feature_maps.rules import ALLOWED_IMPORTS, finding

Finding = dict[str, str]

_FORBIDDEN_CALLS = frozenset("eval exec compile open __import__ input breakpoint globals vars".split())
_MEASUREMENTS = frozenset(
    "expval var probs sample counts state density_matrix measure purity vn_entropy mutual_info vn_entanglement_entropy"
    " classical_shadow shadow_expval".split()
)

_CHANGING = frozenset(
    "append extend insert add update setdefault pop popitem remove discard clear sort reverse".split()
)


def lint_source(source: str) -> list[Finding]:
    """Findings of the text, first syntax, then class, imports and calls; empty if there is nothing to say.

    Args:
        source: a module with one feature-map class.
    """
    try:
        compile(source, "feature_map.py", "exec", dont_inherit=True)
        tree = ast.parse(source)
    except SyntaxError as wrong:
        return [finding("syntax", {"error": wrong.msg, "line": wrong.lineno or 0})]
    except (ValueError, RecursionError, MemoryError) as wrong:  # null bytes; nesting that the parser refuses
        return [finding("syntax", {"error": str(wrong) or type(wrong).__name__, "line": 0})]
    return [*_class(tree), *_imports(tree), *_calls(tree)]


def _class(tree: ast.Module) -> Iterator[Finding]:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    mapping = [node for node in classes if _method(node, "feature_map") or "BaseFeatureMap" in _bases(node)]
    parents = {base for node in mapping for base in _bases(node)}
    leaves = [node for node in mapping if node.name not in parents]
    if len(leaves) != 1:
        yield finding("one_class", {"found": ", ".join(node.name for node in leaves) or "none"})
        return
    yield from _signatures_of(leaves[0])


def _signatures_of(node: ast.ClassDef) -> Iterator[Finding]:
    made, applied = _method(node, "__init__"), _method(node, "feature_map")
    if made is not None:
        names, required = _names(made)
        if names[:1] != ["n_qubits"] and names[:2] != ["platform", "n_qubits"]:
            yield _signature_finding(node, made, "n_qubits is not its first argument")
        elif extra := [name for name in required if name not in ("platform", "n_qubits")]:
            yield _signature_finding(node, made, f"no default for {', '.join(extra)}")
    if applied is not None and (len(_names(applied)[1]) != 1 or not _names(applied)[0]):
        yield _signature_finding(node, applied, "it does not take exactly one sample x")


def _signature_finding(node: ast.ClassDef, method: ast.FunctionDef, seen: str) -> Finding:
    return finding("signature", {"where": f"{node.name}.{method.name}", "seen": seen, "line": method.lineno})


def _names(method: ast.FunctionDef) -> tuple[list[str], list[str]]:
    """Argument names after self, and those among them that have no default."""
    given = method.args
    every = [one.arg for one in (*given.posonlyargs, *given.args)]
    required = every[: len(every) - len(given.defaults)]
    named = [one.arg for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return every[1:] + [one.arg for one in given.kwonlyargs], required[1:] + named


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == name), None)


def _bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).rsplit(".", 1)[-1] for base in node.bases}


def _imports(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FORBIDDEN_CALLS:
            names = [node.func.id]
        for name in names:
            if name.split(".")[0] not in ALLOWED_IMPORTS:
                yield finding("forbidden_import", {"name": name, "line": getattr(node, "lineno", 0)})


def _calls(tree: ast.Module) -> Iterator[Finding]:
    modules, direct = _aliases(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            if node.attr not in signatures() and not node.attr.startswith("_"):
                yield _unknown(node.attr, node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.module == "pennylane":
            for alias in node.names:
                if alias.name != "*" and alias.name not in signatures():
                    yield _unknown(alias.name, node.lineno)
        if isinstance(node, ast.Call) and (name := _called(node.func, modules, direct)):
            yield from _call(node, name)


def _aliases(tree: ast.Module) -> tuple[set[str], dict[str, str]]:
    """Names of the module ``pennylane`` in this text, and names imported from it."""
    modules: set[str] = set()
    direct: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names if alias.name == "pennylane"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pennylane":
            direct |= {alias.asname or alias.name: alias.name for alias in node.names}
    return modules, direct


def _called(function: ast.expr, modules: set[str], direct: dict[str, str]) -> str | None:
    if isinstance(function, ast.Name):
        return direct.get(function.id)
    root: ast.expr = function
    while isinstance(root, ast.Attribute):
        root = root.value
    inside = isinstance(root, ast.Name) and root.id in modules
    return function.attr if inside and isinstance(function, ast.Attribute) and _namespace(function) else None


def _namespace(function: ast.Attribute) -> bool:
    """Whether this is ``qml.RX`` or ``qml.ops.RX``, not ``qml.numpy.array``."""
    path = ast.unparse(function).split(".")[1:-1]
    return not path or path[0] in ("ops", "templates")


def _unknown(name: str, line: int) -> Finding:
    known = [one for one, signature in signatures().items() if signature.kind in ("operation", "callable")]
    by_small = {one.lower(): one for one in known}
    close = [by_small[one] for one in difflib.get_close_matches(name.lower(), by_small, 3, 0.6)]
    hint = f"Did you mean {' or '.join(close)}?" if close else "Use an operation that the installed version has."
    return finding("unknown_operation", {"name": name, "line": line, "hint": hint})


def _call(node: ast.Call, name: str) -> Iterator[Finding]:
    if name in _MEASUREMENTS:
        yield finding("measurement", {"gate": name, "line": node.lineno})
    signature = signatures().get(name)
    if signature is None or signature.parameters is None or signature.kind not in ("operation", "callable"):
        return
    if seen := _misfit(node, signature):
        facts = {"name": name, "line": node.lineno, "seen": seen, "takes": signature.shown()}
        yield finding("arguments", facts)


def _misfit(node: ast.Call, signature: Signature) -> str:
    """What is wrong with the arguments of a call; empty if nothing is."""
    parameters = signature.parameters or []
    if any(isinstance(value, ast.Starred) for value in node.args) or any(one.arg is None for one in node.keywords):
        return ""  # *args and **kwargs are known only when the code runs
    positional = [one.name for one in parameters if one.kind in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")]
    kinds = {one.kind for one in parameters}
    named = [one.arg for one in node.keywords if one.arg is not None]
    unknown = [name for name in named if name not in {one.name for one in parameters}]
    if unknown and "VAR_KEYWORD" not in kinds:
        return f"it has no argument {', '.join(unknown)}"
    if len(node.args) > len(positional) and "VAR_POSITIONAL" not in kinds:
        return f"{len(node.args)} arguments are given by position, but it takes {len(positional)}"
    given = set(positional[: len(node.args)])
    if twice := sorted(given & set(named)):
        return f"argument {', '.join(twice)} is given twice"
    missing = [one.name for one in parameters if one.required and one.name not in given | set(named)]
    if missing:
        return f"argument {', '.join(missing)} is missing"
    return _wrong_wires(node, signature, positional)


def _wrong_wires(node: ast.Call, signature: Signature, positional: list[str]) -> str:
    by_name = dict(zip(positional, node.args, strict=False)) | {one.arg or "": one.value for one in node.keywords}
    wires = by_name.get("wires")
    if signature.wires is None or wires is None:
        return ""
    if isinstance(wires, ast.List | ast.Tuple) and not any(isinstance(one, ast.Starred) for one in wires.elts):
        count = len(wires.elts)
    elif isinstance(wires, ast.Constant) and isinstance(wires.value, int):
        count = 1
    else:
        return ""
    return "" if count == signature.wires else f"it acts on {signature.wires} wires, but is given {count}"


def state_written(source: str) -> list[str]:
    """What a map's code writes beside its local names after `__init__`, with lines, such as ``self.count (line 9)``.

    The circuit is compiled from fresh calls, so such state has no effect that lasts; a person should know of it.
    """
    tree = ast.parse(source)
    shared = {name for node in tree.body for name in _assigned(node)}
    found: dict[str, int] = {}
    for method in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name != "__init__"):
        inside = list(ast.walk(method))
        declared = {name for node in inside if isinstance(node, ast.Global) for name in node.names}
        local = {name for node in inside for name in _assigned(node)} | {
            n.arg for n in inside if isinstance(n, ast.arg)
        }
        outer = {"self", "cls"} | declared | (shared - local)
        for node in inside:
            bound = [one for one in _targets(node) if not isinstance(one, ast.Name) or one.id in declared]
            for place in [one for one in (*bound, *_changed(node)) if _root(one) in outer]:
                found.setdefault(ast.unparse(place), place.lineno)
    return [f"{name} (line {line})" for name, line in sorted(found.items(), key=lambda one: one[1])]


def _assigned(node: ast.AST) -> list[str]:
    """Plain names that a statement binds."""
    return [one.id for one in _targets(node) if isinstance(one, ast.Name)]


def _targets(node: ast.AST) -> list[ast.expr]:
    """What a statement binds, tuples taken apart."""
    pending = list(node.targets) if isinstance(node, ast.Assign | ast.Delete) else []
    pending += [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr) else []
    return [one for each in pending for one in (each.elts if isinstance(each, ast.Tuple | ast.List) else [each])]


def _changed(node: ast.AST) -> list[ast.expr]:
    """What a method that changes its object is called on."""
    method = node.func if isinstance(node, ast.Call) else None
    return [method.value] if isinstance(method, ast.Attribute) and method.attr in _CHANGING else []


def _root(place: ast.expr) -> str:
    """The name that an attribute or an item begins with."""
    while isinstance(place, ast.Attribute | ast.Subscript):
        place = place.value
    return place.id if isinstance(place, ast.Name) else ""
