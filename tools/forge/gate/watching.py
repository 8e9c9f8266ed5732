"""In the process of the tests: an audit hook that stops what neither a tool nor its tests may do."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Collection
from types import FrameType
from typing import Any

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
