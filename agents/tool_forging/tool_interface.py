"""What a tool's source says goes in and comes out, read without importing it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from labwright.tools.errors import InputError


@dataclass(frozen=True, slots=True)
class Interface:
    """A tool's public function: names of its two models, and of their fields in order."""

    input: str
    output: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def read_interface(source: str, name: str) -> Interface:
    """The interface of the function `name` in `source`.

    Raises:
        InputError: there is no such function of one model that returns a model.
        SyntaxError: the source does not parse.
    """
    tree = ast.parse(source)
    function = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
    if function is None:
        raise InputError(f"The source defines no function {name}.")
    models = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    takes = [ast.unparse(one.annotation) for one in function.args.args if one.annotation is not None]
    gives = ast.unparse(function.returns) if function.returns is not None else ""
    if len(takes) != 1 or takes[0] not in models or gives not in models:
        raise InputError(f"{name} must take one model of its module and return one.")
    return Interface(takes[0], gives, _fields(models, takes[0]), _fields(models, gives))


def _fields(models: dict[str, ast.ClassDef], name: str) -> tuple[str, ...]:
    """Fields of a model, those of its bases in the same module first."""
    node = models[name]
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in models]
    own = [
        one.target.id
        for one in node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id != "model_config"
    ]
    return (*(field for base in bases for field in _fields(models, base)), *own)


def shown(source: str, name: str, module: str) -> str:
    """How a script calls a tool: where it is imported from, its models and its signature, with their docstrings."""
    tree = ast.parse(source)
    kept = [node for node in tree.body if isinstance(node, ast.ClassDef) or getattr(node, "name", "") == name]
    for node in kept:
        if isinstance(node, ast.FunctionDef):
            node.body = node.body[: 1 if ast.get_docstring(node) else 0] or [ast.Expr(ast.Constant(...))]
        elif isinstance(node, ast.ClassDef):  # validators say nothing that fields do not
            node.body = [one for one in node.body if not isinstance(one, ast.FunctionDef)] or [ast.Pass()]
    about = ast.get_docstring(tree) or ""
    return f"# from {module} import ...\n# {about}\n{ast.unparse(ast.Module(kept, []))}"
