"""The tools of this workspace. Each call of one runs in a process of its own, and is recorded.

No code of a tool runs here: ``from tools.NAME import NAME, NameInput`` gives a function and models with the tool's
fields. Making an input sends its values, calling the function sends the input, and both answers come back as plain
data: numbers, words, lists, dicts, models, and the file that a field such as ``path`` names. Each call starts from
nothing: the same input gives the same answer. `in_one_go` asks for many calls at once.

Each call appends one line to ``logs/calls.jsonl`` of the folder that the process was started in: tool, sha256 of its
input, the input's plain fields, seconds, and ok or the name of the exception. At the end of the process
``logs/imports.jsonl`` gets the third-party packages that it and the tools had imported, with their versions.
"""

from __future__ import annotations

import ast
import atexit
import base64
import builtins
import contextlib
import fcntl
import functools
import hashlib
import importlib
import importlib.util
import json
import math
import os
import struct
import subprocess
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import PurePath
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import InitErrorDetails, PydanticCustomError

PACKAGE = "tools"
REQUESTS, REPLIES, LOCK = "tools.in", "tools.out", "tools.lock"  # pipes in the home folder of a confined script
LENGTH = struct.Struct("!II")  # bytes that follow, and their check sum
MARK = b"\0tools\n\0"  # begins each request in the pipe; no JSON holds it, so what a killed process left is skipped
TOKEN = 8  # random bytes behind the mark, with which the reply begins: the answer to another request is skipped
LONGEST_TEXT = 200  # characters of a text field that is kept
LARGEST_FILE = 32 << 20
VERSIONS = "versions.json"  # beside this file: tool -> distribution -> version that it was admitted with
FILES = "@files"  # stands for the folder of the files that an input names
PATH_WORDS = frozenset(("path", "file", "filename", "folder", "directory"))  # in names of fields: ``output_file``
Ask = Callable[[dict[str, Any]], dict[str, Any]]
_began_in = os.getcwd()  # noqa: PTH109 - kept as text: scripts may change the folder later
_complained = False
_packages: dict[str, str] = {}


# Plain data


