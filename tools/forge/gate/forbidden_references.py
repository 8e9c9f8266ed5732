"""The check ``rules``, second part: what a tool and its tests may refer to, in whatever form they refer to it.

A name counts wherever it stands: called, given another name, imported, put into a list, looked up by `getattr` or taken
by a class pattern. Modules are no values, so nothing of a module is reached but by its written name.
"""

from __future__ import annotations

import ast
import importlib
import re
import string
from collections.abc import Iterator
from types import ModuleType

from labwright.tools.forge.gate.audit_hook import is_type
from labwright.tools.forge.gate.parsed_candidate import Origins, dotted
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.gate_findings import GateFinding
from labwright.tools.forge.toolset.imported_packages import is_module

Findings = Iterator[GateFinding]
ALLOWED_STDLIB = frozenset(
    "__future__ abc bisect cmath collections contextlib copy csv dataclasses decimal enum fractions functools heapq"
    " io itertools json math numbers operator pathlib random re statistics string tempfile textwrap typing"
    " warnings".split()
)


def _table(**words: str) -> dict[str, str]:
    return {word: rule for rule, listed in words.items() for word in listed.split()}


_BUILTINS = _table(dynamic_code="eval exec compile __import__ globals locals vars breakpoint delattr setattr")
_BUILTINS |= {"input": "print", "print": "print"}
_LOOKUPS = frozenset(("getattr", "hasattr"))
# Full names, each with all that is below it.
_REFUSED = _table(
    dynamic_code="sympy.parsing sympy.core.sympify sympy.sympify sympy.utilities.lambdify sympy.utilities.autowrap"
    " sympy.utilities.codegen sympy.utilities.runtests sympy.testing sympy.external sympy.interactive sympy.var"
    " sympy.preview sympy.init_session sympy.S() qutip.coefficient qutip.core.coefficient qutip.settings"
    " qutip.core.cy qutip.solver.cy pandas.eval pandas.core pandas.compat pandas.util numpy.f2py numpy.distutils"
    " numpy.bmat numpy.matrixlib numpy.lib.utils numexpr dataclasses.make_dataclass typing.get_type_hints"
    " typing.ForwardRef typing.get_overloads typing_extensions networkx.utils networkx.lazy_imports sklearn.utils"
    " matplotlib.cbook matplotlib.testing matplotlib.rcsetup pyscf.lib.misc pyscf.gto.mole.loads pyscf.gto.loads"
    " numba.core numba.extending numba.generated_jit numba.jit_module statsmodels.formula patsy mpmath.libmp"
    " openfermion.utils tequila.tools xarray.backends scipy._lib",
    pickle="numpy.load numpy.lib.format numpy.lib.npyio numpy.DataSource pandas.read_pickle pandas.io torch.load"
    " qutip.qload qutip.qsave qutip.fileio sklearn.externals rdkit.Dbase networkx.read_gpickle",
    native="numpy.ctypeslib scipy.LowLevelCallable numpy.core numpy._core pyscf.lib.load_library cffi numba.cfunc"
    " numba.carray",
    introspection="operator.attrgetter operator.methodcaller operator.call string.Formatter contextlib.ExitStack"
    " contextlib.AsyncExitStack functools.wraps functools.update_wrapper functools.WRAPPER_ASSIGNMENTS"
    " numpy.lib.introspect warnings.catch_warnings warnings.filters warnings.showwarning warnings.formatwarning",
    warnings_off="warnings.warn_explicit",
    unseeded="random.SystemRandom",
)
_IN_TESTS = frozenset(("warnings.catch_warnings",))
# The last part of a name, of whatever.
_ATTRIBUTES = _table(
    native="ctypes ctypeslib ctypes_data load_library CDLL LowLevelCallable",
    introspection="f_globals f_locals f_back f_code f_builtins gi_frame gi_code cr_frame ag_frame tb_frame tb_next"
    " co_code _getframe with_traceback mro",
    dynamic_code="eval exec sympify parse_expr lambdify get_type_hints ForwardRef get_annotations safe_eval"
    " import_module import_string ImportString load_module exec_module run_module run_path runstring rundocs"
    " get_overloads model_rebuild update_forward_refs TypeAdapter create_model validate_call make_dataclass"
    " importorskip import_optional_dependency format_map parse_latex autowrap ufuncify",
    pickle="loads_ read_pickle to_pickle",
)
_PYDANTIC = frozenset(
    "BaseModel RootModel ConfigDict Field ValidationError ValidationInfo field_validator model_validator"
    " computed_field AfterValidator BeforeValidator AllowInfNan Strict StringConstraints confloat"
    " conint conlist constr FiniteFloat PositiveFloat NegativeFloat NonNegativeFloat NonPositiveFloat PositiveInt"
    " NegativeInt NonNegativeInt NonPositiveInt StrictFloat StrictInt StrictStr StrictBool".split()
)
# Modules that others have imported: `pathlib.os` is `os`.
_SWALLOWS = frozenset(("__exit__", "__aexit__", "__del__", "__getattribute__"))
_BACK_DOORS = frozenset(
    "os sys builtins importlib subprocess socket ctypes gc inspect threading pickle marshal linecache traceback"
    " tokenize".split()
)
_ALSO_MODULES = frozenset(
    "types signal io_open time datetime platform warnings tempfile pathlib pkgutil logging multiprocessing shutil glob"
    " itertools functools operator copyreg typing weakref codecs pydoc ast dis unittest contextlib atexit resource"
    " fcntl uuid secrets ssl urllib http np numpy sp scipy pd pandas sympy nx networkx plt pyplot mpl".split()
)
_DUNDERS_ALLOWED = frozenset(("__init__", "__name__", "__future__", "__version__", "__all__"))
_DUNDER = re.compile(r"__\w+?__")
_LOG_FILE = re.compile("log_?ini", re.IGNORECASE)  # an argument of geomeTRIC: a file of which words are evaluated
# What the kernel says of a file: the true time, its owner, and a number that grows with every file.
_OF_FILES = frozenset("stat lstat st_mtime st_ctime st_atime st_mtime_ns st_uid st_ino owner group".split())
_SYMBOLS = frozenset("symbols Symbol Dummy Function Wild IndexedBase Idx MatrixSymbol Rational Integer Float".split())
_TYPES = frozenset("list dict tuple set frozenset Annotated Optional Union List Dict Tuple Type type".split())


