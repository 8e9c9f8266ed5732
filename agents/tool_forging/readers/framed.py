"""What readers have in common that know their tasks by words: what is meant, what is beyond them, what says nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.absences import ABSENT, absences, without_absences
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import Assignment, assignments
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.traced import Clean

_EXTREME = r"[-+]?\s*(?:0|1|(?:1|0)?\.5|0?\.25|1\s*/\s*[24])"
# what numbers can be at all sets nothing: "(between -1 and 1)", "so that it is at most 1/4 in size"
REMARKS = (
    rf"\b(?:at most|never (?:more|larger|greater) than|no (?:more|larger) than|bounded by)\s+{_EXTREME}"
    r"\s+in\s+(?:size|magnitude|modulus|absolute value)\b"
    rf"|\((?:[^()\d]{{0,40}}\W)?between\s+{_EXTREME}\s+and\s+{_EXTREME}\s*\)"
    rf"|\bso\s+(?:that\s+)?(?:it|they|the value|all values|values)\s+(?:is|are|lies?|runs?)\s+between\s+{_EXTREME}"
    rf"\s+and\s+{_EXTREME}"
)


_THINGS = ABSENT | {"shot", "shots", "sampling", "random"}  # that a computed ground or Gibbs state has not anyway
# "(the free case would be J = 0)": what is said of another case sets nothing
_WOULD = re.compile(
    r"(?:(?<=[(,;.])|^)[^(),;.=\n]{0,60}\bwould\s+(?:be|correspond to|mean|need|require)\s+(?:at\s+|to\s+)?"
    r"(?=[-+]?\d|[A-Za-z_]+\s*=)[^(),;\n]{0,60}",
    re.M,
)


_WRAPPED = re.compile(
    r"(?<=[^\n]{56})[ \t]*\n(?=[ \t]{0,3}\S)(?![ \t]*(?:[-*+>#|]\s?|\(?\d{1,2}[.)]\s|\(?[a-hivx]{1,4}[.)]\s|"
    r"[A-Z][a-z]?\s+[-+]?\d|[A-Za-z][\w ()/-]{0,40}[:=]))"
)


class Unwrapped(Body):
    """A task whose long lines are one line a paragraph, so that words which belong together stand together."""

    @cached_property
    def plain(self) -> Clean:
        """As the body's, with a blank in place of each line break within a paragraph; offsets stay."""
        whole = Body(self.task).plain
        return replace(whole, text=_WRAPPED.sub(lambda m: " " * len(m[0]), whole.text))


class Framed:
    """One task on the way to its specification.

    Attributes:
        body, text: the task.
        account: what is understood of it.
        assumed: what was settled although the text does not say it.
        elsewhere: stretches that speak of another case than the task's.
        sets: symbols with their values, without those that are said of another case.
    """

    def __init__(self, body: Body, words: Collection[str]) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, words)
        self.assumed: list[str] = []
        self.account.every(REMARKS)
        for span in absences(self.text, _THINGS):
            self.account.use(*span)
        self.elsewhere = [one.span() for one in _WOULD.finditer(self.text)]
        for span in self.elsewhere:
            self.account.use(*span)
        self.sets: list[Assignment] = [
            one for one in assignments(body.plain) if not any(a <= one.start < b for a, b in self.elsewhere)
        ]

    def answer(self, family: str, spec: object, reader: str) -> Reading | Unread:
        """The reading, unless something in the text is not understood."""
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of {reader} knows.")
        return Reading(family, spec, self.account.covered(), self.assumed)  # type: ignore[arg-type]


@dataclass(frozen=True)
class WordReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`.

    Attributes:
        meant: whether a text is of the family.
        beyond: words of what the family cannot do.
        book: what it can do, in a sentence.
        whole: reads a task that is of the family.
    """

    family: str
    meant: Callable[[str], bool]
    beyond: re.Pattern[str]
    book: str
    whole: Callable[[Body], Reading | Question | Unread]

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if its words mean the family and nothing in it is beyond."""
        body = Unwrapped(task)
        if not self.meant(body.text):
            return None
        other = self.beyond.search(without_absences(body.text, _THINGS))
        return Unread(body.original(*other.span()), self.book) if other else self.whole(body)