def encoded(value: Any) -> Any:
    """A value as JSON: what JSON does not have is ``{"$": kind, "of": ...}``.

    Raises:
        TypeError: it is no plain data.
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float):
        plain = float(value)
        return plain if math.isfinite(plain) else {"$": "float", "of": repr(plain)}
    if isinstance(value, BaseModel):
        kind = type(value)
        names = [*kind.model_fields, *kind.model_computed_fields]
        fields = {name: encoded(getattr(value, name)) for name in names}
        given = sorted(set(names) & value.model_fields_set)
        return {"$": "model", "of": [kind.__module__.rpartition(".")[2], kind.__qualname__, fields, given]}
    if isinstance(value, dict):
        if all(type(key) is str for key in value) and "$" not in value:
            return {key: encoded(one) for key, one in value.items()}
        return {"$": "dict", "of": [[encoded(key), encoded(one)] for key, one in value.items()]}
    if isinstance(value, list):
        return [encoded(one) for one in value]
    if isinstance(value, tuple | set | frozenset):
        kinds = {tuple: "tuple", set: "set", frozenset: "frozenset"}
        word = next(word for kind, word in kinds.items() if isinstance(value, kind))
        return {"$": word, "of": [encoded(one) for one in value]}
    if isinstance(value, complex):
        return {"$": "complex", "of": [encoded(value.real), encoded(value.imag)]}
    if isinstance(value, PurePath):
        return {"$": "path", "of": str(value)}
    if isinstance(value, Enum):
        return encoded(value.value)
    if isinstance(value, bool | int | str):
        return next(kind(value) for kind in (int, str) if isinstance(value, kind))
    if type(value).__module__ == "numpy" and type(plain_value := value.tolist()) is not type(value):
        return encoded(plain_value)
    raise TypeError(f"A {type(value).__name__} cannot cross to a tool or back: give numbers, words, lists and models.")


def decoded(value: Any, find: Callable[[str, str], type[BaseModel] | None]) -> Any:
    """The value of `encoded`; `find` gives the model of a tool by both names."""
    if isinstance(value, list):
        return [decoded(one, find) for one in value]
    if not isinstance(value, dict):
        return value
    if "$" not in value:
        return {key: decoded(one, find) for key, one in value.items()}
    kind, inside = value["$"], value["of"]
    if kind == "model":
        tool, name, fields, given = inside
        plain, model = {key: decoded(one, find) for key, one in fields.items()}, find(tool, name)
        if model is None:
            return plain
        known = {key: one for key, one in plain.items() if key in model.model_fields}
        return model.model_construct(set(given), **known)
    if kind == "dict":
        return {decoded(key, find): decoded(one, find) for key, one in inside}
    if kind == "complex":
        return complex(*(decoded(one, find) for one in inside))
    if kind in ("float", "path"):
        return float(inside) if kind == "float" else PurePath(inside)
    return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](decoded(one, find) for one in inside)


def swapped(value: Any, places: Sequence[tuple[str, str]]) -> Any:
    """A value of `encoded` with pieces of its texts replaced."""
    if isinstance(value, str):
        return functools.reduce(lambda text, pair: text.replace(*pair), places, value)
    if isinstance(value, list):
        return [swapped(one, places) for one in value]
    return {key: swapped(one, places) for key, one in value.items()} if isinstance(value, dict) else value


# Files that an input names


def _placed(data: Any, paths: list[str], name: str = "") -> Any:
    """`data` with the texts of fields such as ``path`` replaced by places in `FILES`; `paths` gets them in order."""
    if isinstance(data, list):
        return [_placed(one, paths) for one in data]
    if isinstance(data, str) and data and PATH_WORDS & set(name.lower().split("_")):
        if data not in paths:
            paths.append(data)
        return f"{FILES}/{paths.index(data)}/{_split(data)[1]}"
    if not isinstance(data, dict):
        return data
    if data.get("$") == "path":
        return {**data, "of": _placed(data["of"], paths, name)}
    return {key: _placed(one, paths, key) for key, one in data.items()}


def _split(path: str) -> tuple[str, str]:
    """Folder and name, also of a path that ends with a slash."""
    return os.path.split(path.rstrip("/") or path)


def _with_files(given: Any) -> tuple[dict[str, Any], list[str]]:
    """``data`` of a request, in which the paths are replaced, ``files``, and the paths."""
    paths: list[str] = []
    data = _placed(encoded(given), paths)
    return {"data": data, "files": [_file(path) for path in paths]}, paths


def _file(path: str) -> dict[str, Any]:
    """Name of a path, whether its folder is there, and the content of what is a file."""
    folder, name = os.path.split(os.path.normpath(path))
    found: dict[str, Any] = {"name": name, "content": None, "folder": os.path.isdir(folder or ".")}  # noqa: PTH112
    if os.path.isfile(path) and os.path.getsize(path) <= LARGEST_FILE:  # noqa: PTH113, PTH202
        with open(path, "rb") as file:  # noqa: PTH123
            found["content"] = base64.b64encode(file.read()).decode()
    return found


def _received(paths: Sequence[str], made: list[dict[str, str]]) -> None:
    """Write the files that the tool made beside the paths: of the same stem, or below the path itself."""
    for path, files in zip(paths, made, strict=True):
        folder, name = os.path.split(os.path.normpath(path))
        for inner, content in files.items():
            first, *rest = inner.split("/")
            other = name != "." and first != name and first.split(".")[0] != (name.split(".")[0] or name)
            if other or ".." in rest or first in ("", ".."):
                continue
            place = os.path.join(folder, inner)  # noqa: PTH118
            if os.path.islink(place):  # noqa: PTH114
                continue
            os.makedirs(os.path.dirname(place) or ".", exist_ok=True)  # noqa: PTH103, PTH120
            with open(place, "wb") as file:  # noqa: PTH123
                file.write(base64.b64decode(content))


# Models and functions in place of a tool's own


class ToolModel(BaseModel):
    """A model with a tool's fields. The tool itself says, elsewhere, whether it takes the values."""

    model_config = ConfigDict(protected_namespaces=(), arbitrary_types_allowed=True)

    def __init__(self, /, **data: Any) -> None:
        made = _tool_of(type(self)).ask("make", model=type(self).__qualname__, given=data)
        super().__init__(**{name: getattr(made, name) for name in type(made).model_fields})
        object.__setattr__(self, "__pydantic_fields_set__", set(made.model_fields_set))