def check_references(tree: ast.Module, *, tests: bool) -> Findings:
    """Findings of what a text refers to.

    Args:
        tree: of the source or of the tests.
        tests: whether it is the tests.
    """
    origins = Origins(tree)
    above = {id(below): node for node in ast.walk(tree) for below in ast.iter_child_nodes(node)}
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    words = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # such as docstrings
    for line, name in origins.conflicts:
        yield finding("replaces", line, found=name)
    for node in ast.walk(tree):
        parent = above.get(id(node))
        if isinstance(node, ast.ImportFrom):
            yield from _imported(node, tests)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from _name(node, parent, origins, own, tests)
        elif isinstance(node, ast.Attribute):
            yield from _attribute(node, parent, origins, tests)
        elif isinstance(node, ast.Name | ast.FunctionDef | ast.ClassDef) and _made_up(node, parent):
            yield finding("introspection", node.lineno, found=_named(node))
        elif isinstance(node, ast.MatchClass):
            for word in node.kwd_attrs:
                yield from _word(word, node.lineno, word, imported=True)
        elif isinstance(node, ast.Call):
            yield from _call(node, origins, tests)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in words:
            if _DUNDER.search(node.value):
                yield finding("introspection", node.lineno, found=ast.unparse(node)[:80])
            elif _LOG_FILE.fullmatch(node.value):
                yield finding("dynamic_code", node.lineno, found=ast.unparse(node))
    yield from _annotations(tree)


def _named(node: ast.Name | ast.FunctionDef | ast.ClassDef) -> str:
    return node.id if isinstance(node, ast.Name) else node.name


