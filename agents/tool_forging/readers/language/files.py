"""Files that a task asks for by name, with the columns that it wants in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.base import Span

_NAME = re.compile(r"(?<![\w/.-])(?P<path>(?:[A-Za-z][\w-]*/){0,2}[A-Za-z][\w-]{0,60}\.csv)\b", re.I)
_COLUMNS = re.compile(
    r"(?:\bcolumns?\b(?:\s+(?:are|named|called|for|should be|with))?|\bheader\b(?:\s+line)?|\bfields?\b|\bcontaining\b)"
    r"\s*[:=(]*\s*(?P<list>[^;:\n]+?)(?:\)\s*|[.;](?=\s|$)|\n|$)",
    re.I,
)
_READ = re.compile(r"\b(?:read|load|given in|from|attached|see|data in|input)\s+(?:the\s+)?(?:file\s+)?[`'\"]?$", re.I)


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file that is wanted.

    Attributes:
        path: as the task names it.
        columns: headings that it asks for; empty if it leaves them open.
        span: of the words in the text.
    """

    path: str
    columns: tuple[str, ...]
    span: Span


def tables(text: str) -> list[Table]:
    """Every CSV file that the task wants written, once."""
    found: dict[str, Table] = {}
    for match in _NAME.finditer(text):
        path = match["path"]
        if path in found or path.startswith("inputs/") or _READ.search(text[: match.start()]):
            continue
        columns, end = _columns(text, match.end())
        found[path] = Table(path, columns, (match.start(), end))
    return list(found.values())


def _columns(text: str, place: int) -> tuple[tuple[str, ...], int]:
    """The headings behind a file's name, in its sentence."""
    stop = re.search(r"\.(?=\s|$)|\n\s*\n", text[place:])
    rest = text[place : place + (stop.end() if stop else len(text))]
    match = _COLUMNS.search(rest)
    if match is None:
        return (), place
    parts = re.split(r"\s*(?:,\s*(?:and\s+)?|\band\b|;|\||/(?=\s))\s*", match["list"].strip(" `)"))
    plain = tuple(
        re.sub(r"^(?:the|an?)\s+|\s+(?:please|too|as well|thanks)$", "", part.strip(" `'\"")) for part in parts
    )
    if not all(0 < len(one) <= 50 for one in plain) or len(plain) < 2:
        return (), place
    return plain, place + match.end("list")


def spans(text: str) -> Sequence[Span]:
    """Where the text names files that are written."""
    return [one.span for one in tables(text)]