class ToolProxy:
    """Stands for one tool: its module, without its code."""

    def __init__(self, module: ModuleType, tools: Tools) -> None:
        self.module, self._tools, self.name = module, tools, module.__name__.rpartition(".")[2]
        self._texts = tools.needed(module.__name__)
        reply = self._tools.asking(self._request("describe"))
        _complain(reply)
        told = reply["described"]
        module.__doc__ = told["doc"]
        for name, described in told["models"].items():
            self._model(name, described)
        function = self._function(told["function"])
        setattr(module, self.name, function)
        _packages.update(told["packages"])
        if tools.records and (other := other_versions(_admitted_with(self.name))):
            again = f"To prove it anew: labwright toolset check {self.name}"
            warnings.warn(f"{self.name} was admitted with {', '.join(other)}. {again}", stacklevel=2)

    def ask(self, what: str, **more: Any) -> Any:
        """The answer of the tool's process; its error is raised here."""
        request, paths = self.prepared(what, **more)
        return self.opened(self._tools.asking(request), paths)

    def prepared(self, what: str, given: Any, **more: Any) -> tuple[dict[str, Any], list[str]]:
        """The request, and the paths that it names."""
        inside, paths = _with_files(given)
        return self._request(what, **inside, **more), paths

    def opened(self, reply: dict[str, Any], paths: list[str]) -> Any:
        """A reply's value; its error is raised, its warnings are given, its files are written."""
        for number, path in enumerate(paths):
            folder, name = _split(path)
            place, inside = path.rstrip("/") or path, folder and f"{folder}/"
            places = [(f"{FILES}/{number}/{name}", place), (f"{FILES}/{number}/", inside)]
            reply = {**swapped({**reply, "files": []}, places), "files": reply.get("files", [])}
        _complain(reply)
        for category, message in reply.get("warnings", []):
            warnings.warn_explicit(message, _kind([category], Warning, UserWarning), f"{self.name}.py", 1)
        _received(paths, reply.get("files", []))
        return decoded(reply["value"], self._tools.model)

    def _request(self, what: str, **more: Any) -> dict[str, Any]:
        return {"ask": what, "module": self.module.__name__, "texts": self._texts, **more}

    def _model(self, name: str, described: dict[str, Any]) -> None:
        fields: dict[str, Any] = {}
        for field, (words, required) in described["fields"].items():
            fields[field] = (Any, Field(... if required else None, description=words))
        *above, last = name.split(".")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a field named as something of pydantic's, as in the tool's own model
            how = {"__base__": ToolModel, "__module__": self.module.__name__, "__doc__": described["doc"]}
            made: Any = create_model(last, **how, **fields)
        made.__qualname__ = name
        made._tool = self
        setattr(functools.reduce(getattr, above, self.module), last, made)

    def _function(self, doc: str) -> Callable[[Any], Any]:
        def call(given: Any) -> Any:
            began, outcome = time.perf_counter(), "ok"
            try:
                return self.ask("call", given=given)
            except BaseException as error:
                outcome = getattr(error, "kind", type(error).__name__)
                raise
            finally:
                self.note(given, time.perf_counter() - began, outcome)

        call.__name__ = call.__qualname__ = self.name
        call.__module__, call.__doc__ = self.module.__name__, doc
        call.tool = self  # type: ignore[attr-defined]
        return call

    def note(self, given: Any, seconds: float, outcome: str) -> None:
        """One line of ``logs/calls.jsonl``."""
        if self._tools.records:
            digest, fields = _plain_fields(given)
            line = {"tool": self.name, "sha256": digest, "input": fields, "seconds": round(seconds, 6)}
            line["outcome"] = outcome
            _append("calls.jsonl", line)


