"""The check ``form``, of the source: one function, two models, fields as in the contract, words that say enough."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache

from labwright.tools.errors import InputError
from labwright.tools.forge.gate.parsed_candidate import Draft
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.contract import Parameter
from labwright.tools.forge.toolset.gate_findings import GateFinding
from labwright.tools.forge.toolset.tool_source import FieldRead, ModelRead

# pydantic's narrowed types and what they are to a contract
_HOW = ("Positive", "Negative", "NonNegative", "NonPositive", "Strict")
_PLAIN = {f"{how}{kind}": kind.lower() for kind in ("Float", "Int") for how in _HOW}
_PLAIN |= {"FiniteFloat": "float", "StrictStr": "str", "StrictBool": "bool"}
_OPAQUE = re.compile(r"\b(Any|object|ndarray|NDArray|ArrayLike|complex|Qobj|bytes|Callable)\b")
_BARE = re.compile(r"\b(list|dict|tuple|set|List|Dict|Tuple)\b(?!\[)")
_SOURCE = re.compile(
    r"source\b|arxiv|doi\b|10\.\d{4,}|https?://|textbook|et al|codata|documentation"
    r"|[A-Z][\w.-]+(?:,| and [A-Z][\w.-]+)?[^.\n]{0,80}\(?\b(?:1[89]|20)\d\d\b",
    re.IGNORECASE,
)
_ALLOWED_METHODS = ("field_validator", "model_validator", "computed_field", "property", "classmethod")
_UNITLESS = frozenset(("", "1", "-", "none", "dimensionless"))


def check_source(draft: Draft) -> Iterator[GateFinding]:
    """Findings of the form of the source."""
    if not draft.tool.docstring.strip():
        yield finding("module_docstring", 1)
    elif not _SOURCE.search(_all_docstrings(draft)):
        yield finding("no_source", 1)
    if not [one for one in draft.candidate.contract.invariants if one.strip()]:
        yield finding("no_law")
    yield from _top_level(draft)
    yield from _function(draft)
    for model in draft.tool.models.values():
        yield from _model(draft, model)
    contract = draft.candidate.contract
    for name, wanted in ((draft.input_name, contract.inputs), (draft.output_name, contract.outputs)):
        if name in draft.tool.models:
            yield from _fits(draft.tool.models[name], wanted)
        else:
            yield finding("no_model", 0, found=name)


def _all_docstrings(draft: Draft) -> str:
    function = draft.tool.functions.get(draft.name)
    return draft.tool.docstring + "\n" + ((ast.get_docstring(function) or "") if function else "")


def _top_level(draft: Draft) -> Iterator[GateFinding]:
    public = [name for name in draft.tool.functions if not name.startswith("_")]
    if public != [draft.name]:
        yield finding("one_function", 0, name=draft.name, found=", ".join(public) or "none")
    used = _models_used(draft)
    for node in draft.tool.tree.body:
        names: list[str] = []
        if (isinstance(node, ast.ClassDef) and node.name not in used) or isinstance(node, ast.AsyncFunctionDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        for name in names:
            if not name.startswith("_"):
                yield finding("public_name", node.lineno, found=name)


def _models_used(draft: Draft) -> set[str]:
    """Models that the input or the output is made of."""
    models, found = draft.tool.models, set[str]()
    waiting = [draft.input_name, draft.output_name]
    while waiting:
        name = waiting.pop()
        if name in models and name not in found:
            found.add(name)
            waiting += [word for one in models[name].fields for word in re.findall(r"\w+", one.type)]
    classes = [node for node in draft.tool.tree.body if isinstance(node, ast.ClassDef)]
    bases = {ast.unparse(base) for node in classes for base in node.bases}
    return found | (bases & set(models))


def _function(draft: Draft) -> Iterator[GateFinding]:
    function = draft.tool.functions.get(draft.name)
    if function is None:
        return
    if not (ast.get_docstring(function) or "").strip():
        yield finding("function_docstring", function.lineno)
    given = function.args
    others = [*given.posonlyargs, *given.kwonlyargs, *given.defaults, given.vararg, given.kwarg]
    taken = given.args[0] if len(given.args) == 1 and not any(others) else None
    right = taken is not None and taken.annotation is not None and _word(taken.annotation) == draft.input_name
    if not right or _word(function.returns) != draft.output_name:
        returns = ast.unparse(function.returns) if function.returns else "?"
        found = f"def {function.name}({ast.unparse(given)}) -> {returns}"
        facts = {"name": draft.name, "given": draft.input_name, "gives": draft.output_name, "found": found}
        yield finding("signature", function.lineno, **facts)


def _word(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node) if node else ""


def _model(draft: Draft, model: ModelRead) -> Iterator[GateFinding]:
    if not model.docstring.strip():
        yield finding("model_docstring", model.line, model=model.name)
    for one in model.fields:
        if one.name.startswith("_"):
            continue
        if not one.type or _OPAQUE.search(one.type) or _BARE.search(one.type):
            yield finding("field_untyped", one.line, model=model.name, field=one.name, found=one.type or "nothing")
        if len(one.description.strip()) < 3:
            yield finding("field_undescribed", one.line, model=model.name, field=one.name)
    node = next(node for node in draft.tool.tree.body if isinstance(node, ast.ClassDef) and node.name == model.name)
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            words = " ".join(ast.unparse(one) for one in item.decorator_list)
            if item.name.startswith("__") or not any(word in words for word in _ALLOWED_METHODS):
                yield finding("overridden", item.lineno, model=model.name, found=item.name)


def _fits(model: ModelRead, wanted: Sequence[Parameter]) -> Iterator[GateFinding]:
    have = {one.name: one for one in model.fields}
    asked = {one.name: one for one in wanted}
    for name, parameter in asked.items():
        if name not in have:
            yield finding("no_field", model.line, model=model.name, field=name)
            continue
        yield from _same(model, have[name], parameter)
    for name in have.keys() - asked.keys():
        yield finding("extra_field", have[name].line, model=model.name, field=name)


def _same(model: ModelRead, have: FieldRead, wanted: Parameter) -> Iterator[GateFinding]:
    facts = {"model": model.name, "field": have.name}
    if have.type and not same_type(have.type, wanted.type):
        yield finding("field_type", have.line, found=have.type, wanted=wanted.type, **facts)
    unit = wanted.unit.strip()
    if unit.lower() not in _UNITLESS and have.description and not names_unit(have.description, unit):
        yield finding("field_unit", have.line, unit=unit, **facts)


def same_type(found: str, wanted: str) -> bool:
    """Whether an annotation is the contract's type, constraints and order of alternatives aside."""
    return _alternatives(found) == _alternatives(wanted) or _loose(found) == _loose(wanted)