def _made_up(node: ast.Name | ast.FunctionDef | ast.ClassDef, parent: ast.AST | None) -> bool:
    """Whether a name that Python itself asks for is given: at the top of the module, or where it swallows errors."""
    name = _named(node)
    inside = isinstance(node, ast.FunctionDef) and isinstance(parent, ast.ClassDef)
    return name in _SWALLOWS or (_dunder(name) and not inside)


def _imported(node: ast.ImportFrom, tests: bool) -> Findings:
    for alias in node.names:
        words, full = f"from {node.module} import {alias.name}", f"{node.module}.{alias.name}"
        if rule := refused(full, tests=tests):
            yield finding(rule, node.lineno, found=words)
        elif _dunder(alias.name) or _is_back_door(full):
            yield finding("introspection", node.lineno, found=words)
        elif alias.name in _ATTRIBUTES:
            yield finding(_ATTRIBUTES[alias.name], node.lineno, found=words)
        elif alias.name.startswith("_") and node.module != "__future__":
            yield finding("private_name", node.lineno, found=words)


def _name(node: ast.Name, parent: ast.AST | None, origins: Origins, own: set[str], tests: bool) -> Findings:
    called = isinstance(parent, ast.Call) and parent.func is node
    if _dunder(node.id):
        yield finding("introspection", node.lineno, found=node.id)
    elif node.id in origins.imported:
        full = origins.of(node)
        if isinstance(parent, ast.Attribute):
            return
        if origins.is_module(node.id) or is_module(full):
            yield finding("module_value", node.lineno, found=node.id)
        elif rule := refused(full, tests=tests) or _REFUSED.get(f"{full}()", ""):
            yield finding(rule, node.lineno, found=full)
    elif _BUILTINS.get(node.id) == "dynamic_code" or (node.id in _BUILTINS and node.id not in own):
        yield finding(_BUILTINS[node.id], node.lineno, found=node.id)
    elif node.id in _LOOKUPS and not called:
        yield finding("introspection", node.lineno, found=node.id)


def _attribute(node: ast.Attribute, parent: ast.AST | None, origins: Origins, tests: bool) -> Findings:
    found = dotted(node) or f".{node.attr}"
    root, full = found.split(".")[0], origins.of(node)
    if root in origins.imported and full and not isinstance(parent, ast.Attribute):
        rule = refused(full, tests=tests) or _REFUSED.get(f"{full}()", "")
        if rule or is_module(full):
            yield finding(rule or "module_value", node.lineno, found=full)
            return
    if node.attr == "__name__" and not (isinstance(node.value, ast.Call) and dotted(node.value.func) == "type"):
        yield finding("introspection", node.lineno, found=found)
    elif node.attr == "format":
        if not (isinstance(node.value, ast.Constant) and _plain_format(str(node.value.value))):
            yield finding("introspection", node.lineno, found=ast.unparse(node)[:80])
    elif root in origins.imported and _is_back_door(full):
        yield finding("introspection", node.lineno, found=found)
    else:
        if node.attr in _OF_FILES and not tests:
            yield finding("files", node.lineno, found=found)
        yield from _word(node.attr, node.lineno, found, imported=root in origins.imported)


def _word(word: str, line: int, found: str, *, imported: bool) -> Findings:
    """Findings of one name that something, such as an imported module, is asked for."""
    if _dunder(word) or word in _BACK_DOORS:
        yield finding("introspection", line, found=found)
    elif word in _ATTRIBUTES:
        yield finding(_ATTRIBUTES[word], line, found=found)
    elif imported and word.startswith("_") and word not in _DUNDERS_ALLOWED:
        yield finding("private_name", line, found=found)


def may_be_looked_up(word: str) -> bool:
    """Whether an attribute's name, put together when the code runs, is none that may not be written either."""
    return not (word.startswith("_") or word in _BACK_DOORS or word in _ATTRIBUTES)


