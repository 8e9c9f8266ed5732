"""Read specifications from YAML and from Markdown with YAML front matter; every mistake is named with its line."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from yaml.nodes import Node, ScalarNode, SequenceNode

from labwright.tools.specifications.base import Path, Problem, SpecificationError

LONGEST = 200_000  # characters of one document
FENCE = "---"
DEEPEST = 30  # levels of one document; a plan has seven
OPENING = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
CLOSING = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
REFUSED: tuple[tuple[Any, str], ...] = (
    ((yaml.AnchorToken, yaml.AliasToken), "anchors and aliases are not read"),
    (yaml.TagToken, "tags such as !!int are not read"),
)
M = TypeVar("M", bound=BaseModel)


class Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML 1.2's scalars: ``on``, ``yes`` and ``no`` are words, ``1e-3`` is a number."""


class Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes what `Loader` reads back."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """Values that are one object are written out each time, since anchors are not read."""
        return True

    def serialize(self, node: Node) -> None:
        node.flow_style = False  # a short document, too, has one line a field
        super().serialize(node)


def _set_scalars(kind: Any) -> None:
    kind.yaml_implicit_resolvers = {}
    kind.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false|True|False)$"), list("tfTF"))
    kind.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))
    number = r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"
    kind.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(number), list("-+0123456789."))
    kind.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])


def _text(dumper: Dumper, text: str) -> Node:
    """Several lines as a block; line ends of other alphabets stand between double quotes, where they are escaped."""
    plain = "\n" in text and text.splitlines() == text.removesuffix("\n").split("\n")
    style = '"' if set(text) & set("\x85\u2028\u2029") else "|" if plain else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_set_scalars(Loader)
_set_scalars(Dumper)
Dumper.add_representer(str, _text)


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
        lines: dict[Path, int] = {}
        data = _plain(_composed(front), (), lines, first)
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
        raise SpecificationError(list(problems_of(error, kind, data)), name, lines) from error


def problems_of(error: ValidationError, kind: type[BaseModel], data: Any) -> Iterator[Problem]:
    """Pydantic's findings as problems with a fix, one a field."""
    found: dict[Path, list[Any]] = {}
    for each in error.errors():
        found.setdefault(_place(each, data), []).append(each)
    for path, errors in found.items():
        deeper = any(other[: len(path)] == path for other in found if len(other) > len(path))
        if deeper and all(each["type"] in KINDS for each in errors):  # the other form of a union
            continue
        yield _problem(path, errors, kind)


def _place(each: Any, data: Any) -> Path:
    """Where pydantic's finding is in `data`: without the names of validators and of a union's members."""
    path: list[str | int] = []
    for part in (*each["loc"], *getattr(each.get("ctx", {}).get("error"), "path", ())):
        if part in data if isinstance(data, dict) else isinstance(data, list) and part in range(len(data)):
            data = data[part]
            path.append(part)
    return (*path, each["loc"][-1]) if each["type"] == "missing" else tuple(path)


KINDS = {  # pydantic's type of error -> what is wanted
    "bool_type": "yes or no",
    "bool_parsing": "yes or no",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "fields",
}


def _problem(path: Path, errors: Sequence[Any], kind: type[BaseModel]) -> Problem:
    first = next((each for each in errors if each["type"] not in KINDS), errors[0])
    shown = textwrap.shorten(repr(first.get("input")), 80, placeholder="...")
    if path and (tail := str(path[-1])).count(")") + tail.count("]") > tail.count("(") + tail.count("["):
        fix = 'Inside { } or [ ] an expression with a comma needs quotation marks: {of: "f(a, b)"}.'
        return Problem(path[:-1], f"An expression is cut at its comma, before {tail!r}.", fix)
    if first["type"] == "extra_forbidden":
        return Problem(path, "There is no such field.", _nearest(str(path[-1]), _fields(kind, path[:-1])))
    if first["type"] == "missing":
        return Problem(path, "It is missing.", "Add it.")
    if first["type"] == "value_error":  # says what to write itself; the value may be a secret
        error = first["ctx"]["error"]
        return Problem(path, getattr(error, "message", str(error)), getattr(error, "fix", ""))
    if first["type"] in KINDS:
        wanted = list(dict.fromkeys(KINDS[each["type"]] for each in errors if each["type"] in KINDS))
        return Problem(path, f"It is {shown}.", f"Write {' or '.join(wanted)}.")
    wanted_text = first["msg"].replace("Input should", "It should").replace(" after validation", "")
    return Problem(path, f"It is {shown}.", f"{wanted_text}.")


def _fields(kind: Any, path: Path) -> list[str]:
    """The fields of the model at `path` below `kind`; none if it is not a model's."""
    for part in path:
        if isinstance(part, str) and isinstance(kind, type) and issubclass(kind, BaseModel):
            fields = {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
            kind = _model(fields.get(part))
    is_model = isinstance(kind, type) and issubclass(kind, BaseModel)
    return [field.alias or name for name, field in kind.model_fields.items()] if is_model else []


def _model(annotation: Any) -> Any:
    """The first model within an annotation, such as `Step` of ``list[str | Step]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model, get_args(annotation))), None)


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"Did you mean {near[0]!r}?" if near else (f"Fields are: {', '.join(known)}." if known else "Remove it.")


def to_yaml(data: dict[str, Any]) -> str:
    """`data` as YAML that `read_document` reads back to equal values."""
    text = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    return str(text)


def _wrong(message: str, fix: str, name: str) -> SpecificationError:
    return SpecificationError([Problem((), message, fix)], name)


def plain_value(text: str) -> Any:
    """The plain value of a short YAML text, such as ``300``, ``[Q1, Q2]`` or ``300 us``; the text itself otherwise."""
    try:
        node = _composed(text)
        return None if node is None else _plain(node, (), {}, 0)
    except yaml.YAMLError:
        return text


def _composed(text: str) -> Node | None:
    """The nodes of `text`; a short text cannot become a huge one, a deep one, or anything but plain values."""
    depth = 0
    for token in yaml.scan(text):
        depth += isinstance(token, OPENING) - isinstance(token, CLOSING)
        why = next((why for kinds, why in REFUSED if isinstance(token, kinds)), "")
        if depth > DEEPEST or why:
            why = why or f"more than {DEEPEST} levels are not read"
            raise yaml.MarkedYAMLError(problem=why, problem_mark=token.start_mark)
    return yaml.compose(text, Loader)


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
        name = key.value
        if not isinstance(key, ScalarNode):
            raise yaml.constructor.ConstructorError(problem="a field's name must be text", problem_mark=key.start_mark)
        if name in found:
            raise yaml.constructor.ConstructorError(problem=f"{name!r} comes twice", problem_mark=key.start_mark)
        lines[(*path, name)] = key.start_mark.line + 1 + first
        found[name] = _plain(value, (*path, name), lines, first)
    return found


def _scalar(node: ScalarNode) -> Any:
    try:
        return Loader("").construct_object(node)
    except ValueError as error:  # a whole number of thousands of digits
        raise yaml.constructor.ConstructorError(
            problem="the number is too long", problem_mark=node.start_mark
        ) from error
