"""Sentences, bullets and headings of a task, with their spans."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from labwright.agents.tool_forging.readers.language.clean import Clean

# "1." begins an item, "e.g." ends nothing, "0.5" is a number, "H = X. Then" ends a sentence.
_END = re.compile(
    r"(?<![A-Z]\.[A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\bFig)(?<!\bEq)(?<!\bresp)(?<!\bh\.c)(?<!\bh)"
    r"[.?!](?=\s+|$)(?![^\n]*\.md\b(?=\s*$))|\n\s*\n|\n(?=\s*(?:[-*+]\s|\d+[.)]\s|#))|;(?=\s*\n)"
)
_MARK = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+|#+\s*)*")


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
        if match[0] == "." and re.fullmatch(r"\s*\d+", before):
            continue  # "2." in front of an item
        ends.append(match.end() if match[0] in ".?!;" else match.start())
    for line in re.finditer(r"^\s*#[^\n]*", text, re.M):
        ends += [line.start(), line.end()]
    cuts = sorted({0, *ends, len(text)})
    return [(a, b) for a, b in pairwise(cuts) if text[a:b].strip()]
