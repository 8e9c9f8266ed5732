"""What a tool's text says of itself, read from its syntax tree; nothing is imported or run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 200_000  # letters of a source


@dataclass(frozen=True, slots=True)
class FieldRead:
    """A field of a pydantic model as it is written.

    Attributes:
        type: annotation with the module's own aliases written out; empty if there is none.
        description: of ``Field(description=...)``; empty if there is none.
        default: its text; None if the field must be given.
    """

    name: str
    type: str
    description: str
    default: str | None
    line: int


@dataclass(frozen=True, slots=True)
class ModelRead:
    """A pydantic model as it is written."""

    name: str
    docstring: str
    fields: tuple[FieldRead, ...]
    line: int


@dataclass(frozen=True, slots=True)
class ToolRead:
    """A tool's text.

    Attributes:
        docstring: of the module.
        models: by name, inherited fields included.
        functions: at the top, by name.
    """

    tree: ast.Module
    docstring: str
    models: dict[str, ModelRead]
    functions: dict[str, ast.FunctionDef]


def camel(name: str) -> str:
    """``plot_lines`` -> ``PlotLines``."""
    return "".join(word.capitalize() for word in name.split("_"))


def parse(text: str, name: str) -> ast.Module:
    """The syntax tree of `text`.

    Raises:
        SyntaxError: it has none, nests deeper than the parser goes, or is longer than `LONGEST`.
    """
    if len(text) > LONGEST:
        raise SyntaxError(f"The text is longer than {LONGEST} letters.")
    try:
        compile(text, name, "exec", dont_inherit=True)
        return ast.parse(text, name)
    except SyntaxError:
        raise
    except (ValueError, RecursionError, MemoryError) as wrong:  # null bytes; nesting that the parser refuses
        raise SyntaxError(str(wrong) or type(wrong).__name__) from wrong


def read_tool(tree: ast.Module) -> ToolRead:
    """What the tree of a tool holds."""
    single = [node for node in tree.body if isinstance(node, ast.Assign) and len(node.targets) == 1]
    aliases = {one.targets[0].id: one.value for one in single if isinstance(one.targets[0], ast.Name)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    models = {
        name: ModelRead(name, ast.get_docstring(node) or "", tuple(_fields(node, classes, aliases)), node.lineno)
        for name, node in classes.items()
        if is_model(node, classes)
    }
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return ToolRead(tree, ast.get_docstring(tree) or "", models, functions)


def is_model(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> bool:
    """Whether the class derives from ``BaseModel``, by itself or through another class of the module."""
    seen, waiting = set(), [node]
    while waiting:
        for base in waiting.pop().bases:
            word = ast.unparse(base).rsplit(".", 1)[-1]
            if word == "BaseModel":
                return True
            if word in classes and word not in seen:
                seen.add(word)
                waiting.append(classes[word])
    return False


def _fields(node: ast.ClassDef, classes: dict[str, ast.ClassDef], aliases: dict[str, ast.expr]) -> Iterator[FieldRead]:
    annotated = [item.target for item in node.body if isinstance(item, ast.AnnAssign)]
    own = {one.id for one in annotated if isinstance(one, ast.Name)}
    for base in node.bases:
        parent = classes.get(ast.unparse(base))
        if parent is not None and parent is not node:
            yield from (one for one in _fields(parent, classes, aliases) if one.name not in own)
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if ast.unparse(item.annotation).startswith(("ClassVar", "typing.ClassVar")):
                continue
            yield _field(item, item.target.id, aliases)
        elif isinstance(item, ast.Assign):
            for target in item.targets:
                if isinstance(target, ast.Name) and target.id != "model_config":
                    yield FieldRead(target.id, "", "", ast.unparse(item.value), item.lineno)


def _field(item: ast.AnnAssign, name: str, aliases: dict[str, ast.expr]) -> FieldRead:
    annotation, calls = item.annotation, [item.value]
    written = _Expanded(aliases).visit(ast.parse(ast.unparse(annotation), mode="eval").body)
    if isinstance(written, ast.Subscript) and ast.unparse(written.value).endswith("Annotated"):
        inner = written.slice.elts if isinstance(written.slice, ast.Tuple) else [written.slice]
        written, calls = inner[0], [*inner[1:], item.value]
    description, default = "", None
    for call in calls:
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("Field"):
            given = {word.arg: word.value for word in call.keywords if word.arg}
            description = description or _text(given.get("description"))
            first = call.args[0] if call.args else given.get("default", given.get("default_factory"))
            if first is not None and not (isinstance(first, ast.Constant) and first.value is ...):
                default = ast.unparse(first)
        elif call is not None and call is item.value:
            default = ast.unparse(call)
    return FieldRead(name, ast.unparse(written), description, default, item.lineno)


class _Expanded(ast.NodeTransformer):
    """Writes out the module's aliases, such as ``_Matrix = list[list[float]]``."""

    def __init__(self, aliases: dict[str, ast.expr]) -> None:
        self._aliases, self._depth = aliases, 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = self._aliases.get(node.id)
        if found is None or self._depth > 8:
            return node
        self._depth += 1
        written: ast.expr = self.visit(ast.parse(ast.unparse(found), mode="eval").body)
        self._depth -= 1
        return written

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if ast.unparse(node.value).rsplit(".", 1)[-1] == "Literal":
            return node  # its texts are values, no quoted annotations
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, str):
            return node
        try:  # a quoted annotation
            written: ast.expr = ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return node
        return self.visit(written) if isinstance(written, ast.Name | ast.Subscript | ast.BinOp) else written


def _text(node: ast.expr | None) -> str:
    """The text of a literal, of joined literals, and the fixed part of an f-string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    return ""


def modules_imported(tree: ast.AST) -> dict[str, int]:
    """Dotted modules that the text imports -> first line; ``from a.b import c`` counts as ``a.b``."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.setdefault(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            found.setdefault("." * node.level + (node.module or ""), node.lineno)
    return found


def tools_imported(tree: ast.AST) -> dict[str, int]:
    """Modules below ``tools`` that the text imports -> first line; ``from tools.a import b`` may mean a.b or a."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "tools":
                    found.setdefault(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tools":
            found.setdefault(node.module or "", node.lineno)
            for alias in node.names:
                found.setdefault(f"{node.module}.{alias.name}", node.lineno)
    return found
