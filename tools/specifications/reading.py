"""Read specifications from YAML and from Markdown with YAML front matter; every mistake is named with its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from yaml.nodes import Node, ScalarNode, SequenceNode

from labwright.tools.specifications.base import Path, Problem, SpecificationError

LONGEST = 200_000  # characters of one document
FENCE = "---"
PLAIN_TYPES = ("str", "int", "float", "bool", "function-after", "nullable")
M = TypeVar("M", bound=BaseModel)


class Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML 1.2's scalars: ``on``, ``yes`` and ``no`` are words, ``1e-3`` is a number."""


class Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes what `Loader` reads back."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def serialize(self, node: Node) -> None:
        node.flow_style = False  # a short document, too, has one line a field
        super().serialize(node)


def _text(dumper: Dumper, value: str) -> Node:
    """Text of several lines as a block."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


Dumper.add_representer(str, _text)


def _set_scalars(kind: Any) -> None:
    import re

    kind.yaml_implicit_resolvers = {}
    kind.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false|True|False)$"), list("tfTF"))
    kind.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))
    number = r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"
    kind.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(number), list("-+0123456789."))
    kind.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])


_set_scalars(Loader)
_set_scalars(Dumper)


@dataclass(frozen=True, slots=True)
class Document:
    """A document as plain values, with the line of each field (from 1), and the prose behind its front matter."""

    data: dict[str, Any]
    lines: dict[Path, int]
    prose: str = ""


def read_document(text: str, name: str = "") -> Document:
    """The YAML of `text`, or the front matter of a Markdown text.

    Raises:
        SpecificationError: too long, malformed, anchors, a field twice, or not a mapping.
    """
    if len(text) > LONGEST:
        raise _wrong(f"It has {len(text)} characters; at most {LONGEST} are read.", "Split it.", name)
    front, prose = split_front_matter(text)
    first = text[: text.index(front)].count("\n") if prose and front else 0
    try:
        _refuse_anchors(front)
        node = yaml.compose(front, Loader)
        lines: dict[Path, int] = {}
        data = _plain(node, (), lines, first)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1 + first}, column {mark.column + 1}: " if mark else ""
        fix = "Check indentation and quotes; quote a text that has ': ' in it."
        raise _wrong(f"{where}not YAML: {getattr(error, 'problem', error)}.", fix, name) from error
    if not isinstance(data, dict):
        raise _wrong("It is not a mapping of fields.", "Begin with `system: ...`.", name)
    return Document(data, lines, prose)


def split_front_matter(text: str) -> tuple[str, str]:
    """(YAML, prose) of a Markdown text that begins with ``---``; (the text, "") of any other."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != FENCE:
        return text, ""
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            return "".join(lines[1:number]), "".join(lines[number + 1 :]) or "\n"
    return text, ""


def is_document(text: str) -> bool:
    """Whether `text` is a written specification: front matter, or YAML that says which system it is for."""
    head = [line for line in text.lstrip().splitlines()[:40] if not line.startswith("#")]
    return bool(head) and (head[0].rstrip() == FENCE or any(line.startswith(("system:", "spec:")) for line in head))


def validated(kind: type[M], data: dict[str, Any], name: str = "", lines: dict[Path, int] | None = None) -> M:
    """`data` as a `kind`.

    Raises:
        SpecificationError: a field is missing, unknown, or has the wrong type; one problem each.
    """
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise SpecificationError(list(problems_of(error, kind)), name, lines) from error


def problems_of(error: ValidationError, kind: type[BaseModel]) -> Iterator[Problem]:
    """Pydantic's findings as problems with a fix; of a value with several forms, those of the form it comes nearest."""
    types = {*PLAIN_TYPES, *kind.model_json_schema().get("$defs", {})}
    found = [(_path(each["loc"], types), each) for each in error.errors()]
    for number, (path, each) in enumerate(found):
        inside = any(len(other) > len(path) and other[: len(path)] == path for other, _ in found)
        said = any(other == path for other, _ in found[:number])
        if each["type"].endswith("_type") and (said or (inside and isinstance(each.get("input"), dict))):
            continue  # another form of the same value
        shown = repr(each.get("input"))
        if each["type"] == "extra_forbidden":
            yield Problem(path, "There is no such field.", _nearest(str(path[-1]), kind, path[:-1]))
        elif each["type"] == "missing":
            yield Problem(path, "It is missing.", "Add it.")
        else:
            yield Problem(path, f"{each['msg'].removeprefix('Value error, ').rstrip('.')}.", f"It is {shown[:80]}.")


def _path(loc: tuple[str | int, ...], types: set[str]) -> Path:
    """A finding's place without the names of types that pydantic puts between fields."""
    return tuple(part for part in loc if isinstance(part, int) or not (part in types or "[" in part))


def _nearest(name: str, kind: type[BaseModel], path: Path) -> str:
    import difflib

    known = [field.alias or each for model in _models_at(kind, path) for each, field in model.model_fields.items()]
    near = difflib.get_close_matches(name, known, 1)
    return (
        f"Did you mean {near[0]!r}?" if near else ("Fields are: " + ", ".join(known) + "." if known else "Remove it.")
    )


def _models_at(kind: type[BaseModel], path: Path) -> list[type[BaseModel]]:
    """The models that may stand at `path` of a `kind`."""
    here = [kind]
    for part in path:
        if isinstance(part, str):
            fields = [
                field for model in here for name, field in model.model_fields.items() if part in (name, field.alias)
            ]
            here = [model for field in fields for model in _models_in(field.annotation)]
    return here


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def to_yaml(data: dict[str, Any]) -> str:
    """`data` as YAML that `read_document` reads back to equal values."""
    text = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    return str(text)


def _wrong(message: str, fix: str, name: str) -> SpecificationError:
    return SpecificationError([Problem((), message, fix)], name)


def _refuse_anchors(text: str) -> None:
    """A short text must not become a huge one."""
    for token in yaml.scan(text):
        if isinstance(token, (yaml.AnchorToken, yaml.AliasToken)):
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not read", problem_mark=token.start_mark)


def _plain(node: Node | None, path: Path, lines: dict[Path, int], first: int) -> Any:
    """Values of a node; notes the line of each."""
    if node is None:
        return {}
    if path or path not in lines:
        lines.setdefault(path, node.start_mark.line + 1 + first)
    if isinstance(node, ScalarNode):
        return _scalar(node)
    if isinstance(node, SequenceNode):
        return [_plain(child, (*path, number), lines, first) for number, child in enumerate(node.value)]
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = str(_scalar(key)) if isinstance(key, ScalarNode) else "?"
        if name in found:
            raise yaml.constructor.ConstructorError(problem=f"{name!r} comes twice", problem_mark=key.start_mark)
        lines[(*path, name)] = key.start_mark.line + 1 + first
        found[name] = _plain(value, (*path, name), lines, first)
    return found


def _scalar(node: ScalarNode) -> Any:
    return Loader("").construct_object(node)
