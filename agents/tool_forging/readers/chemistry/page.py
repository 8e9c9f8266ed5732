"""A chemistry task's text, with what is asked for in ``results.json`` apart from the rest; offsets stay."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Span, TaskText, Unread
from labwright.agents.tool_forging.readers.language.clean import TAKEN_BACK
from labwright.agents.tool_forging.readers.language.furniture import without_furniture

_SAME_LENGTH = str.maketrans(
    {
        "–": "-",
        "−": "-",
        "—": "-",
        "‑": "-",
        "→": ">",
        "⟶": ">",
        "Δ": "d",
        "’": "'",
        "×": "x",
        "₂": "2",
        "₃": "3",
        "₄": "4",
    }
)


# LaTeX of chemistry in as many plain characters
_LATEX: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"\$+", lambda m: " " * len(m[0])),
    (
        r"(?<![\w\\])(?=[A-Za-z\d]*_\{?\d)(?:[A-Z][a-z]?(?:_\{\d+\}|_\d+|\d*))+(?![\w{])",
        lambda m: re.sub(r"[_{}]", "", m[0]).ljust(len(m[0])),
    ),
    (r"\\(?:ce|mathrm|text|textbf|mathbf)\{([^{}]*)\}", lambda m: m[1].rjust(len(m[0]) - 1) + " "),
    (r"\\Delta(?=[\s_{^A-Z])", lambda m: "d".rjust(len(m[0]))),
    (r"\\(?:to|rightarrow|longrightarrow|rightleftharpoons)\b", lambda m: " -> ".ljust(len(m[0]))),
    (r"(?<=\w)\^\{?\\(?:circ|ominus|degree)\}?", lambda m: " " * len(m[0])),
)
# "the O-H bond in water" names the molecule, not a solvent
PART = re.compile(r"\b(?:bonds?|angles?|distances?|lengths?|atoms?|hydrogens?|charges?|protons?)\s+in\s*$", re.I)
_NEGATED = re.compile(
    r"\b(?:no|nor|not|never|nothing|none|without|neglect\w*|ignor\w*|skip|omit|leave|leaving|exclud\w+|"
    r"unnecessary|rather than|"
    r"forget(?: about)?|free of|"
    r"instead of|n't)\b[^.;:\n]{0,40}$",
    re.I,
)


def negated(before: str) -> bool:
    """Whether what follows these words is told not to be wanted."""
    return bool(_NEGATED.search(before))


def goes_on(behind: str) -> bool:
    """Whether a list of molecules goes on here: "in water, methanol and ammonia" names no solvent."""
    return bool(
        re.match(
            r"\s*,\s*(?!(?:and|or|with|at|using|by|which|then|where|but)\b)[a-z]{4,}[\w ,-]*\band\s+[a-z]{4,}", behind
        )
    )


def _without_last(match: re.Match[str]) -> str:
    """Words that are taken back, blanked from the last preposition on: what stands in front of it stays."""
    cut = [one.start() for one in re.finditer(r"\b(?:with|by|at|using|use|take|in|for)\b", match[0])]
    place = cut[-1] if cut else 0
    return match[0][:place] + re.sub(r"\S", " ", match[0][place:])


# "zero-point energies are not considered", "optimise: no"
DENIED = re.compile(
    r"\w*(?:\s*[:=|]\s*(?:no|none|false|off|not)\b|[^.;:\n]{0,50}\b(?:is|are)\s+not\s+"
    r"(?:considered|needed|wanted|included|required|necessary|asked|computed|taken))"
)


class Stuck(Exception):
    """Something that only a person can settle, or that cannot be done."""

    def __init__(self, reply: Question | Unread) -> None:
        self.reply = reply
        super().__init__(str(reply))


def ask(text: str, *options: str) -> Stuck:
    """A question to the person."""
    return Stuck(Question(text=text, options=list(options)))


@dataclass
class Page:
    """The text and what reading it has settled.

    Attributes:
        text: as given, with dashes and arrows in ASCII of the same length.
        body: the same with the section on ``results.json`` blanked out.
        wishes: that section.
        assumptions: what was settled although the text does not say it.
        spans: words that a specification accounts for.
    """

    task: TaskText
    text: str = ""
    body: str = ""
    wishes: str = ""
    assumptions: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = without_furniture(self.task.text).translate(_SAME_LENGTH)
        self.text = TAKEN_BACK.sub(_without_last, self.text)
        for pattern, same_length in _LATEX:
            self.text = re.sub(pattern, same_length, self.text)
        self.text = re.sub(r"(?<=\d)( ?)A(?=[\s,.;)]|$)", "\\1Å", self.text)
        found = re.search(r"^#+[^\n]*results\.json[^\n]*\n.*?(?=^#+\s|\Z)", self.text, re.M | re.S)
        self.wishes = found[0] if found else ""
        blank = re.sub(r"[^\n]", " ", self.wishes)
        self.body = self.text.replace(self.wishes, blank) if found else self.text

    def says(self, pattern: str) -> re.Match[str] | None:
        """The first place in the body that fits, case aside."""
        return re.search(pattern, self.body, re.I)

    def asks(self, pattern: str) -> re.Match[str] | None:
        """The first place that fits, case aside, and is not told to be left out."""
        for match in re.finditer(pattern, self.body, re.I):
            front = self.body[self.body.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not negated(front) and not DENIED.match(self.body, match.end()):
                return match
        return None

    def wants(self, quantity: str) -> bool:
        """Whether ``results.json`` is to hold `quantity`."""
        return f"`{quantity}`" in self.wishes

    def assume(self, text: str) -> None:
        """Note an assumption once."""
        if text not in self.assumptions:
            self.assumptions.append(text)
