"""The check ``rules``, second part: what a tool and its tests may import, and what they may touch."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from functools import cache

from labwright.tools.forge.gate.draft import Origins, dotted
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.findings import GateFinding
from labwright.tools.forge.toolset.reading import modules_imported

ALLOWED_STDLIB = frozenset(
    "__future__ abc bisect cmath collections contextlib copy csv dataclasses decimal enum fractions functools heapq"
    " io itertools json math numbers operator pathlib random re statistics string tempfile textwrap typing"
    " warnings".split()
)
_WHY = {
    "network": "socket ssl http urllib ftplib smtplib imaplib poplib telnetlib xmlrpc asyncio socketserver requests"
    " httpx aiohttp urllib3 websockets paramiko",
    "process": "subprocess multiprocessing threading concurrent signal pty atexit sched _thread fcntl resource joblib"
    " loky dask distributed psutil",
    "pickle": "pickle marshal shelve dbm dill cloudpickle copyreg",
    "native": "ctypes cffi mmap _ctypes",
    "dynamic_code": "importlib runpy code codeop imp zipimport pkgutil builtins ast dis symtable tokenize types",
    "introspection": "sys gc inspect traceback linecache weakref sysconfig platform site tracemalloc faulthandler"
    " unittest doctest _pytest labwright",
    "environment": "os shutil glob getpass pwd locale configparser logging",
    "clock": "time datetime timeit uuid secrets calendar",
}
_REASON = {word: rule for rule, words in _WHY.items() for word in words.split()}
_CALLS = {
    **dict.fromkeys(
        "eval exec compile __import__ globals locals vars breakpoint delattr setattr".split(), "dynamic_code"
    ),
    **dict.fromkeys("input print".split(), "print"),
    **dict.fromkeys("exit quit".split(), "process"),
    "operator.attrgetter": "introspection",
    "operator.methodcaller": "introspection",
    "warnings.warn_explicit": "warnings_off",
}
_ATTRIBUTES = {
    **dict.fromkeys("fork forkpty _exit kill killpg system popen abort execv spawnl".split(), "process"),
    **dict.fromkeys("environ getenv putenv".split(), "environment"),
    **dict.fromkeys("ctypes ctypeslib ctypes_data".split(), "native"),
    **dict.fromkeys("f_globals f_locals f_back gi_frame cr_frame tb_frame co_code _getframe".split(), "introspection"),
}
_PICKLING = ("numpy.load", "pandas.read_pickle", "torch.load", "qutip.qload", "joblib.load")
_UNSEEDED_NUMPY = (
    "random rand randn randint random_sample normal uniform choice shuffle permutation seed standard_normal"
)
_UNSEEDED_NUMPY += " exponential poisson binomial multinomial bytes ranf sample"
# Modules that others have imported: `pathlib.os` is `os`.
_BACK_DOORS = frozenset(
    "os sys builtins importlib subprocess socket ctypes gc inspect types threading signal io_open".split()
)
_DUNDERS_ALLOWED = frozenset(("__init__", "__name__", "__future__", "__version__", "__all__"))
_MUTATING = frozenset(
    "append extend insert update setdefault pop popitem clear remove discard add sort reverse fill".split()
)


def check_effects(tree: ast.Module, *, tests: bool, known_tools: frozenset[str] = frozenset()) -> Iterator[GateFinding]:
    """Findings of imports, calls and state.

    Args:
        tree: of the source or of the tests.
        tests: whether it is the tests, which may use pytest and the tool.
        known_tools: modules below ``tools`` that may be imported.
    """
    origins = Origins(tree)
    yield from _imports(tree, tests, known_tools)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _call(node, origins)
        elif isinstance(node, ast.Attribute):
            yield from _attribute(node, origins)
        elif isinstance(node, ast.Name) and _dunder(node.id):
            yield finding("introspection", node.lineno, found=node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield finding("global_state", node.lineno, found=ast.unparse(node))
        elif isinstance(node, ast.Assert) and not tests:
            yield finding("assert_in_tool", node.lineno)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            yield from _replaced(node, origins)
    yield from _state(tree)


def _imports(tree: ast.Module, tests: bool, known_tools: frozenset[str]) -> Iterator[GateFinding]:
    for module, line in modules_imported(tree).items():
        top = module.split(".")[0]
        if module.startswith("."):
            yield finding("forbidden_import", line, found=module)
        elif top == "tools":
            if (
                module != "tools"
                and module not in known_tools
                and not any(one.startswith(module + ".") for one in known_tools)
            ):
                yield finding("unknown_tool", line, found=module)
        elif (top == "pytest" and tests) or (top == "contextlib" and module == "contextlib"):
            continue
        elif top in _REASON:
            yield finding(_REASON[top], line, found=module)
        elif top == "pytest":
            yield finding("forbidden_import", line, found=module)
        elif top in sys.stdlib_module_names:
            if top not in ALLOWED_STDLIB:
                yield finding("forbidden_import", line, found=module)
        elif not installed(top):
            yield finding("missing_package", line, found=top)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield finding("forbidden_import", node.lineno, found=f"from {node.module} import *")
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                words = f"from {node.module} import {alias.name}"
                if alias.name in _BACK_DOORS or _dunder(alias.name):
                    yield finding("introspection", node.lineno, found=words)
                elif alias.name.startswith("_") and node.module != "__future__":
                    yield finding("private_name", node.lineno, found=words)


@cache
def installed(top: str) -> bool:
    """Whether there is such a package; nothing of it is run."""
    return importlib.util.find_spec(top) is not None


def _call(node: ast.Call, origins: Origins) -> Iterator[GateFinding]:
    name = origins.of(node.func)
    if name in _CALLS:
        yield finding(_CALLS[name], node.lineno, found=name)
    elif name == "getattr" and len(node.args) > 1:
        named = node.args[1]  # a name that is only known when it runs is looked at then, see `loading`
        if isinstance(named, ast.Constant) and _dunder(str(named.value)):
            yield finding("introspection", node.lineno, found=ast.unparse(node)[:80])
    elif name in _PICKLING:
        yield finding("pickle", node.lineno, found=name)
    elif name.startswith("numpy.random."):
        last = name.rsplit(".", 1)[-1]
        no_seed = last in ("default_rng", "RandomState") and not _seeded(node)
        if no_seed or last in _UNSEEDED_NUMPY.split():
            yield finding("unseeded", node.lineno, found=ast.unparse(node)[:80])
    elif name.startswith("random.") and "random" in origins.imported and (name != "random.Random" or not _seeded(node)):
        yield finding("unseeded", node.lineno, found=ast.unparse(node)[:80])
    elif name.endswith((".sys.stdout.write", "stderr.write", "stdout.write")):
        yield finding("print", node.lineno, found=name)


def _seeded(node: ast.Call) -> bool:
    given = [*node.args, *(one.value for one in node.keywords)]
    return bool(given) and not (isinstance(given[0], ast.Constant) and given[0].value is None)


def _attribute(node: ast.Attribute, origins: Origins) -> Iterator[GateFinding]:
    if _dunder(node.attr):
        yield finding("introspection", node.lineno, found=dotted(node) or f".{node.attr}")
    elif node.attr in _ATTRIBUTES:
        yield finding(_ATTRIBUTES[node.attr], node.lineno, found=dotted(node) or f".{node.attr}")
    else:
        root = dotted(node).split(".")[0]
        if root in origins.imported and node.attr in _BACK_DOORS:
            yield finding("introspection", node.lineno, found=dotted(node))
        elif root in origins.imported and node.attr.startswith("_"):
            yield finding("private_name", node.lineno, found=dotted(node))


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _DUNDERS_ALLOWED


def _replaced(node: ast.stmt, origins: Origins) -> Iterator[GateFinding]:
    """Nothing that was imported may get another meaning, and nothing built in."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    for target in targets:
        for one in ast.walk(target):
            root = one
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            stored = isinstance(getattr(one, "ctx", None), ast.Store | ast.Del)
            if stored and isinstance(one, ast.Attribute) and isinstance(root, ast.Name) and root.id in origins.imported:
                full = origins.of(one)
                if full.startswith("matplotlib.") and "rcParams" in full:
                    yield finding("global_state", node.lineno, found=ast.unparse(one))
                else:
                    yield finding("replaces", node.lineno, found=ast.unparse(one))
            elif isinstance(one, ast.Subscript) and "rcParams" in ast.unparse(one.value):
                yield finding("global_state", node.lineno, found=ast.unparse(one))
            elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id in _BUILTINS:
                yield finding("replaces", node.lineno, found=one.id)


