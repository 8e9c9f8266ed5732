"""Inside the sandbox: one request of a tool, answered by a process that ends with it.

The fork server (`labwright.tools.sandbox.worker`) forks this process from one that has imported the tool's packages and
no tool. Before the tool is loaded the process is made like every other one: `_alike`. A tool that calls tools gets
proxies of them, as a script does; behind these waits a process forked before the tool was loaded, which forks again for
every call.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import random
import resource
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from pydantic import BaseModel, ValidationError

from labwright.tools.forge.calls.frozen_clock import StillClock
from labwright.tools.forge.toolset import client
from labwright.tools.sandbox import seccomp

LONGEST = 2000  # characters of an error's message
_clock = StillClock()


def answer(request: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """The reply to ``describe``, ``make`` or ``call``: ``value`` or ``error``, ``warnings``, ``files``."""
    nested = Apart(depth + 1) if len(request.get("texts", ())) > 1 else None
    root = Path.cwd() / str(depth)
    root.mkdir()
    os.chdir(root)
    if request["ask"] == "nothing":  # see `servers`
        return request
    _alike()
    places = _laid_out(request.get("files", []), root)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            reply: dict[str, Any] = _replied(request, nested, str(root))
        except Exception as error:  # noqa: BLE001 - the answer
            reply = {"error": client.swapped(told(error), _away(root))}
    said = [[one.category.__name__, str(one.message)] for one in caught]
    reply["warnings"] = client.swapped(said, _away(root))
    reply["files"] = [_made(folder, before) for folder, before in places]
    return reply


def _replied(request: dict[str, Any], nested: Callable[[dict[str, Any]], dict[str, Any]] | None, root: str) -> Any:
    tool = _Tool(request["module"], request["texts"], nested)
    if request["ask"] == "describe":
        return {"described": _described(tool)}
    data = client.decoded(client.swapped(request["data"], [(f"{client.FILES}/", f"{root}/files/")]), tool.model)
    if request["ask"] == "make" or isinstance(data, dict):
        model = tool.model(tool.name, request.get("model") or tool.input_name)
        if model is None:
            raise TypeError(f"The tool has no model {request.get('model')!r}.")
        data = model(**data)
    if request["ask"] == "call":
        data = tool.function(data)
    return {"value": client.swapped(client.encoded(data), _away(Path(root)))}


def _away(root: Path) -> list[tuple[str, str]]:
    return [(f"{root}/files/", f"{client.FILES}/")]


class _Tool(MetaPathFinder, Loader):
    """A tool, loaded from its text; the other tools that it imports are proxies."""

    def __init__(
        self, module: str, texts: dict[str, str], nested: Callable[[dict[str, Any]], dict[str, Any]] | None
    ) -> None:
        self._dotted, self._texts = module, texts
        self.name = module.rpartition(".")[2]
        self._main = f"{client.PACKAGE}.{self.name}"  # wherever it lies in a toolset
        self.input_name = "".join(word.capitalize() for word in self.name.split("_")) + "Input"
        sys.meta_path.insert(0, self)
        self._others: client.Tools | None = None
        if nested is not None:
            self._others = client.Tools(self._other, nested, records=False)
            sys.meta_path.insert(0, self._others)
        self._module = importlib.import_module(self._main)
        self.function: Callable[[Any], Any] = getattr(self._module, self.name)

    def model(self, tool: str, name: str) -> type[BaseModel] | None:
        """A model of the tool's own, or of one that it imports."""
        if tool != self.name:
            return self._others.model(tool, name) if self._others is not None else None
        found: Any = self._module
        for word in name.split("."):
            found = getattr(found, word, None)
        return found if isinstance(found, type) and issubclass(found, BaseModel) else None

    def models(self) -> Iterator[type[BaseModel]]:
        """All of its own, each behind the one that it stands in."""
        waiting: list[Any] = [*vars(self._module).values()]
        while waiting:
            one = waiting.pop(0)
            if isinstance(one, type) and issubclass(one, BaseModel) and one.__module__ == self._main:
                yield one
                waiting += vars(one).values()

    @property
    def doc(self) -> str:
        """Of the module."""
        return self._module.__doc__ or ""

    def _other(self, module: str) -> str | None:
        return self._texts.get(module) if module != self._dotted else None

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """Part of the import system."""
        if fullname == self._main:
            return ModuleSpec(fullname, self, origin=f"{self.name}.py")
        packages = (client.PACKAGE, *self._texts)
        if fullname in packages[:1] or any(one.startswith(fullname + ".") for one in packages):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Part of the import system."""
        if module.__name__ == self._main:
            module.__file__ = f"{self.name}.py"
            exec(compile(self._texts[self._dotted], module.__file__, "exec", dont_inherit=True), module.__dict__)


def _described(tool: _Tool) -> dict[str, Any]:
    models = {}
    for one in tool.models():
        fields = {name: (field.description or "", field.is_required()) for name, field in one.model_fields.items()}
        fields |= {name: (field.description or "", True) for name, field in one.model_computed_fields.items()}
        models[one.__qualname__] = {"doc": one.__doc__ or "", "fields": fields}
    told = {"doc": tool.doc, "function": tool.function.__doc__ or "", "models": models}
    return {**told, "packages": client.imported_packages()}


def told(error: Exception) -> dict[str, Any]:
    """What crosses of an error: its kinds, its message, and pydantic's own list."""
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind not in (object, BaseException)]
    told: dict[str, Any] = {"kinds": kinds, "message": str(error)[:LONGEST]}
    if isinstance(error, ValidationError):
        lines = [_line(one) for one in error.errors(include_url=False)[:50]]
        return {**told, "title": error.title, "details": lines, "args": []}
    arguments = error.args if all(type(one) in (str, int, float, type(None)) for one in error.args) else (str(error),)
    return {**told, "args": [one[:LONGEST] if isinstance(one, str) else one for one in arguments]}


