"""A script beside ``tools/`` that calls one tool with the inputs on standard input, as a script of a workspace does.

The gate copies this file into a folder laid out as a workspace and runs it there by itself. It imports nothing of
Labwright, so that the tool finds what it will find when it is used. `watch` serves the gate's other processes, too.
"""

from __future__ import annotations

import ast
import functools
import gc
import hashlib
import importlib
import json
import os
import random
import re
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path
from types import CodeType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any

PLACE = "<folder>"  # stands for the folder of the run where a path crosses processes
AGAIN = 2000  # further calls, after each input was tried once
AGAIN_SECONDS = 0.5
_CACHE = type(functools.cache(len))
_OPAQUE = frozenset("rdkit Boost PIL h5py openmm cantera".split())  # objects that hold their values out of sight
MOST_KEPT = 100_000  # objects of a tool that are looked at
# What makes code of text or of bytes.
_MADE = frozenset("compile exec code.__new__ function.__new__ marshal.load marshal.loads pickle.find_class".split())
# What reaches out of Python, or into other frames, where the tool itself asks for it and no package in its stead.
_REACHED = frozenset(
    "os.system os.exec os.fork os.forkpty os.posix_spawn os.spawn subprocess.Popen socket.__new__ ctypes.dlopen"
    " ctypes.dlsym ctypes.dlsym/handle ctypes.cdata ctypes.cdata/buffer ctypes.call_function ctypes.string_at"
    " ctypes.addressof sys.settrace sys.setprofile sys._current_frames sys.addaudithook gc.get_objects"
    " gc.get_referrers gc.get_referents os.kill os.putenv os.unsetenv os.chmod os.link os.symlink".split()
)
_FOLDERS = frozenset(("open", "os.listdir", "os.scandir"))
_OWN_PROCESS = re.compile(r"/proc/(?:self|thread-self|\d+)/(?!statm$)")
# Modules that write functions out of names and signatures, never out of a text that they were given.
_MAKERS = (
    "/dataclasses.py",
    "/collections/__init__.py",
    "/ast.py",
    "/networkx/utils/decorators.py",
    "/decorator.py",
    "/attr/_make.py",
    "/logging/config.py",  # geomeTRIC sets up its log by it; `references` refuses a file of the tool's own
)
# Modules that run what they have just compiled, so that the text was seen; and a text of geomeTRIC's that fills a line.
_COMPILED_HERE = ("/typing.py", "/geometric/nifty.py")
_PADDED = re.compile(r"'%-\d+s' % '[^'\\]*'")
_OURS = ("/labwright/tools/forge/gate/loading.py", "/labwright/tools/forge/gate/running.py")
_TYPE_NODES = ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.BitOr | ast.Tuple | ast.List | ast.Constant
_TYPE_PARTS = ast.Expression | ast.Load | ast.UnaryOp | ast.USub | ast.keyword


class NotInTools(BaseException):
    """Raised where a tool or its tests do what neither may do."""


def watch(files: Collection[str], folder: str) -> list[str]:
    """From now on, refuse what a candidate may not do, however it came to it; what was refused is listed.

    Audit hooks cannot be taken away again, and Python code cannot see them.

    Args:
        files: names of the candidate's files, as its code objects bear them.
        folder: outside of which the candidate opens nothing; temporary folders apart.
    """
    refused: list[str] = []
    busy = False
    frame_of = sys._getframe
    places = (folder, os.environ.get("TMPDIR", folder), "/dev/null")

    def hook(event: str, given: tuple[Any, ...]) -> None:
        nonlocal busy
        if busy or not (event in _MADE or event in _REACHED or event in _FOLDERS):
            return
        busy = True
        try:
            words = _refusal(event, given, frame_of(1), files, places)
        finally:
            busy = False
        if words:
            refused.append(words)
            raise NotInTools(words)

    sys.addaudithook(hook)
    return refused


