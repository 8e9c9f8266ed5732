"""Deliberate faults: small changes of a tool that right tests notice. They are made on the syntax tree, never run here.

Mutation testing after DeMillo, Lipton and Sayward, Computer 11, 34 (1978); the operators are those that wrong physics
is made of: signs, factors, conjugates, orders of products, indices, neighbouring fields.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

from labwright.tools.forge.gate.parsed_candidate import dotted
from labwright.tools.forge.toolset.tool_source import is_model

_Make = Callable[[Any], ast.AST]  # a node -> what stands in its place
# Words of calls whose numbers are looks or tolerances, not results.
_LOOKS = frozenset(
    "figsize dpi alpha linewidth lw ms markersize fontsize color colors cmap marker linestyle ls label title pad zorder"
    " loc ncol ncols nrows bbox_inches layout hspace wspace aspect rotation xlabel ylabel squeeze constrained_layout"
    " atol rtol tol nsteps max_step max_iter maxiter maxfun verbose progress_bar method options description default"
    " ge gt le lt min_length max_length pattern indent ensure_ascii encoding exist_ok parents sparse dtype"
    " strict max_cycle max_space conv_tol conv_tol_grad max_memory level_shift diis_space".split()
)
_LOOKING = frozenset(
    "set_xlabel set_ylabel set_title suptitle legend tight_layout subplots figure colorbar text annotate grid"
    " tick_params axhline axvline savefig close use set_xticks set_yticks set_xticklabels set_yticklabels Field"
    " ConfigDict field_validator model_validator set_aspect margins add_subplot set_layout_engine mkdir"
    " set_axisbelow set_visible set_linewidth set_color".split()
)
_DRAWING = frozenset("ax axs axes axis fig figure plt pyplot panel canvas bars image mesh legend colorbar".split())
_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.Mod: ast.Mult,
    ast.FloorDiv: ast.Mult,
}  # fmt: skip
_PAIRS = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh", "min": "max", "max": "min", "argmin": "argmax"}
_PAIRS |= {"argmax": "argmin", "real": "imag", "imag": "real", "sigmax": "sigmay", "sigmay": "sigmax", "sum": "prod"}
_PAIRS |= {"create": "destroy", "destroy": "create", "zeros": "ones", "ones": "zeros", "ceil": "floor", "floor": "ceil"}
_DROPPED = frozenset(("conj", "conjugate", "dag", "transpose", "abs", "sqrt", "cumsum", "flip", "sorted", "diff"))
_DROPPED_ATTRIBUTES = frozenset(("T", "mT"))
_TURNED = frozenset(("conj", "conjugate", "transpose", "dag"))
_COMMUTING = frozenset(
    "max min add multiply allclose isclose hypot dict zip isinstance range print subplots array_equal inner"
    " gcd lcm maximum minimum fmax fmin logical_and logical_or logical_xor dist add_edge has_edge getattr hasattr Path"
    " join replace format".split()
)
_FIXED = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Lambda
_TINY = 1e-6  # below it a constant is a tolerance


@dataclass(frozen=True, slots=True)
class Mutant:
    """One deliberate fault.

    Attributes:
        operator: kind of fault.
        line: of the source.
        statement: first line of the statement that holds it; 0 outside of functions.
        was: text before.
        now: text after.
        source: of the whole tool with it.
        probe: of the whole tool unchanged, but failing where the two sides of this product are not both vectors;
            empty for faults that exchange no product. A fault whose probe passes is equivalent: a @ b = b @ a.
    """

    operator: str
    line: int
    statement: int
    was: str
    now: str
    source: str
    probe: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: `{self.was}` -> `{self.now}`"


@dataclass(frozen=True, slots=True)
class _Site:
    operator: str
    path: tuple[tuple[str, int | None], ...]  # from the tree's root to the node that is replaced
    line: int
    statement: int
    make: _Make


def mutants(source: str, function: str, most: int, seed: int) -> tuple[list[Mutant], int]:
    """At most `most` faults of a tool, every kind among them, drawn by `seed`; and how many were equivalent.

    Args:
        source: of the tool.
        function: name of its public function.
        most: to draw.
        seed: of the drawing.
    """
    tree = ast.parse(source)
    original = _code(tree)
    sites = _spread(list(_sites(tree)), random.Random(seed))
    found: list[Mutant] = []
    equivalent, seen = 0, {ast.dump(tree)}
    for site in sites:
        if len(found) >= most:
            break
        changed = copy.deepcopy(tree)
        was, now = _apply(changed, site)
        ast.fix_missing_locations(changed)
        said = ast.dump(changed)
        if said in seen:
            continue
        seen.add(said)
        if _code(changed) == original:
            equivalent += 1
            continue
        text, probe = ast.unparse(changed), _probe(tree, site)
        found.append(Mutant(site.operator, site.line, site.statement, was[:80], now[:80], text, probe))
    return found, equivalent


def _spread(sites: list[_Site], draw: random.Random) -> list[_Site]:
    """The sites in a drawn order in which every kind comes up early."""
    draw.shuffle(sites)
    rank: dict[str, int] = {}
    keyed = []
    for number, site in enumerate(sites):
        rank[site.operator] = rank.get(site.operator, 0) + 1
        # Kinds take turns, but a common kind may come up to three times a turn.
        keyed.append(((rank[site.operator] - 1) // 3, number, site))
    return [site for _, _, site in sorted(keyed, key=lambda one: one[:2])]


def _code(tree: ast.Module) -> tuple[object, ...]:
    """What the tree compiles to, without lines: equal for changes that the compiler itself undoes."""

    def plain(code: object) -> object:
        if not isinstance(code, CodeType):
            return (type(code).__name__, repr(code))
        return (code.co_code, code.co_names, code.co_varnames, tuple(plain(one) for one in code.co_consts))

    return (plain(compile(tree, "tool.py", "exec", dont_inherit=True)),)


_VECTORS = "(lambda a, b: a @ b if getattr(a, 'ndim', 2) == getattr(b, 'ndim', 2) == 1 else 1 // 0)(_, _)"


def _probe(tree: ast.Module, site: _Site) -> str:
    """See `Mutant.probe`."""

    def probing(one: ast.AST) -> ast.AST:
        made = ast.parse(_VECTORS, mode="eval").body
        assert isinstance(made, ast.Call)
        made.args = [one.left, one.right] if isinstance(one, ast.BinOp) else one.args  # type: ignore[attr-defined]
        return made

    if site.operator != "order":
        return ""
    changed = copy.deepcopy(tree)
    node: ast.AST = changed
    for name, index in site.path:
        node = _step(node, name, index)
    if isinstance(node, ast.Call) and dotted(node.func).rsplit(".", 1)[-1] not in ("dot", "matmul"):
        return ""
    _apply(changed, replace(site, make=probing))
    return ast.unparse(changed)


def _bare(node: ast.expr) -> ast.expr:
    while True:
        if isinstance(node, ast.Attribute) and node.attr in _DROPPED_ATTRIBUTES:
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TURNED:
            of_module = dotted(node.func).split(".")[0] in ("np", "numpy", "jnp")
            if of_module and len(node.args) != 1:
                return node
            node = node.args[0] if of_module else node.func.value
        else:
            return node


def _apply(tree: ast.Module, site: _Site) -> tuple[str, str]:
    parent: ast.AST = tree
    for name, index in site.path[:-1]:
        parent = _step(parent, name, index)
    name, index = site.path[-1]
    node = _step(parent, name, index)
    was = ast.unparse(node)
    made = ast.copy_location(site.make(node), node)
    if index is None:
        setattr(parent, name, made)
    else:
        getattr(parent, name)[index] = made
    return was, ast.unparse(ast.fix_missing_locations(made))


def _step(node: ast.AST, name: str, index: int | None) -> ast.AST:
    value = getattr(node, name)
    found: ast.AST = value if index is None else value[index]
    return found


def _sites(tree: ast.Module) -> Iterator[_Site]:
    """Every place where a fault can be put: in functions, methods of models left out."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for number, node in enumerate(tree.body):
        if isinstance(node, ast.ClassDef) and is_model(node, classes):
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from _below(node, (("body", number),), 0)
        elif isinstance(node, ast.Assign):
            yield from _below(node.value, (("body", number), ("value", None)), 0)


