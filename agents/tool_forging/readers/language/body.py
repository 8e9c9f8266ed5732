"""A task's text without the section about ``results.json``, which is read apart, and its sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from labwright.agents.tool_forging.readers.base import Span, TaskText
from labwright.agents.tool_forging.readers.language.clean import Clean, clean
from labwright.agents.tool_forging.readers.language.deliverables import Deliverable, deliverables, section_span
from labwright.agents.tool_forging.readers.language.sentences import Sentence, sentences


@dataclass(frozen=True)
class Body:
    """What readers look at.

    Attributes:
        task: the whole task.
    """

    task: TaskText

    @cached_property
    def plain(self) -> Clean:
        """Cleaned text; the section about results is blank, so that offsets stay those of the task."""
        span = section_span(self.task.text)
        text = self.task.text
        if span:
            blank = "".join("\n" if letter == "\n" else " " for letter in text[slice(*span)])
            text = text[: span[0]] + blank + text[span[1] :]
        return clean(text)

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