def _alternatives(text: str) -> frozenset[str]:
    """The parts of ``a | b | None``, each in one spelling."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return frozenset((text.strip(),))
    return frozenset(_spelled(one) for one in _split(node))


def _split(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _split(node.left)
        yield from _split(node.right)
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Optional"):
        yield from _split(node.slice)
        yield ast.Constant(None)
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Union"):
        for one in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            yield from _split(one)
    else:
        yield node


def _spelled(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        name = ast.unparse(node.value).rsplit(".", 1)[-1]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Annotated":
            return _spelled(inner[0])
        if name == "Literal":
            return f"Literal[{', '.join(sorted(ast.unparse(one) for one in inner))}]"
        parts = ["|".join(sorted(_alternatives(ast.unparse(one)))) for one in inner]
        return f"{name.lower() if name in ('List', 'Dict', 'Tuple') else name}[{', '.join(parts)}]"
    word = ast.unparse(node).rsplit(".", 1)[-1]
    return _PLAIN.get(word, word)


def _loose(text: str) -> str:
    """As above with every ``Literal`` of words read as ``str``: a contract may say either."""
    words = re.sub(r"(typing\.)?Literal\[\s*['\"][^\]]*\]", "str", text)
    numbers = re.sub(r"(typing\.)?Literal\[[^\]]*\]", "int", words)
    return "|".join(sorted(_alternatives(numbers)))


def names_unit(description: str, unit: str) -> bool:
    """Whether a description names a unit, in its letters or its plural, spaces aside."""
    said = re.sub(r"\s+", "", description).lower()
    for spelling in {unit, unit.replace("^", ""), unit.replace("**", "^"), *_SPELT.get(unit.lower(), ())}:
        word = re.sub(r"\s+", "", spelling).lower()
        if word in said:
            return True
    return False


_SPELT = {
    "angstrom": ("å", "Å"), "1/cm": ("cm^-1", "cm-1", "wavenumber"), "cm^-1": ("1/cm", "cm-1", "wavenumber"),
    "s": ("second",), "k": ("kelvin",), "ev": ("electronvolt",), "rad": ("radian",), "hartree": ("ha",),
}  # fmt: skip


SECONDS = 30.0
_BOTH = "E9,F,BLE,S,T20,NPY,B006,B015,B017,B018,B023,PLE"
SOURCE_RULES, TEST_RULES = f"{_BOTH},ANN,PTH,D100,D101,D103,D419", _BOTH
# S101: own rules see to asserts. S311: numbers of physics are no secrets. ANN401, D: seen to by the form.
IGNORED = "ANN401,S101,S311,S105,S106,S107,S108,S103,NPY002,F722"
TEST_IGNORED = f"{IGNORED},F811"


def check_lint(draft: Draft) -> Iterator[GateFinding]:
    """Ruff's findings, tests after the source."""
    yield from _ruff(draft.candidate.source, f"{draft.name}.py", SOURCE_RULES, IGNORED)
    yield from _ruff(draft.candidate.tests, f"test_{draft.name}.py", TEST_RULES, TEST_IGNORED)


def _ruff(text: str, name: str, select: str, ignore: str) -> Iterator[GateFinding]:
    words = [_program(), "check", "--isolated", "--no-cache", "--select", select, "--ignore", ignore]
    words += ["--output-format", "json", "--target-version", "py311", "--stdin-filename", name, "-"]
    done = subprocess.run(words, input=text.encode(), capture_output=True, timeout=SECONDS, check=False)
    if done.returncode not in (0, 1):
        raise InputError(f"ruff could not look at {name}: {done.stderr.decode(errors='replace')[-500:]}")
    where = " (in the tests)" if select == TEST_RULES else ""
    for one in json.loads(done.stdout):
        line = int((one.get("location") or {}).get("row", 0))
        yield finding("lint", line, code=one.get("code") or "syntax", error=f"{one.get('message', '')}{where}")


@cache
def _program() -> str:
    from ruff.__main__ import find_ruff_bin  # type: ignore[import-untyped]

    return str(find_ruff_bin())
