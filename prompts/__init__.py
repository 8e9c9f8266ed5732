"""Prompts as data: ``<system>/<role>.md`` with named blanks, in two parts.

The part above the line ``---user---`` is the system message: who speaks, the rules, how to answer. The part below
is the user message: the case at hand, one blank for each field of the call's input. `reply.md` is appended to every
system message. A blank is written ``{{ field | data("field") }}``, which puts the value as JSON into a delimited
block, so that text that came from outside stays recognisable as data.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    Template,
    TemplateNotFound,
    TemplateSyntaxError,
    UndefinedError,
)
from jinja2.meta import find_undeclared_variables

FOLDER = Path(__file__).resolve().parent
SEPARATOR = "---user---"
REPLY = "reply.md"  # how to read data blocks and how to answer; the same for every role
_BLOCK = re.compile(r'<data name="([A-Za-z0-9_]+)">\n(.*?)\n</data>', re.DOTALL)


class PromptError(Exception):
    """A prompt file is missing, malformed, or was not given all its blanks; names the file."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt with its blanks filled."""

    system: str
    user: str


def render(path: str, **fields: Any) -> Rendered:
    """The prompt file `path` (relative to this folder, or absolute) with its blanks filled by `fields`.

    Raises:
        PromptError: no such file, not two parts, or a blank without a field; names file and blank.
    """
    return render_text(_source(path), fields, path)


def render_text(source: str, fields: dict[str, Any], path: str = "text") -> Rendered:
    """A prompt given as text with its blanks filled; `path` is what an error calls it."""
    parts = [part.strip() for part in re.split(rf"^{SEPARATOR}\s*$", source, flags=re.MULTILINE)]
    if len(parts) != 2 or not all(parts):
        raise PromptError(f"Prompt {path} must have two parts with one line {SEPARATOR!r} between them.")
    system = "\n\n".join((_fill(parts[0], fields, path), _source(REPLY).strip()))
    return Rendered(system, _fill(parts[1], fields, path))


def blanks(path: str) -> frozenset[str]:
    """Names of the blanks in a prompt file."""
    return frozenset(find_undeclared_variables(_environment().parse(_source(path))))


def paths() -> tuple[str, ...]:
    """All prompt files, as `render` wants them."""
    return tuple(sorted(p.relative_to(FOLDER).as_posix() for p in FOLDER.glob("*/**/*.md")))


def sha256(path: str) -> str:
    """Digest of a prompt file, as `render` finds it."""
    return hashlib.sha256(_source(path).encode()).hexdigest()


def data_block(value: Any, name: str) -> str:
    """`value` as JSON between ``<data name="...">`` and ``</data>``.

    A closing tag inside becomes ``<\\/data``, which is the same text to JSON, so no text can close its own block.
    """
    return f'<data name="{name}">\n{_json(value)}\n</data>'


def read_blocks(text: str) -> dict[str, Any]:
    """The values of all data blocks in a rendered prompt, by name."""
    return {name: json.loads(body) for name, body in _BLOCK.findall(text)}


def _json(value: Any) -> str:
    if isinstance(value, StrictUndefined):
        str(value)  # raises UndefinedError with the blank's name
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=True).replace("</", "<\\/")


def _fill(source: str, fields: dict[str, Any], path: str) -> str:
    try:
        return _compiled(source).render(fields).strip()
    except UndefinedError as error:
        raise PromptError(f"Prompt {path} has an unfilled blank: {error}. Filled are: {sorted(fields)}.") from error
    except TemplateSyntaxError as error:
        raise PromptError(f"Prompt {path} does not parse, line {error.lineno}: {error}.") from error


def _source(path: str) -> str:
    if Path(path).is_absolute() and Path(path).is_file():
        return Path(path).read_text(encoding="utf-8")  # somebody's own role, outside the package
    try:
        return str(_environment().loader.get_source(_environment(), path)[0])  # type: ignore[union-attr]
    except TemplateNotFound:
        raise PromptError(f"There is no prompt {path!r}. It belongs at prompts/{path}.") from None


@lru_cache(maxsize=256)
def _compiled(source: str) -> Template:
    return _environment().from_string(source)  # milliseconds; jinja2 keeps only templates that it loads by name


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(FOLDER)
    environment = Environment(undefined=StrictUndefined, loader=loader, trim_blocks=True, lstrip_blocks=True)
    environment.filters["data"] = data_block
    environment.filters["json"] = _json
    return environment