def _refusal(
    event: str, given: tuple[Any, ...], frame: FrameType | None, files: Collection[str], places: Collection[str]
) -> str:
    """Why an event is refused; empty if it is not the candidate's, or if it may be."""
    inner, packages = frame.f_code.co_filename if frame else "", ""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return ""  # a module is loaded
        if file in files:
            break
        packages = packages or (file if "site-packages" in file else "")
        frame = frame.f_back
    where = f"{event} in {os.path.basename(inner)}"  # noqa: PTH119
    if frame is not None:
        where += f", from line {frame.f_lineno} of {os.path.basename(frame.f_code.co_filename)}"  # noqa: PTH119
    if event in _FOLDERS:
        allowed = frame is None or _inside(given[0], places) or (packages and not _OWN_PROCESS.match(str(given[0])))
        return "" if allowed else f"{where}: {str(given[0])[:80]}"
    if event in _REACHED:
        return "" if frame is None or packages else where
    # Nobody needs to be below: a package may be handed a text, to be called by another.
    if inner.endswith((*_MAKERS, *_OURS)) or (event == "exec" and inner.endswith(_COMPILED_HERE)):
        return ""
    text = given[0] if event == "compile" else None
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    if isinstance(text, str) and (is_type(text) or _PADDED.fullmatch(text)):
        return ""
    return f"{where}: {str(text)[:60]!r}" if text is not None else where


def _inside(path: object, places: Collection[str]) -> bool:
    if not isinstance(path, str | bytes | os.PathLike):
        return True  # a descriptor that it has already
    real = os.path.realpath(os.fsdecode(path))
    return any(real == place or real.startswith(place + "/") for place in map(os.path.realpath, places))


def is_type(text: str) -> bool:
    """Whether a text is an annotation, which calls nothing but pydantic's ``Field``."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    for node in ast.walk(tree):
        field = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field"
        word = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if word.startswith("__") or not (field or isinstance(node, _TYPE_NODES | _TYPE_PARTS)):
            return False
    return True


class _Caller:
    """Calls a tool with inputs as JSON texts."""

    def __init__(self, module: str, name: str, root: str) -> None:
        self._root, self._module = root, importlib.import_module(module)
        self._function = getattr(self._module, name)
        self._input = getattr(self._module, "".join(word.capitalize() for word in name.split("_")) + "Input")
        self._depth = random.Random()

    def call(self, one: dict[str, Any]) -> dict[str, Any]:
        """What the tool gives for an input, or how it fails."""
        for word in [one["folder"], *one.get("folders", ())]:
            Path(self._there(word)).mkdir(parents=True, exist_ok=True)
        os.chdir(self._there(one["folder"]))
        try:
            given = self._input(**json.loads(self._there(one["given"])))
            gave = json.dumps(values(_deeper(self._function, given, self._depth.randrange(60))))
        except Exception as error:  # noqa: BLE001 - the answer
            return {"error": type(error).__name__, "message": str(error)[:400]}
        finally:
            os.chdir(self._root)
        return {"gave": gave.replace(self._root, PLACE)}

    def takes(self, text: str) -> bool:
        """Whether the input's model takes these values."""
        try:
            self._input.model_validate(json.loads(self._there(text)))
        except (ValueError, RuntimeError):
            return False
        return True

    def held(self) -> dict[str, str]:
        """Digests of all that the tool's module holds: of each entry of a cache, and of the rest."""
        return _held(self._module)

    def _there(self, text: str) -> str:
        return text.replace(PLACE, self._root)


def _deeper(function: Callable[[Any], Any], given: Any, depth: int) -> Any:
    """A call from some depth of calls: whoever uses a tool may stand anywhere."""
    return _deeper(function, given, depth - 1) if depth else function(given)


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


def _held(module: ModuleType) -> dict[str, str]:
    """Digests of what a module's own names lead to: tables, closures, defaults, classes, iterators; caches apart."""
    caches: list[Any] = []
    roots = [value for name, value in sorted(vars(module).items()) if not name.startswith("__")]
    found = {"": _digest(roots, module, caches)}
    for number, cache in enumerate(caches):  # grows meanwhile: what is cached may hold a cache
        for key, value in next((one for one in gc.get_referents(cache) if type(one) is dict), {}).items():
            found[f"{number} {key!r}"] = _digest([value], module, caches)
    return found


