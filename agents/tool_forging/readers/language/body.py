"""A task's text without the section about ``results.json``, which is read apart, and its sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from labwright.agents.tool_forging.readers.base import Span, TaskText
from labwright.agents.tool_forging.readers.language.clean import Clean, clean
from labwright.agents.tool_forging.readers.language.deliverables import Deliverable, deliverables, section_span
from labwright.agents.tool_forging.readers.language.orders import sets_the_scene
from labwright.agents.tool_forging.readers.language.purposes import tells_a_purpose, without_purpose
from labwright.agents.tool_forging.readers.language.sentences import Sentence, sentences
from labwright.agents.tool_forging.readers.language.traced import replaced


@dataclass(frozen=True)
class Body:
    """What readers look at.

    Attributes:
        task: the whole task.
    """

    task: TaskText

    @cached_property
    def plain(self) -> Clean:
        """Cleaned text in which the section about results and what only sets the scene are blank; offsets stay."""
        span = section_span(self.task.text)
        text = self.task.text
        if span:
            blank = "".join("\n" if letter == "\n" else " " for letter in text[slice(*span)])
            text = text[: span[0]] + blank + text[span[1] :]
        return _without_scenery(_ratios(clean(text)))

    @cached_property
    def text(self) -> str:
        """The cleaned text."""
        return self.plain.text

    @cached_property
    def sentences(self) -> list[Sentence]:
        """Its sentences, headings among them."""
        return sentences(self.plain)

    @cached_property
    def wanted(self) -> list[Deliverable]:
        """The items of the section about results."""
        return deliverables(self.task.text)

    @cached_property
    def title(self) -> str:
        """The first heading, or the first words."""
        return self.heading or " ".join(self.text.split()[:8])

    @cached_property
    def heading(self) -> str:
        """The first heading; empty if there is none."""
        return next((one.text for one in self.sentences if one.is_heading), "")

    def original(self, start: int, end: int) -> str:
        """The words of the task that a stretch of the cleaned text came from."""
        return " ".join(self.task.text[slice(*self.plain.span(start, end))].split())

    def span(self, sentence: Sentence) -> Span:
        """Of a sentence, in the original text."""
        return self.plain.span(sentence.start, sentence.end)


_RATIO = re.compile(
    r"(?<![\w/])(?P<top>[A-Za-z]+_?\{?\w*\}?)\s*/\s*(?P<unit>[A-Za-z]+_?\{?\w*\}?)"
    r"(?=\s*(?:=|:|in\s*[\[{(]|(?:from|of|between)\s+[-\d.]))"
)


def _ratios(plain: Clean) -> Clean:
    """``J_2/J_1 = 0.3`` as ``J_2 = 0.3`` where the text sets ``J_1 = 1``."""

    def without_unit(match: re.Match[str]) -> str:
        unit = re.escape(match["unit"])
        one = re.search(rf"(?<![\w/]){unit}\s*(?:=|is|:|set to)\s*1(?:\.0*)?(?![\d.]*\d)", match.string)
        return match["top"] if one else match[0]

    return replaced(plain, _RATIO, without_unit)


def _without_scenery(plain: Clean) -> Clean:
    """Blanks in place of sentences that order nothing and set nothing, so that nobody reads a condition into them."""
    text = plain.text
    for one in sentences(plain):
        if one.is_heading:
            continue
        if tells_a_purpose(one.text):
            text = text[: one.start] + without_purpose(one.text) + text[one.end :]
        elif sets_the_scene(one.text):
            text = text[: one.start] + re.sub(r"\S", " ", one.text) + text[one.end :]
    return replace(plain, text=text)
