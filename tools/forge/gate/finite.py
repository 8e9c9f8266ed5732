"""Inside a job's process: whether an input refuses what is no finite number, in each of its fields.

NaN passes every comparison that asks whether something is too large, so a tool that does not refuse it gives NaN, or a
wrong number, without a word. JSON has no such numbers either. Inputs that the tests made are taken, and one number
after the other is replaced; numbers that no test ever gave are judged by what their model says.
"""

from __future__ import annotations

import json
import math
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel

Path = tuple[str | int, ...]
ODD = {"NaN": math.nan, "infinity": math.inf, "minus infinity": -math.inf}
MOST = 10  # fields that are named
_BOUNDS = (("gt", "ge"), ("lt", "le"))


def unguarded(model: type[BaseModel], inputs: list[str]) -> list[dict[str, str]]:
    """Fields that take a number that is not finite: ``field`` and what it takes, ``takes``.

    Args:
        model: the tool's input.
        inputs: sound ones, as JSON.
    """
    found: list[dict[str, str]] = []
    seen: set[str] = set()
    for text in inputs:
        for pattern, path in _numbers(model.model_validate_json(text)):
            if pattern in seen:
                continue
            seen.add(pattern)
            taken = [word for word, odd in ODD.items() if _takes(model, text, path, odd)]
            found += [{"field": pattern, "takes": taken[0]}] if taken else []
    unseen = ({"field": one, "takes": "NaN"} for one in _open(model, "", False, ()) if one not in seen)
    return [*found, *unseen][:MOST]


def _takes(model: type[BaseModel], text: str, path: Path, odd: float) -> bool:
    data = json.loads(text)
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = odd
    try:
        model.model_validate(data)
    except (ValueError, RuntimeError):
        return False
    return True


def _numbers(value: Any, pattern: str = "", path: Path = ()) -> Iterator[tuple[str, Path]]:
    """Where the numbers of an input are: by fields alone, and exactly."""
    if isinstance(value, float):
        yield pattern, path
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _numbers(getattr(value, name), f"{pattern}.{name}".lstrip("."), (*path, name))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _numbers(one, f"{pattern}{{}}", (*path, str(key)))
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from _numbers(one, f"{pattern}[]", (*path, number))


def _open(kind: Any, pattern: str, guarded: bool, within: tuple[type[BaseModel], ...]) -> Iterator[str]:
    """Patterns of all numbers below a type whose model says nothing against NaN."""
    origin, inside = get_origin(kind), get_args(kind)
    if kind is float:
        yield from () if guarded else (pattern,)
    elif origin is Annotated:
        yield from _open(inside[0], pattern, guarded or _refuses(inside[1:]), within)
    elif origin in (typing.Union, types.UnionType):
        for one in inside:
            yield from _open(one, pattern, guarded, within)
    elif origin is not Literal and origin is not None and inside:
        mapping = issubclass(origin, dict) if isinstance(origin, type) else False
        for one in inside[1:] if mapping else inside:
            yield from _open(one, f"{pattern}{'{}' if mapping else '[]'}", guarded, within)
    elif isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in within:
        refuses = kind.model_config.get("allow_inf_nan") is False
        for name, field in kind.model_fields.items():
            told = refuses or _refuses(field.metadata)
            yield from _open(field.annotation, f"{pattern}.{name}".lstrip("."), told, (*within, kind))


def _refuses(metadata: Iterable[Any]) -> bool:
    """Whether ``Field(...)`` says that a number is finite, or bounds it on both sides."""
    told = [part for one in metadata for part in getattr(one, "metadata", [one])]
    bounds = [any(getattr(one, word, None) is not None for one in told for word in pair) for pair in _BOUNDS]
    return any(getattr(one, "allow_inf_nan", None) is False for one in told) or all(bounds)