def in_one_go(tool: Callable[[Any], Any], inputs: Sequence[Any]) -> list[Any]:
    """The outputs for many inputs, asked for at once; each call is a process of its own all the same.

    Args:
        tool: a function of this workspace's tools.
        inputs: models, or dicts of their fields, which saves the making of each.

    Raises:
        Exception: the first error of a call, in order.
    """
    proxy: ToolProxy = tool.tool  # type: ignore[attr-defined]
    began = time.perf_counter()
    asked = [proxy.prepared("call", one) for one in inputs]
    answer = proxy._tools.asking({"ask": "many", "requests": [request for request, _ in asked]})
    _complain(answer)
    replies = answer["replies"]
    each = (time.perf_counter() - began) / max(1, len(inputs))
    for given, reply in zip(inputs, replies, strict=True):
        proxy.note(given, each, reply["error"]["kinds"][0] if "error" in reply else reply.get("kind", "ok"))
    return [proxy.opened(reply, paths) for reply, (_, paths) in zip(replies, asked, strict=True)]


def _tool_of(model: type[BaseModel]) -> ToolProxy:
    found: ToolProxy = model._tool  # type: ignore[attr-defined]
    return found


def _kind(names: Sequence[str], below: type[Exception], other: type[Exception]) -> type[Exception]:
    """The first of Python's own kinds of that name; none that ends a loop of the script without a word."""
    kinds = (getattr(builtins, name, None) for name in names if not name.startswith("Stop"))
    return next((one for one in kinds if isinstance(one, type) and issubclass(one, below)), other)


def _complain(reply: dict[str, Any]) -> None:
    """Raise the tool's error, or say how its process ended."""
    if "failed" in reply:
        words = reply["failed"]
        raise raised({"kinds": [reply["kind"], "RuntimeError"], "args": [words], "message": words})
    if "error" in reply:
        raise raised(reply["error"])


def raised(told: dict[str, Any]) -> BaseException:
    """The error that a process told of: pydantic's own, or the nearest of Python's own kinds."""
    if "details" in told:
        kinds = [(PydanticCustomError(one["type"], one["msg"]), one["loc"], one["input"]) for one in told["details"]]
        lines = [InitErrorDetails(type=kind, loc=tuple(loc), input=given) for kind, loc, given in kinds]
        error: BaseException = ValidationError.from_exception_data(told["title"], lines)
    else:
        kind = _kind(told["kinds"], Exception, RuntimeError)
        try:
            error = kind(*told["args"])
        except TypeError:
            error = RuntimeError(told["message"])
    if told["kinds"][0] not in ("ValidationError", type(error).__name__):
        error.kind = told["kinds"][0]  # type: ignore[attr-defined]
    return error