def _line(one: Any) -> dict[str, Any]:
    try:
        given = client.encoded(one["input"])
    except TypeError:
        given = repr(one["input"])[:LONGEST]
    place = [str(word) if isinstance(word, str) else word for word in one["loc"]]
    return {"type": str(one["type"]), "loc": place, "msg": one["msg"], "input": given}


# Files


def _laid_out(files: list[dict[str, Any]], root: Path) -> list[tuple[Path, dict[str, bytes]]]:
    """Put the files that the input names where its paths then lead, each in a folder of its own."""
    found: list[tuple[Path, dict[str, bytes]]] = []
    for number, one in enumerate(files):
        folder = root / "files" / str(number)
        if one["folder"]:
            folder.mkdir(parents=True)
        before = {}
        if one["content"] is not None:
            before[one["name"]] = base64.b64decode(one["content"])
            (folder / one["name"]).write_bytes(before[one["name"]])
        found.append((folder, before))
    return found


def _made(folder: Path, before: dict[str, bytes]) -> dict[str, str]:
    """The files that a call left, those that it found unchanged apart."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            content, name = path.read_bytes(), str(path.relative_to(folder))
            if before.get(name) != content:
                found[name] = base64.b64encode(content).decode()
    return found


# Alike


def _alike() -> None:
    """Leave nothing by which a process that answers could be told from another one that gets the same request.

    Every process and user id is 0, no process can be started, and the clock stands still. `deterministic_call_setup`
    has done what can be done once; the sandbox's server gives the rest: user, host name, environment, folder,
    addresses.
    """
    random.seed(0)  # Python draws a new one in every fork
    for name in ("pyscf.lib.misc", "pyscf.lib"):
        if name in sys.modules:  # it reads what /proc says of its process
            sys.modules[name].current_memory = lambda: (0.0, 0.0)  # type: ignore[attr-defined]
    spent = resource.struct_rusage((0.0,) * 16)
    resource.getrusage = lambda _: spent
    stopped = _clock.stop()
    if seccomp.available():
        seccomp.restrict_to_one(clocks=stopped)


# Calls of a tool by a tool, or by its tests in the gate


class Apart:
    """A process that was forked before any tool was loaded, and forks again for each request that it gets."""

    def __init__(self, depth: int) -> None:
        theirs, ours = os.pipe(), os.pipe()
        if os.fork() == 0:
            os.close(theirs[1])
            os.close(ours[0])
            _serve(theirs[0], ours[1], depth)
        os.close(theirs[0])
        os.close(ours[1])
        self._requests, self._replies = theirs[1], ours[0]

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply of a process of its own."""
        client.write_frame(self._requests, json.dumps(request).encode())
        return client.read_frame(self._replies)


def _serve(requests: int, replies: int, depth: int) -> NoReturn:
    try:
        while True:
            request = client.read_frame(requests)
            receive, give = os.pipe()
            child = os.fork()
            if child == 0:
                for end in (requests, replies, receive):
                    os.close(end)
                _be_one(request, give, depth)
            os.close(give)
            try:
                reply = client.read_frame(receive)
            except EOFError:
                reply = {"error": told(RuntimeError("The tool's process ended without an answer."))}
            os.close(receive)
            os.waitpid(child, 0)
            shutil.rmtree(str(depth), ignore_errors=True)
            client.write_frame(replies, json.dumps(reply).encode())
    except BaseException:  # noqa: BLE001 - whoever asked is gone, or has sent something else
        os._exit(0)


def _be_one(request: dict[str, Any], give: int, depth: int) -> NoReturn:
    try:
        client.write_frame(give, json.dumps(answer(request, depth)).encode())
    finally:
        os._exit(0)
