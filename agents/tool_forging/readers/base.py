"""What a reader is: it turns a task's words into the specification of a family, asks, or leaves the task to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

from labwright.agents.call import Question

Span = tuple[int, int]  # of characters in the task's text, end excluded


@dataclass(frozen=True, slots=True)
class TaskText:
    """A task as a person gave it.

    Attributes:
        text: ``question.md``; answers to questions stand at its end under ``## Clarifications``.
        inputs: name -> content of the text files in ``inputs/``; None for one that is no text.
    """

    text: str
    inputs: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader understood.

    Attributes:
        family: name of the family.
        spec: its specification.
        covered: spans of the text that the specification accounts for. A demand outside of all readings' spans makes
            the task one that the book cannot do.
        assumptions: what was settled although the text does not say it, with the consequence; goes into the report.
    """

    family: str
    spec: BaseModel
    covered: Sequence[Span]
    assumptions: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """The task is of this reader's family, but something in it cannot be done or understood.

    Attributes:
        words: the words of the task, as they stand.
        reason: why, and what tool would be needed.
        passages: the words one by one, where `words` lists several places of the task.
    """

    words: str
    reason: str
    passages: Sequence[str] = ()


class Reader(Protocol):
    """One family's reader. General: it knows the family's words, no task's."""

    @property
    def family(self) -> str: ...

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """The reading; a question where the text is contradictory or a needed number is missing and no default is
        honest; `Unread` where the family is meant but something is beyond it; None where the task is not of it."""
        ...