class Tools(MetaPathFinder, Loader):
    """Finds the modules below ``tools`` and puts proxies in their place."""

    def __init__(self, text_of: Callable[[str], str | None], asking: Ask, *, records: bool) -> None:
        """A finder.

        Args:
            text_of: a tool's text by its dotted name; None where there is no such tool.
            asking: carries a request to a process that answers it.
            records: whether to keep ``logs/``.
        """
        self._text_of, self.asking, self.records = text_of, asking, records
        self._proxies: dict[str, ToolProxy] = {}

    def needed(self, module: str) -> dict[str, str]:
        """Dotted name -> text of a tool and of those that it imports."""
        found: dict[str, str] = {}
        waiting = [module]
        while waiting:
            name = waiting.pop()
            text = self._text_of(name) if name not in found else None
            if text is not None:
                found[name] = text
                waiting += _tools_imported(text)
        return found

    def model(self, tool: str, name: str) -> type[BaseModel] | None:
        """A model by the names of its tool and its own."""
        found: Any = self._proxies[tool].module if tool in self._proxies else None
        for word in name.split("."):
            found = getattr(found, word, None)
        return found if isinstance(found, type) and issubclass(found, ToolModel) else None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Part of the import system."""
        if not fullname.startswith(PACKAGE + ".") or self._text_of(fullname) is None:
            return None
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        """Part of the import system."""
        for other in self.needed(module.__name__):
            if other != module.__name__:
                importlib.import_module(other)  # so that its models are known when they come back
        proxy = ToolProxy(module, self)
        self._proxies[proxy.name] = proxy


def _tools_imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


# The way to whoever answers


class Channel:
    """Sends requests by the pipes of a confined script, or to a program of its own outside of one."""

    def __init__(self) -> None:
        self._program: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._one_by_one = threading.Lock()

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request.

        Raises:
            RuntimeError: nobody answers.
        """
        body = json.dumps(request).encode()
        home = os.environ.get("HOME", "")
        confined = os.path.exists(os.path.join(home, REQUESTS))  # noqa: PTH110, PTH118
        if confined:
            return self._by_pipes(home, body)
        with self._one_by_one:
            return self._by_program(body)

    def _by_pipes(self, home: str, body: bytes) -> dict[str, Any]:
        with open(os.path.join(home, LOCK), "a") as lock:  # noqa: PTH118, PTH123
            fcntl.flock(lock, fcntl.LOCK_EX)  # one request at a time, of all processes of the script
            ends = [os.open(os.path.join(home, name), os.O_RDWR) for name in (REQUESTS, REPLIES)]  # noqa: PTH118
            token = os.urandom(TOKEN)
            try:
                write_frame(ends[0], body, MARK + token)
                return read_frame(ends[1], token)
            finally:
                for end in ends:
                    os.close(end)

    def _by_program(self, body: bytes) -> dict[str, Any]:
        if self._program is None or self._owner != os.getpid():
            words = [sys.executable, "-m", "labwright.tools.forge.calls"]
            self._program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._owner = os.getpid()
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        try:
            write_frame(self._program.stdin.fileno(), body)
            return read_frame(self._program.stdout.fileno())
        except (OSError, EOFError) as gone:
            self._program = None
            raise RuntimeError(
                "The tools of this workspace run in processes of their own, which Labwright starts: run this script"
                " with the Python that has Labwright installed."
            ) from gone
        except BaseException:  # an interrupt: the answer that is still to come must not be the next one's
            self._program.kill()
            self._program = None
            raise


def write_frame(end: int, body: bytes, opening: bytes = b"") -> None:
    """Send bytes with their length and check sum, behind an `opening`."""
    view = memoryview(opening + LENGTH.pack(len(body), zlib.crc32(body)) + body)
    while view:
        view = view[os.write(end, view) :]


def read_frame(end: int, opening: bytes = b"") -> dict[str, Any]:
    """The object that `write_frame` sent; what comes before an `opening` is skipped.

    Raises:
        EOFError: the other side is gone, or something else came.
    """
    got = bytearray()
    while opening and (at := got.find(opening)) < 0:
        del got[: -len(opening)]
        got += _read(end, 1, 1 << 16)
    if opening:
        del got[: at + len(opening)]
    got += _read(end, LENGTH.size - len(got))
    length, total = LENGTH.unpack_from(got)
    del got[: LENGTH.size]
    body = bytes(got + _read(end, length - len(got)))
    if zlib.crc32(body) != total:
        raise EOFError("something else came")
    found: dict[str, Any] = json.loads(body)
    return found


def _read(end: int, length: int, most: int = 0) -> bytes:
    """At least `length` bytes; no more than that, or than `most`."""
    got = bytearray()
    while len(got) < length:
        part = os.read(end, most or min(length - len(got), 1 << 20))
        if not part:
            raise EOFError("the other side is gone")
        got += part
    return bytes(got)


