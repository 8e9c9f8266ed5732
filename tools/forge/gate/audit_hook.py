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
    "ctypes.dlopen ctypes.dlsym ctypes.dlsym/handle ctypes.cdata ctypes.cdata/buffer ctypes.call_function"
    " ctypes.string_at ctypes.addressof sys.settrace sys.setprofile sys._current_frames sys.addaudithook"
    " gc.get_objects gc.get_referrers gc.get_referents".split()
)
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
_OURS = ("/labwright/tools/forge/gate/tool_loading.py", "/labwright/tools/forge/gate/job_execution.py")
_TYPE_NODES = ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.BitOr | ast.Tuple | ast.List | ast.Constant
_TYPE_PARTS = ast.Expression | ast.Load | ast.UnaryOp | ast.USub | ast.keyword


class NotInTools(BaseException):
    """Raised where a tool or its tests do what neither may do."""


def watch(files: Collection[str]) -> list[str]:
    """From now on, refuse what a candidate may not do, however it came to it; what was refused is listed.

    Audit hooks cannot be taken away again, and Python code cannot see them.

    Args:
        files: names of the candidate's files, as its code objects bear them.
    """
    refused: list[str] = []
    busy = False
    frame_of = sys._getframe

    def hook(event: str, given: tuple[Any, ...]) -> None:
        nonlocal busy
        if busy or not (event in _MADE or event in _REACHED):
            return
        busy = True
        try:
            words = _refusal(event, given, frame_of(1), files)
        finally:
            busy = False
        if words:
            refused.append(words)
            raise NotInTools(words)

    sys.addaudithook(hook)
    return refused


def _refusal(event: str, given: tuple[Any, ...], frame: FrameType | None, files: Collection[str]) -> str:
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