def _digest(waiting: list[Any], module: ModuleType, caches: list[Any]) -> str:
    told, seen = hashlib.sha256(), set[int]()
    while waiting and len(seen) < MOST_KEPT:
        one = waiting.pop()
        foreign = isinstance(one, type | FunctionType) and one.__module__ != module.__name__
        if id(one) in seen or foreign or isinstance(one, ModuleType | CodeType | FrameType) or one is vars(module):
            continue
        if isinstance(one, bool | int | float | complex | str | bytes):
            told.update(repr(one).encode())
            continue
        seen.add(id(one))
        if isinstance(one, _CACHE):
            caches += [one] if not any(one is other for other in caches) else []
            continue
        if type(one).__module__.partition(".")[0] in _OPAQUE:
            raise NotInTools(f"a {type(one).__name__} outlives a call, and what it holds cannot be seen")
        below = gc.get_referents(one)
        told.update(f"{type(one).__name__} {len(below)}".encode())
        if isinstance(one, GeneratorType):
            told.update(repr(one.gi_frame and (one.gi_frame.f_lasti, str(one.gi_frame.f_locals))).encode())
        elif hasattr(type(one), "tobytes"):
            told.update(one.tobytes())
        elif type(one).__module__ in ("builtins", "itertools", "collections") and hasattr(type(one), "__next__"):
            told.update(repr(one.__reduce__()).encode())
        waiting += below
    return told.hexdigest()


def _changed(before: dict[str, str], after: dict[str, str]) -> bool:
    """Whether anything but new entries of caches is another."""
    return any(after.get(key, told) != told for key, told in before.items())


def answer(asked: dict[str, Any], root: str) -> dict[str, Any]:
    """Call the tool with each input once, then again and again for a while.

    Returns:
        ``calls``: an outcome each; ``taken``: numbers of the inputs to refuse that were not refused; ``changed``: the
        number of a call and what it gave later, where that was another thing; ``keeps``: whether calls after the
        first one left something in the tool.
    """
    caller = _Caller(asked["module"], asked["name"], root)
    began = time.perf_counter()
    calls = [caller.call(one) for one in asked["calls"][:1]]
    caller.held()  # the first look makes what Python makes when it is asked for
    before = caller.held()
    calls += [caller.call(one) for one in asked["calls"][1:]]
    spent = time.perf_counter() - began
    taken = [number for number, text in enumerate(asked["refused"]) if caller.takes(text)]
    changed: list[Any] = []
    over, times = time.perf_counter() + AGAIN_SECONDS, 0
    while calls and not changed and times < AGAIN and spent / len(calls) < AGAIN_SECONDS / 4:
        number = times % len(calls)
        again = caller.call(asked["calls"][number])
        changed = [number, again] if again != calls[number] else []
        times += 1
        if time.perf_counter() > over and times >= len(calls):
            break
    return {"calls": calls, "taken": taken, "changed": changed, "keeps": _changed(before, caller.held())}


def main() -> None:
    """Answer what stands on standard input, once."""
    asked, root = json.loads(sys.stdin.read()), os.getcwd()  # noqa: PTH109 - a text
    sys.argv = sys.argv[:1]
    moved = importlib.import_module(asked["clock"]).move(asked["seconds"])
    del sys.modules[asked["clock"]]
    Path(root, asked["clock"] + ".py").unlink()
    Path(sys.argv[0]).write_text(asked["script"])  # what a script of a workspace looks like
    file = os.path.join(root, *asked["module"].split(".")) + ".py"  # noqa: PTH118
    refused = watch((file,), root)
    try:
        said = answer(asked, root)
    except BaseException as error:  # noqa: BLE001 - whatever the tool raises is the answer
        said = {"failed": f"{type(error).__name__}: {error}"[:400]}
    sys.stdout.write(json.dumps({"word": asked["word"], "moved": moved, "refused": refused, **said}) + "\n")


if __name__ == "__main__":
    main()