# The record


def _append(name: str, line: dict[str, Any]) -> None:
    """One line, in one write, so that lines of several processes do not mix."""
    global _complained
    folder = os.path.join(_began_in, "logs")  # noqa: PTH118
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        descriptor = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)  # noqa: PTH118
        try:
            os.write(descriptor, (json.dumps(line) + "\n").encode())
        finally:
            os.close(descriptor)
    except OSError as wrong:  # a full disk must not change what a tool does; it is said, once
        if not _complained:
            sys.stderr.write(f"tools: calls cannot be recorded: {wrong}\n")
        _complained = True


def _plain_fields(given: Any) -> tuple[str, dict[str, Any]]:
    """sha256 of an input's JSON, and its fields that are numbers, words or truth values."""
    if not isinstance(given, BaseModel | dict):  # no model: the tool itself shall say so
        return hashlib.sha256(repr(given).encode()).hexdigest(), {}
    fields = given.model_dump(mode="json") if isinstance(given, BaseModel) else given
    kept = {
        name: value[:LONGEST_TEXT] if isinstance(value, str) else value
        for name, value in fields.items()
        if value is None or isinstance(value, (bool, int, float, str))
    }
    try:
        text = json.dumps(fields, default=str)
    except (TypeError, ValueError):  # keys that JSON does not have
        text = repr(fields)
    return hashlib.sha256(text.encode()).hexdigest(), kept


def imported_packages() -> dict[str, str]:
    """Third-party packages that this process has imported -> version; `unknown` where nothing says it."""
    from importlib import metadata

    found: dict[str, str] = {}
    unnamed: list[str] = []
    for name in sorted({key.partition(".")[0] for key in list(sys.modules)}):
        if name.startswith("_") or name in (PACKAGE, "labwright") or name in sys.stdlib_module_names:
            continue
        if "-packages" not in str(getattr(sys.modules.get(name), "__file__", "") or ""):
            continue
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            unnamed.append(name)
    owners = metadata.packages_distributions() if unnamed else {}
    for name in unnamed:
        owner = owners.get(name, [])
        found[name] = metadata.version(owner[0]) if owner else "unknown"
    return found


def other_versions(admitted: dict[str, str]) -> list[str]:
    """What is installed in another version than the one that a tool was admitted with, in words that name both.

    Args:
        admitted: distribution -> version, of the tool's record.
    """
    from importlib import metadata

    here = {}
    for name in admitted:
        with contextlib.suppress(metadata.PackageNotFoundError):  # the tool itself says that it is missing
            here[name] = metadata.version(name)
    return [f"{name} {admitted[name]} (here {one})" for name, one in here.items() if one != admitted[name]]


def _admitted_with(tool: str) -> dict[str, str]:
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), VERSIONS)  # noqa: PTH100, PTH118, PTH120
    if not os.path.exists(place):  # noqa: PTH110
        return {}
    with open(place, encoding="utf-8") as file:  # noqa: PTH123
        return dict(json.load(file).get(tool, {}))


def _at_end() -> None:
    packages = {**_packages, **imported_packages()}
    _append("imports.jsonl", {"script": os.path.basename(sys.argv[0] or ""), "packages": packages})  # noqa: PTH119


def _beside(module: str) -> str | None:
    """The text of a module of this folder."""
    found = PathFinder.find_spec(PACKAGE, [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))])  # noqa: PTH100, PTH120
    for part in module.split(".")[1:]:
        places = found.submodule_search_locations if found is not None else None
        found = PathFinder.find_spec(part, places) if places else None
    if found is None or found.origin is None or found.submodule_search_locations is not None:
        return None
    with open(found.origin, encoding="utf-8") as file:  # noqa: PTH123
        return file.read()


if __name__ == PACKAGE and not any(type(one).__name__ == "Tools" for one in sys.meta_path):
    sys.meta_path.insert(0, Tools(_beside, Channel(), records=True))
    atexit.register(_at_end)