_BUILTINS = frozenset(
    "abs all any bool dict float int isinstance len list max min range round set sorted str sum tuple type zip"
    " AssertionError ValueError RuntimeError Exception BaseException".split()
)


def _state(tree: ast.Module) -> Iterator[GateFinding]:
    """Containers at the top of the module that something changes, and mutable defaults."""
    tops: dict[str, int] = {}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        for target in targets:
            if isinstance(target, ast.Name):
                tops[target.id] = node.lineno
                if isinstance(value, ast.List | ast.Dict | ast.Set) and not (
                    getattr(value, "elts", None) or getattr(value, "keys", None)
                ):
                    yield finding("global_state", node.lineno, found=f"{target.id} = {ast.unparse(value)}")
    for inner in ast.walk(tree):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _function_state(inner, tops)


def _function_state(function: ast.FunctionDef | ast.AsyncFunctionDef, tops: dict[str, int]) -> Iterator[GateFinding]:
    for default in [*function.args.defaults, *filter(None, function.args.kw_defaults)]:
        if isinstance(default, ast.List | ast.Dict | ast.Set):
            yield finding(
                "global_state", default.lineno, found=f"the default {ast.unparse(default)} of {function.name}"
            )
    own = {one.arg for one in [*function.args.args, *function.args.kwonlyargs]}
    own |= {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for node in ast.walk(function):
        changed: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATING:
            changed = node.func.value
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            changed = node.value
        known = isinstance(changed, ast.Name) and changed.id not in own
        if known and isinstance(changed, ast.Name) and (changed.id in tops or changed.id == function.name):
            yield finding("global_state", changed.lineno, found=ast.unparse(node)[:80])