def _below(node: ast.AST, path: tuple[tuple[str, int | None], ...], statement: int) -> Iterator[_Site]:
    if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.ClassDef):
        statement = node.lineno
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.Assert):
        return
    for operator, make in _operators(node):
        yield _Site(operator, path, getattr(node, "lineno", 0), statement, make)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "ctx", "args") and not isinstance(node, ast.Call):
            continue
        children = value if isinstance(value, list) else [value]
        for number, child in enumerate(children):
            if not isinstance(child, ast.AST) or _not_mutated(node, child, number, name):
                continue
            step = (name, number if isinstance(value, list) else None)
            yield from _below(child, (*path, step), statement)


def _not_mutated(node: ast.AST, child: ast.AST, number: int, name: str) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(child, ast.Constant) and isinstance(child.value, complex):
        return True  # -1j becomes 1j by its sign already
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True  # a docstring
    if isinstance(child, ast.JoinedStr) or (isinstance(node, ast.If) and name == "test" and _gives_up(node)):
        return True
    if isinstance(child, ast.keyword) and child.arg in _LOOKS:
        return True
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        return node.targets[0].attr in _LOOKS
    if isinstance(node, ast.Dict) and name == "values":
        key = node.keys[number]
        return isinstance(key, ast.Constant) and key.value in _LOOKS
    if isinstance(node, ast.keyword) and isinstance(child, ast.Constant) and getattr(node, "of_drawing", False):
        return True
    if isinstance(node, ast.Call) and isinstance(child, ast.keyword):
        child.of_drawing = dotted(node.func).split(".")[0] in _DRAWING  # type: ignore[attr-defined]
    looking = isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in _LOOKING
    return looking and name in ("args", "keywords")


def _gives_up(node: ast.If) -> bool:
    """Whether a computation that failed raises: no test of a right tool gets there, and nothing else depends on it."""
    return len(node.body) == 1 and isinstance(node.body[0], ast.Raise) and "RuntimeError" in ast.unparse(node.body[0])


