"""State of the reading, and what a system brings to it. Small and JSON-plain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from typing_extensions import TypedDict

from labwright.agents.typed_call import Question, Refusal
from labwright.tools.specifications.base import Problem
from labwright.tools.specifications.nearest_runnable_lines import Nearest

Origin = Literal["", "written", "short form", "model", "person"]
Standing = Literal["open", "done", "refused", "stopped"]
Then = Literal["draft", "validate", "repair", "cover", "person", "end"]
MOST_REPAIRS = 3  # rounds of draft, findings, repair
MOST_COVERS = 2  # looks of the second agent


class UnderstandState(TypedDict, total=False):
    """The keys that a system's state shares with the subgraph."""

    run_dir: str
    choices: dict[str, Any]
    words: str  # what the person said, corrections below each other; a written document as it stands
    draft: dict[str, Any]  # the specification's plain data as far as it has come
    origin: Origin
    sources: dict[str, str]  # path -> quotation from the words, or a reason
    left_out: list[str]  # phrases of the words that the draft leaves out, as its author says
    assumed: list[str]  # what the draft settles although the words do not, as its author says
    problems: list[dict[str, Any]]  # of the last validation
    uncovered: list[dict[str, Any]]  # findings of the second agent that are open
    disputed: list[dict[str, Any]]  # findings that the repairing agent did not agree with
    settled: list[list[str]]  # (phrase, path) that were dealt with
    repairs: int
    covers: int
    reading: list[str]  # assumptions of the specification, each with its consequence
    nearest: dict[str, Any]  # what is offered for words that were not read
    asked: dict[str, Any]  # a question of the drafting agent
    before: dict[str, Any]  # of a plan that a correction changes: what was shown of it, and what was told beside it
    go: bool  # whether the correction says to run what comes of it
    correction: str  # words that change a specification which stands; they become patches
    asks: int  # answers of the person so far
    then: Then  # the next node
    standing: Standing
    why: str  # of a refusal or stop; what was wrong with the last answer


@dataclass(frozen=True)
class Drafted:
    """A draft of a specification.

    Attributes:
        data: plain data of the document.
        sources: path -> quotation or reason.
        left_out: phrases that it leaves out.
        assumed: what it settles although the words do not.
    """

    data: dict[str, Any]
    sources: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """A validated draft: completed data, what is wrong with it, what was assumed."""

    data: dict[str, Any]
    problems: list[Problem] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)


class Filler(Protocol):
    """Takes answers to questions for missing values as data, where a value is more than one field."""

    def form(self, problem: Problem) -> dict[str, Any] | None:
        """A form for the answer; None where a line of text does."""
        ...

    def fill(self, data: dict[str, Any], problem: Problem, said: str, value: dict[str, Any]) -> dict[str, Any]:
        """A copy of the draft with the answer in its place.

        Raises:
            SpecificationError: the answer does not settle the question; says in other words what would.
        """
        ...


class Bound(Protocol):
    """One system's reading, bound to one run."""

    system: str
    elsewhere: str  # how else the words can be done, as an option: then what is left out is no obstacle; empty: not
    grows: bool  # whether mappings of the specification take new names
    corrects: bool  # whether words that come later change the draft by patches; it is drafted anew otherwise

    @property
    def filler(self) -> Filler | None:
        """Takes answers as data; None where the words of an answer are the value."""
        ...

    @property
    def reads_words(self) -> bool:
        """Whether there is a model for words."""
        ...

    def parse(self, words: str) -> tuple[Drafted, Origin] | None:
        """What is formal: a written document or the short form. None for other words.

        Raises:
            InputError: a document that is malformed.
        """
        ...

    def draft(self, words: str) -> Drafted | Question | Refusal:
        """The model's draft of free words."""
        ...

    def check(self, data: dict[str, Any], *, read: bool) -> Checked:
        """Complete and check a draft; facts only. `read`: a model read it from words.

        Raises:
            SpecificationError: it does not have the form of a specification.
        """
        ...

    def nearest(self, words: str) -> Nearest:
        """Filled lines nearest to words that were not read."""
        ...

    def read_back(self, data: dict[str, Any], *, sampling: bool = False) -> str:
        """The specification in plain sentences (Markdown): what is done, what it writes and costs.

        With `sampling` also what each step takes where the specification leaves it to defaults, for a person.
        """
        ...

    def how(self, data: dict[str, Any]) -> list[str]:
        """How it will be done and judged, in sentences that only the person is shown."""
        ...

    def example(self) -> str:
        """One example of a specification, for the repairing agent."""
        ...

    def besides(self, state: Mapping[str, Any]) -> str:
        """What was settled besides the words, such as chosen qubits; empty if nothing."""
        ...

    def asks(self, state: Mapping[str, Any]) -> bool:
        """Whether a person is to see the specification although nothing is open."""
        ...

    def words_start(self) -> bool:
        """Whether a person's yes that a model reads in words may start it: nothing in it needs their own approval."""
        ...

    def needs_leave(self, before: dict[str, Any], after: dict[str, Any]) -> bool:
        """Whether a plan that was shown and then changed must be agreed to although the change says to run it."""
        ...

    def save(self, data: dict[str, Any]) -> None:
        """Write the specification into the run folder."""
        ...

    def ask(self, call: Any, given: Any) -> Any:
        """One typed call of an agent."""
        ...

    def emit(self, event: dict[str, Any], once: str) -> None:
        """Log an event."""
        ...

    @property
    def defaults(self) -> bool:
        """Whether open questions take their default."""
        ...


class Reader(Protocol):
    """What a system knows about its specification."""

    def bound(self, state: Mapping[str, Any]) -> Bound:
        """The reading of the run that `state` belongs to."""
        ...