def _call(node: ast.Call, origins: Origins, tests: bool) -> Findings:
    name, shown = origins.of(node.func), ast.unparse(node)[:80]
    if name == "warnings.warn" and len(node.args) > 2:
        yield finding("introspection", node.lineno, found=shown)
    if name in _LOOKUPS and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
        # A name that is only known when it runs is looked at then, see `loading`.
        yield from _word(str(node.args[1].value), node.lineno, shown, imported=True)
    made = name == "type" and len(node.args) != 1 and not tests
    symbolic = name.startswith("sympy.") and name.rsplit(".", 1)[-1] not in _SYMBOLS and any(map(_text, node.args))
    if made or symbolic or (name.startswith("qutip") and any(map(_text_coefficient, ast.walk(node)))):
        yield finding("dynamic_code", node.lineno, found=shown)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "query" and "pandas" in origins.tops:
        yield finding("dynamic_code", node.lineno, found=shown)
    for word in node.keywords:
        if word.arg == "allow_pickle" and not (isinstance(word.value, ast.Constant) and word.value.value is False):
            yield finding("pickle", node.lineno, found=shown)
        elif _LOG_FILE.fullmatch(word.arg or ""):
            yield finding("dynamic_code", node.lineno, found=shown)
        elif word.arg in ("stacklevel", "metaclass", "_types_namespace"):
            yield finding("introspection", node.lineno, found=shown)


def _text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _text_coefficient(node: ast.AST) -> bool:
    """Whether it is ``[operator, "text"]``."""
    pair = isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 2
    return pair and _text(node.elts[1]) and not _text(node.elts[0])  # type: ignore[attr-defined]


def _plain_format(text: str) -> bool:
    """Whether a format asks its values for nothing."""
    try:
        return not any(field and re.search(r"[.\[]", field) for _, field, _, _ in string.Formatter().parse(text))
    except ValueError:
        return False


def _annotations(tree: ast.Module) -> Findings:
    """Quoted annotations are evaluated, so they may be types and nothing else."""
    for node in ast.walk(tree):
        quoted: list[ast.expr | None] = []
        if isinstance(node, ast.AnnAssign | ast.arg):
            quoted = [node.annotation]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            quoted = [node.returns]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value).rsplit(".", 1)[-1] in _TYPES:
            quoted = [*node.slice.elts] if isinstance(node.slice, ast.Tuple) else [node.slice]
        for one in quoted:
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and not is_type(one.value):
                yield finding("dynamic_code", one.lineno, found=ast.unparse(one)[:80])


def refused(full: str, *, tests: bool) -> str:
    """The rule that a full name breaks by itself or by what it is below; empty if none."""
    parts = full.split(".")
    if parts[0] in ("pydantic", "pydantic_core") and len(parts) > 1 and parts[1] not in _PYDANTIC:
        return "not_for_tools"
    if full.startswith("numpy.testing."):
        return "" if parts[2].startswith("assert_") else "dynamic_code"
    if full.startswith("numpy.lib.") and parts[2] not in ("stride_tricks", "scimath", "recfunctions"):
        return "not_for_tools"
    for length in range(1, len(parts) + 1):
        prefix = ".".join(parts[:length])
        if prefix in _REFUSED and not (tests and prefix in _IN_TESTS):
            return _REFUSED[prefix]
    return "introspection" if _stdlib_module(parts) else ""


def _stdlib_module(parts: list[str]) -> bool:
    """Whether a name of a harmless module is another module, such as ``pathlib.os``."""
    if parts[0] not in ALLOWED_STDLIB:
        return False
    value: object = importlib.import_module(parts[0])
    for part in parts[1:]:
        value = getattr(value, part, None)
        if isinstance(value, ModuleType) and value.__name__.split(".")[0] != parts[0]:
            return True
    return False


def _is_back_door(full: str) -> bool:
    """Whether an imported name is, or is below, a module that another had imported: ``pathlib.os``, ``qutip.np``."""
    parts = full.split(".")
    for length in range(2, len(parts) + 1):
        last, name = parts[length - 1], ".".join(parts[:length])
        if last in _BACK_DOORS or (last in _ALSO_MODULES and not is_module(name)):
            return True
    return False


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _DUNDERS_ALLOWED