def _operators(node: ast.AST) -> Iterator[tuple[str, _Make]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARE and len(node.ops) == 1:
        yield "comparison", lambda one: ast.Compare(one.left, [_COMPARE[type(one.ops[0])]()], one.comparators)
    elif isinstance(node, ast.BinOp):
        yield from _binary(node)
    elif isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC:
        yield "arithmetic", lambda one: ast.AugAssign(one.target, _ARITHMETIC[type(one.op)](), one.value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield "sign" if isinstance(node.op, ast.USub) else "condition", lambda one: one.operand
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield "condition", lambda one: ast.BoolOp(swapped(), one.values)
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Call):
        yield from _call(node)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        if node.attr in _DROPPED_ATTRIBUTES:
            yield "conjugate", lambda one: one.value
        elif node.attr in ("real", "imag"):
            yield "part", lambda one: ast.Attribute(one.value, _PAIRS[one.attr], ast.Load())
    elif isinstance(node, ast.Slice) and (node.lower is not None or node.upper is not None) and node.step is None:
        yield "index", lambda one: ast.Slice(None, None, None)
    elif isinstance(node, ast.IfExp) and ast.dump(node.test) not in (ast.dump(node.body), ast.dump(node.orelse)):
        yield "condition", lambda one: ast.IfExp(one.test, one.orelse, one.body)


def _binary(node: ast.BinOp) -> Iterator[tuple[str, _Make]]:
    if isinstance(node.op, ast.MatMult):
        if ast.dump(_bare(node.left)) == ast.dump(_bare(node.right)):  # `U @ U.conj().T`
            return
        yield "order", lambda one: ast.BinOp(one.right, ast.MatMult(), one.left)
    elif type(node.op) in _ARITHMETIC and not _is_text(node):
        yield "arithmetic", lambda one: ast.BinOp(one.left, _ARITHMETIC[type(one.op)](), one.right)


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    if any(isinstance(one, ast.Name) and one.id in ("float", "int", "str", "None") for one in sides):
        return True  # a union of types
    texts = [one for one in sides if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return bool(texts) or any(isinstance(one, ast.JoinedStr) for one in sides)


def _constant(node: ast.Constant) -> Iterator[tuple[str, _Make]]:
    value = node.value
    if isinstance(value, bool):
        yield "condition", lambda one: ast.Constant(not one.value)
    elif isinstance(value, int):
        yield "constant", lambda one: ast.Constant(one.value + 1)
    elif isinstance(value, float) and (value == 0 or abs(value) >= _TINY):
        yield "constant", lambda one: ast.Constant(one.value * 2 if one.value else 1.0)
    elif isinstance(value, complex):
        yield "conjugate", lambda one: ast.UnaryOp(ast.USub(), ast.Constant(one.value))


def _call(node: ast.Call) -> Iterator[tuple[str, _Make]]:
    word = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    fixed = any(isinstance(one, _FIXED) for one in node.args)  # with both exchanged it is another kind of call
    plain = not any(isinstance(one, ast.Starred) for one in node.args)
    if word in _DROPPED and isinstance(node.func, ast.Attribute) and not node.args:
        yield "conjugate", lambda one: one.func.value
    elif word in _DROPPED and len(node.args) == 1 and plain:
        yield "conjugate", lambda one: one.args[0]
    elif word in _PAIRS:
        yield "function", lambda one: ast.Call(_renamed(one.func), one.args, one.keywords)
    elif word == "exp" and len(node.args) == 1 and plain and not _signed(node.args[0]):
        yield "sign", lambda one: ast.Call(one.func, [ast.UnaryOp(ast.USub(), one.args[0])], one.keywords)
    elif len(node.args) == 2 and plain and word not in _COMMUTING | _LOOKING and not fixed:
        yield "order", lambda one: ast.Call(one.func, one.args[::-1], one.keywords)
    if word.endswith("Output") and len(node.keywords) > 1:
        for i in range(len(node.keywords) - 1):
            yield "fields", _swap(i)


def _signed(node: ast.expr) -> bool:
    """Whether a sign or an imaginary unit in it is turned around already by another fault."""
    parts, signed = [*ast.walk(node)], (ast.UnaryOp,)
    turned = [one.value for one in parts if isinstance(one, ast.Constant)]
    return any(isinstance(one, signed) for one in parts) or any(isinstance(one, complex) for one in turned)


def _swap(i: int) -> _Make:
    def swapped(one: ast.AST) -> ast.AST:
        assert isinstance(one, ast.Call)
        words = [ast.keyword(word.arg, word.value) for word in one.keywords]
        words[i].value, words[i + 1].value = words[i + 1].value, words[i].value
        return ast.Call(one.func, one.args, words)

    return swapped


def _renamed(function: ast.AST) -> ast.expr:
    if isinstance(function, ast.Attribute):
        return ast.Attribute(function.value, _PAIRS[function.attr], ast.Load())
    return ast.Name(_PAIRS[dotted(function)] if isinstance(function, ast.Name) else "", ast.Load())
