"""``PATH = VALUE``: correct one field of a specification without a model."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator
from typing import Any

from labwright.tools.specifications.base import Path, Problem, SpecificationError
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.yaml_files import plain_value

MOST = 50  # patches at once
COMMON = ("title", "for", "approval", "mode", "seed", "results")
GENERATED = ("defaults", "procedures")  # written by Labwright, and not shown; only a whole path leads there
STEP = frozenset(field.alias or name for name, field in Step.model_fields.items())


def read_patches(text: str) -> list[tuple[Path, Any]] | None:
    """Patches of a text with one a line; None if any line is not one, or there are too many."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        left, equals, right = line.partition("=")
        path = path_of(left.strip())
        if not equals or not all(map(_is_name, path)) or right[:1] == "=":
            return None
        found.append((path, plain_value(right.strip())))
    return found if 0 < len(found) <= MOST else None


def _is_name(part: str | int) -> bool:
    """Whether a part of a path is a field's name, such as ``bring-up``, or an index."""
    return str(part).replace("_", "").replace("-", "").isalnum()


def path_of(name: str) -> Path:
    """``steps.0.stop``, or ``steps[0].stop``, as a path."""
    parts = name.strip().replace("[", ".").replace("]", "").removeprefix(".").split(".")
    return tuple(int(part) if part.isascii() and part.isdigit() else part for part in parts)


def patched(
    data: dict[str, Any], patches: list[tuple[Path, Any]], known: Collection[str] = COMMON, *, grows: bool = False
) -> dict[str, Any]:
    """A copy of `data` with the patches applied. A path may leave out what is clear: ``stop`` for the one step with it.

    Args:
        data: plain data of a specification.
        patches: path and value of each; a value of None removes the field.
        known: fields at the top that may be set although they are not there yet.
        grows: whether every mapping takes new names.

    Raises:
        SpecificationError: a path leads nowhere, or to several places.
    """
    data = copy.deepcopy(data)
    for path, value in patches:
        where = path if grows and isinstance(_holder(data, path), dict) else _only(data, path, known)
        holder = _holder(data, where)
        if value is None:
            _remove(holder, where[-1])
        elif isinstance(holder, list) and where[-1] == len(holder):
            holder.append(value)
        else:
            holder[where[-1]] = value
    return data


def _remove(holder: Any, last: str | int) -> None:
    if isinstance(holder, dict):
        holder.pop(last, None)
    elif isinstance(last, int) and last < len(holder):
        del holder[last]


def _only(data: dict[str, Any], path: Path, known: Collection[str]) -> Path:
    """The one place that a path means: itself if it is there, else the places that end with it."""
    if _reaches(data, path, known):
        return path
    paths = list(_paths({name: value for name, value in data.items() if name not in GENERATED}, ()))
    ends = [each for each in paths if each[-len(path) :] == path or _abridged(each) == path]
    if len(ends) == 1:
        return ends[0]
    steps = data.get("steps")
    whole = ("steps", 0, *path) if len(path) == 1 and isinstance(steps, list) and len(steps) == 1 else path
    if not ends and len(whole) > 1 and (near := _new_place(data, whole)):
        return near
    shown = ".".join(map(str, path))
    if ends:
        raise SpecificationError([Problem(path, f"{shown} stands in several places.", f"Write one of: {_some(ends)}.")])
    raise SpecificationError([Problem(path, f"There is no field {shown}.", f"Fields are: {_some(paths)}.")])


def _new_place(data: dict[str, Any], path: Path) -> Path | None:
    """A field of a step that is not set yet; ``steps.0.stop`` means ``steps.0.parameters.stop``."""
    *above, last = path
    inside = above[-1:] == ["parameters"]
    step = value_at(data, tuple(above[:-1] if inside else above))
    if not (isinstance(step, dict) and {"experiment", "procedure"} & set(step)):
        return None
    if inside or last not in STEP:
        if not isinstance(step.setdefault("parameters", {}), dict):
            return None
        return (*(above if inside else [*above, "parameters"]), last)
    return path


def put(data: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A copy of `data` with `value` at exactly `path`; mappings on the way are made.

    Raises:
        SpecificationError: there is no such place; the message names those there are.
    """
    data = copy.deepcopy(data)
    holder: Any = data
    part: Any
    for number, part in enumerate(path):
        if not isinstance(holder, dict) and not (isinstance(holder, list) and part in range(len(holder))):
            raise SpecificationError([_nowhere(path, number, holder)])
        if number == len(path) - 1:
            holder[part] = value
        else:
            holder = holder.setdefault(part, {}) if isinstance(holder, dict) else holder[part]
    return data


def _nowhere(path: Path, number: int, holder: Any) -> Problem:
    """What to say where part `number` of the path is not in `holder`: which places are."""
    above, gone = (".".join(map(str, path[:end])) for end in (number, number + 1))
    has = f"{above} has: {', '.join(map(str, range(len(holder))))}." if isinstance(holder, list) else ""
    return Problem(path, f"There is no field {gone}.", has or f"{above} is {holder!r}, which has no fields.")


def _abridged(path: Path) -> Path:
    return tuple(part for part in path if part not in ("parameters",))


def _reaches(data: Any, path: Path, known: Collection[str]) -> bool:
    """Whether the path exists, or only its last field is new in a mapping at the top."""
    if len(path) == 1:
        return path[0] in data or path[0] in known
    holder = value_at(data, path[:-1])
    return (isinstance(holder, dict) and path[-1] in holder) or (
        isinstance(holder, list) and isinstance(path[-1], int) and 0 <= path[-1] <= len(holder)
    )


def value_at(data: Any, path: Path, default: Any = None) -> Any:
    """The value at exactly `path`; `default` if there is no such place."""
    for part in path:
        if isinstance(data, list):
            data = dict(enumerate(data))
        if not isinstance(data, dict) or part not in data:
            return default
        data = data[part]
    return data


def _holder(data: Any, path: Path) -> Any:
    return value_at(data, path[:-1]) if len(path) > 1 else data


def _paths(data: Any, at: Path) -> Iterator[Path]:
    items: Any = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, value in items:
        yield (*at, name)
        yield from _paths(value, (*at, name))


def _some(paths: Any) -> str:
    shown = [".".join(map(str, path)) for path in paths]
    return ", ".join(shown[:12]) + (" ..." if len(shown) > 12 else "")
