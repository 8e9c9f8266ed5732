"""The files of a forging run's workspace as a tree, and one of them as highlighted text. Nothing outside is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from labwright.apps.console.parts.html_templates import html
from labwright.apps.terminal_output import legible

MOST_FILES = 400
MOST_BYTES = 200_000  # of one file that are shown
FIRST = ("question.md", "report.md")  # in the order of the tree, before all others
STYLE = ".lw-code"


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths of the files below a folder, relative to it, and whether there were more than are listed."""

    files: tuple[str, ...]
    more: bool


def listing(folder: Path) -> Listing:
    """The files below `folder`: no links, nothing hidden, at most `MOST_FILES`."""
    found: list[str] = []
    for path in _files(folder):
        if len(found) == MOST_FILES:
            return Listing(_sorted(found), True)
        found.append(path)
    return Listing(_sorted(found), False)


def tree(files: tuple[str, ...]) -> list[dict[str, Any]]:
    """Nodes of a Quasar tree: ``{id, label, children}``; the id is the path."""
    top: list[dict[str, Any]] = []
    folders: dict[str, list[dict[str, Any]]] = {"": top}
    for path in files:
        parts = PurePosixPath(path).parts
        for depth in range(1, len(parts)):
            name = "/".join(parts[:depth])
            if name not in folders:
                folders[name] = []
                node = {"id": f"{name}/", "label": legible(parts[depth - 1]) + "/", "selectable": False}
                folders["/".join(parts[: depth - 1])].append({**node, "children": folders[name]})
        folders["/".join(parts[:-1])].append({"id": path, "label": legible(parts[-1])})
    return top


def shown(folder: Path, path: str) -> str:
    """The file `path` of `folder` as HTML: highlighted text, or why it is not shown."""
    content, why = _read(folder, path)
    if content is None:
        return html("file", path=path, code="", why=why)
    formatter = HtmlFormatter(nowrap=True)
    try:
        lexer = get_lexer_for_filename(path, stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    code = Markup(highlight(legible(content), lexer, formatter))  # Pygments escapes
    return html("file", path=path, code=code, why=why)


def style_sheet() -> str:
    """The colours of highlighted text, for light ground."""
    return str(HtmlFormatter(style="default").get_style_defs(STYLE))


def _files(folder: Path) -> Iterator[str]:
    for root, folders, names in os.walk(folder):  # follows no links
        folders[:] = sorted(one for one in folders if not one.startswith((".", "__pycache__")))
        for name in sorted(names):
            path = Path(root) / name
            if not name.startswith(".") and not path.is_symlink():
                yield path.relative_to(folder).as_posix()


def _sorted(files: list[str]) -> tuple[str, ...]:
    def order(path: str) -> tuple[int, bool, str]:
        return (FIRST.index(path) if path in FIRST else len(FIRST), "/" in path, path)

    return tuple(sorted(files, key=order))


def _read(folder: Path, path: str) -> tuple[str | None, str]:
    """Text and a remark; no text for what is none, for a link, and for what is not in the listing."""
    if path not in listing(folder).files:
        return None, "There is no such file in the workspace."
    try:
        handle = os.open(folder / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None, "This is no plain file."
            content = file.read(MOST_BYTES + 1)
    except OSError as wrong:
        return None, f"It cannot be read: {wrong.strerror}."
    if b"\0" in content:
        return None, "This is no text. Figures are shown below; every file of the run can be downloaded."
    remark = f"Only the first {MOST_BYTES // 1000} kB are shown." if len(content) > MOST_BYTES else ""
    return content[:MOST_BYTES].decode(errors="replace"), remark
