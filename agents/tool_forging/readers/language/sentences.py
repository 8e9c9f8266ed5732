"""Sentences, bullets and headings of a task, with their spans."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from labwright.agents.tool_forging.readers.language.clean import Clean

# "1." begins an item, "e.g." ends nothing, "0.5" is a number, "H = X. Then" ends a sentence.
# the mark of an item of a list; a plus in front of a number or a symbol goes on with a formula
ITEM = r"(?:[-*]|\+(?=\s+[A-Za-z]{3,}\b(?!\s*[*(_=]))|\d+[.)]|\(?[a-h][.)]|\([ivx]{1,4}\)|\(\d{1,2}\))"
_END = re.compile(
    r"(?<![A-Z]\.[A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\bFig)(?<!\bEq)(?<!\bresp)(?<!\bh\.c)(?<!\bh)"
    rf"[.?!](?=\s+|$)(?![^\n]*\.md\b(?=\s*$))|\n\s*\n|\n(?=\s*(?:{ITEM}\s|#))|;(?=\s*\n)"
)
_MARK = re.compile(rf"\s*(?:{ITEM}\s+|#+\s*)*")
# "what to vary: 3 ms": a line whose key is the user's own; several of them one below the other are a form
_PAIR = re.compile(
    r"^[ \t]*(?P<key>[A-Za-z][^:.;?!\n=|<>]{0,45}):(?=[ \t]+\S)[^\n]*$|^[ \t]*[A-Za-z][^:.;?!\n=|<>]{0,80}:[ \t]*$",
    re.M,
)
_FAR = 3  # lines from one key to the next one of a form


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the cleaned text.

    Attributes:
        text: without the bullet or number in front of it.
        start: offset in the cleaned text.
        heading: the heading it stands below, in lower case; empty before the first.
        is_heading: whether it is a heading itself.
    """

    text: str
    start: int
    heading: str = ""
    is_heading: bool = False

    @property
    def end(self) -> int:
        """Offset behind its last character in the cleaned text."""
        return self.start + len(self.text)


def sentences(task: Clean) -> list[Sentence]:
    """The sentences in order; empty ones are left out."""
    found: list[Sentence] = []
    heading = ""
    for start, end in _pieces(task.text):
        piece = task.text[start:end]
        mark = _MARK.match(piece)
        skipped = mark.end() if mark else 0
        body = piece[skipped:].rstrip()
        if not re.search(r"[A-Za-z0-9]", body):
            continue
        is_heading = piece.lstrip().startswith("#")
        if is_heading:
            heading = body.lower()
        found.append(Sentence(body, start + skipped, heading, is_heading))
    return found


def _pieces(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends; a heading ends with its line."""
    ends: list[int] = []
    for match in _END.finditer(text):
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match[0] == "." and re.fullmatch(r"\s*(?:\d+|[a-h])", before):
            continue  # "2." in front of an item
        ends.append(match.end() if match[0] in ".?!;" else match.start())
    for line in re.finditer(r"^\s*#[^\n]*", text, re.M):
        ends += [line.start(), line.end()]
    ends += _form(text)
    cuts = sorted({0, *ends, len(text)})
    return [(a, b) for a, b in pairwise(cuts) if text[a:b].strip()]


def _form(text: str) -> list[int]:
    """Where the lines of a form begin; a line with a colon that stands alone is prose."""
    starts = [match.start() for match in _PAIR.finditer(text) if len((match["key"] or "").split()) <= 6]
    return [
        one
        for k, one in enumerate(starts)
        if any(
            0 < abs(text.count("\n", min(one, other), max(one, other))) <= _FAR
            for other in (*starts[max(0, k - 1) : k], *starts[k + 1 : k + 2])
        )
    ]
