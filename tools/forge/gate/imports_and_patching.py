"""The check ``rules``, third part: what a tool and its tests may import, draw, and replace."""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Iterator
from functools import cache

from labwright.tools.forge.gate.forbidden_references import ALLOWED_STDLIB, refused
from labwright.tools.forge.gate.parsed_candidate import Origins
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.gate_findings import GateFinding
from labwright.tools.forge.toolset.tool_source import modules_imported

# The packages that compute. None is made to run texts, to look at the program, or to reach out of it.
SCIENCE = frozenset(
    "numpy scipy sympy mpmath networkx rustworkx pandas xarray matplotlib PIL sklearn statsmodels pydantic"
    " pydantic_core qutip qutip_qtrl qiskit qiskit_aer qulacs pennylane cirq cudaq tequila openfermion"
    " excitationsolve tenpy quimb cotengra opt_einsum autograd jax scqubits dynamiqs diffrax rdkit pyscf ase"
    " geometric tblite dftd3 pyscf_dispersion mdtraj MDAnalysis openmm cantera chemicals thermo fluids pint"
    " uncertainties lmfit emcee h5py numba".split()
)
MORE = "LABWRIGHT_TOOL_PACKAGES"  # further packages that the tools of a lab may import, separated by spaces
_UNSEEDED_NUMPY = (
    "random rand randn randint random_sample normal uniform choice shuffle permutation seed standard_normal"
)
_UNSEEDED_NUMPY += " get_state set_state exponential poisson binomial multinomial bytes ranf sample"


def check_effects(tree: ast.Module, *, tests: bool, known_tools: frozenset[str] = frozenset()) -> Iterator[GateFinding]:
    """Findings of imports, draws and replacements.

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
        elif isinstance(node, ast.Assert) and not tests:
            yield finding("assert_in_tool", node.lineno)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            yield from _replaced(node, origins)


def _imports(tree: ast.Module, tests: bool, known_tools: frozenset[str]) -> Iterator[GateFinding]:
    for module, line in modules_imported(tree).items():
        top = module.split(".")[0]
        if module.startswith("."):
            yield finding("forbidden_import", line, found=module)
        elif top == "tools":
            if module != "tools" and not any(f"{one}.".startswith(f"{module}.") for one in known_tools):
                yield finding("unknown_tool", line, found=module)
        elif (top == "pytest" and tests) or (top == "contextlib" and module == "contextlib"):
            continue
        elif top in sys.stdlib_module_names:
            if top not in ALLOWED_STDLIB:
                yield finding("forbidden_import", line, found=module)
        elif not installed(top):
            yield finding("missing_package", line, found=top)
        elif top not in SCIENCE and top not in os.environ.get(MORE, "").split():
            yield finding("forbidden_import", line, found=module)
        elif rule := refused(module, tests=tests):
            yield finding(rule, line, found=module)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield finding("forbidden_import", node.lineno, found=f"from {node.module} import *")


@cache
def installed(top: str) -> bool:
    """Whether there is such a package; nothing of it is run."""
    return importlib.util.find_spec(top) is not None


def _call(node: ast.Call, origins: Origins) -> Iterator[GateFinding]:
    name = origins.of(node.func)
    if name.startswith("numpy.random."):
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
                yield finding("replaces", node.lineno, found=ast.unparse(one))
            elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id in _BUILTINS:
                yield finding("replaces", node.lineno, found=one.id)


_BUILTINS = frozenset(
    "abs all any bool dict float int isinstance len list max min range round set sorted str sum tuple type zip"
    " AssertionError ValueError RuntimeError Exception BaseException".split()
)
