"""Inside a job's process: what stands between the tests and the tool, and sees each call."""

from __future__ import annotations

import json
import math
import time
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel

PLACE = "<folder>"  # stands for the folder of the job where a path crosses processes
MOST_CALLS = 1000  # that are noted
MOST_KEPT = 8_000_000  # characters of the inputs and outputs of all


class Hollow(BaseException):
    """Raised in place of every result when it is asked which tests would notice."""


class Guard:
    """Wraps the tool's function.

    In the mode ``baseline`` the output goes through JSON before a test sees it, so that nothing but plain data can
    answer an assertion, and each call is noted. In ``hollow`` nothing is ever returned. In ``mutant`` it stands aside.

    Attributes:
        test: the test that runs now.
        flags: what was seen to be wrong in any call: rule -> words.
    """

    def __init__(self, module: ModuleType, name: str, root: Path, *, mode: str) -> None:
        self._module, self._name, self._root, self._mode = module, name, str(root), mode
        self._function: Callable[[Any], Any] = getattr(module, name)
        words = "".join(word.capitalize() for word in name.split("_"))
        self._input: type[BaseModel] = getattr(module, words + "Input")
        self._output: type[BaseModel] = getattr(module, words + "Output")
        self.test, self.flags = "", dict[str, str]()
        self._seen: list[dict[str, Any]] = []
        self._kept = 0

    def put_in_place(self) -> None:
        """Before the tests import the tool."""
        if self._mode == "mutant":
            return
        call = self._hollow if self._mode == "hollow" else self._watched
        setattr(self._module, self._name, call)
        if self._mode == "baseline":
            for name in ("model_validate", "model_validate_json", "__init__"):
                setattr(self._input, name, self._watching(getattr(self._input, name)))

    def seen(self) -> list[dict[str, Any]]:
        """The calls: ``test``, ``given`` and ``gave`` as JSON, ``error`` (kinds, message), ``seconds``."""
        return self._seen

    def unguarded(self, inputs: list[str]) -> tuple[list[dict[str, str]], list[str]]:
        """Fields of the input that take a number that is not finite, and the inputs that were refused, as JSON."""
        return unguarded(self._input, [text.replace(PLACE, self._root) for text in inputs])

    def _hollow(self, *args: Any, **named: Any) -> Any:
        self._note(given="")
        raise Hollow("the tool gave nothing")

    def _watched(self, *args: Any, **named: Any) -> Any:
        given = args[0] if args else next(iter(named.values()), None)
        text = given.model_dump_json() if isinstance(given, BaseModel) else ""
        if type(given) is not self._input:
            self.flags.setdefault("odd_input", self.test)
        began = time.perf_counter()
        try:
            out = self._function(*args, **named)
        except BaseException as error:
            self._note(given=text, error=_kinds(error), seconds=time.perf_counter() - began)
            raise
        seconds = time.perf_counter() - began
        if isinstance(given, BaseModel) and given.model_dump_json() != text:
            self.flags.setdefault("changes_input", self.test)
        plain = self._plain(out)
        self._note(given=text, gave=plain.model_dump_json() if plain else "", seconds=seconds)
        return plain if plain is not None else out

    def _plain(self, out: Any) -> BaseModel | None:
        """The output after a journey through JSON; None, with a flag, if it does not survive it."""
        if type(out) is not self._output:
            self.flags.setdefault("not_plain", f"it is a {type(out).__name__}, no {self._output.__name__}")
            return None
        if where := _not_finite(out.model_dump(), ""):
            self.flags.setdefault("not_plain", f"`{where}` is not finite")
            return None
        try:
            text = out.model_dump_json()
            again: BaseModel = self._output.model_validate_json(text)
            if json.loads(text) != json.loads(json.dumps(values(out))):
                raise ValueError("what it says of itself is not what its fields hold")
        except Exception as wrong:  # noqa: BLE001 - whatever its validators raise
            self.flags.setdefault("not_plain", str(wrong)[:300])
            return None
        if again.model_dump_json() != text:
            self.flags.setdefault("not_plain", "it reads back as something else")
        return again

    def _note(self, given: str, **more: Any) -> None:
        self._kept += len(given) + len(more.get("gave", ""))
        if len(self._seen) >= MOST_CALLS or self._kept > MOST_KEPT:
            given, more = "", {key: value for key, value in more.items() if key in ("error", "seconds")}
            self.flags.setdefault("too_much", self.test)
        one = {"test": self.test, "given": given.replace(self._root, PLACE), **more}
        if "gave" in one:
            one["gave"] = one["gave"].replace(self._root, PLACE)
        self._seen.append(one)

    def _watching(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A way of making the input, which notes when that refuses its values."""

        def made(*args: Any, **named: Any) -> Any:
            try:
                return function(*args, **named)
            except BaseException as error:
                self._note(given="", error=_kinds(error))
                raise

        return made


def values(made: Any) -> Any:
    """The fields of an output as who uses it reads them, plain; not as the output writes itself.

    Raises:
        TypeError: one of them only looks plain.
    """
    fields = getattr(type(made), "model_fields", None)
    if fields is not None:
        return {name: values(getattr(made, name)) for name in fields}
    if type(made) is dict:
        return {str(key): values(value) for key, value in made.items()}
    if type(made) in (list, tuple):
        return [values(value) for value in made]
    if made is None or type(made) in (bool, int, float, str):
        return made
    raise TypeError(f"{type(made).__name__} is no plain value")


def _kinds(error: BaseException) -> dict[str, Any]:
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind is not object]
    return {"kinds": kinds, "message": str(error)[:400]}


def _not_finite(value: Any, where: str) -> str:
    """Path to the first number that is not finite; empty if all are."""
    if isinstance(value, float):
        return "" if math.isfinite(value) else where or "value"
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, one in inside:
        if found := _not_finite(one, f"{where}.{key}".lstrip(".")):
            return found
    return ""


Place = tuple[str | int, ...]
ODD = {"NaN": math.nan, "infinity": math.inf, "minus infinity": -math.inf}
MOST = 10  # fields that are named
_BOUNDS = (("gt", "ge"), ("lt", "le"))


def unguarded(model: type[BaseModel], inputs: list[str]) -> tuple[list[dict[str, str]], list[str]]:
    """Fields that take a number that is not finite: ``field`` and what it takes, ``takes``; and what was refused.

    Args:
        model: the tool's input.
        inputs: sound ones, as JSON.
    """
    found: list[dict[str, str]] = []
    refused: list[str] = []
    seen: set[str] = set()
    for text in inputs:
        for pattern, path in _numbers(model.model_validate_json(text)):
            if pattern in seen:
                continue
            seen.add(pattern)
            tried = {word: _with(text, path, odd) for word, odd in ODD.items()}
            taken = [word for word, data in tried.items() if _takes(model, data)]
            refused += [json.dumps(data) for word, data in tried.items() if word not in taken]
            found += [{"field": pattern, "takes": taken[0]}] if taken else []
    unseen = ({"field": one, "takes": "NaN"} for one in _open(model, "", False, ()) if one not in seen)
    return [*found, *unseen][:MOST], refused


def _with(text: str, path: Place, odd: float) -> Any:
    data = json.loads(text)
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = odd
    return data


def _takes(model: type[BaseModel], data: Any) -> bool:
    try:
        model.model_validate(data)
    except (ValueError, RuntimeError):
        return False
    return True


def _numbers(value: Any, pattern: str = "", path: Place = ()) -> Iterator[tuple[str, Place]]:
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
