"""What a type of task is: a card, its tools, its scripts, what must hold of its results, its report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from labwright.tools.forge.tasks.results import Results

# Which flag of the evaluation a failed judgement raises.
Fault = Literal["bug", "script_incomplete", "more_simulation", "result_incomplete"]


@dataclass(frozen=True, slots=True)
class Script:
    """One script of a pipeline, run in the workspace's root as ``python script_<n>.py``.

    Attributes:
        purpose: one line.
        source: Python; reads no arguments, records by `labwright.results` (of a trial under a name that ends with
            ``_subset``), draws figures into ``img/``, and prints a line for each step.
        modules: path in the workspace -> content of files that lie beside it.
        subset: a quick trial on a small part, which has to pass before the others run.
        wall_seconds: the most it may take.
        memory_mb: the most it may use.
        threads: processors it can use.
    """

    purpose: str
    source: str
    modules: Mapping[str, str] = field(default_factory=dict)
    subset: bool = False
    wall_seconds: float = 600.0
    memory_mb: int = 4096
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Judgement:
    """One computed statement about results: a sum rule, a limit, a deliverable that is there.

    Attributes:
        passed: whether it holds.
        message: what was looked at and what was found, with numbers and units.
        fault: which flag it raises if it does not hold.
        mend: what to do then.
    """

    name: str
    passed: bool
    message: str
    fault: Fault = "bug"
    mend: str = ""


def drawn(figures: Mapping[str, object], *paths: str) -> Judgement:
    """Whether all these figures are there."""
    message = f"Figures: {', '.join(sorted(figures)) or 'none'}; wanted: {', '.join(paths)}."
    return Judgement("figures", set(paths) <= set(figures), message, "result_incomplete", "Draw what is missing.")


@dataclass(frozen=True, slots=True)
class Computed:
    """What a card comes to: fields of the card, and beside or instead of them those that were computed from it.

    Attributes:
        card: what a person wrote.
        more: computed fields, JSON-plain.
    """

    card: BaseModel
    more: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copying looks for
            raise AttributeError(name)
        return self.more[name] if name in self.more else getattr(self.card, name)

    @property
    def given(self) -> dict[str, Any]:
        """Everything, JSON-plain, as a script gets it."""
        return {**self.card.model_dump(mode="json"), **self.more}


S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Family(Generic[S]):
    """A type of task that known tools can do. Everything here is plain science: no language, no model.

    Attributes:
        name: such as ``dynamics``.
        card: pydantic type of what a person writes: every number and choice of the task, with units in the
            descriptions. What its ``compiled()`` gives, or the card itself, is what the functions below get.
        tools: the tools that a task needs, the plotting ones among them, and for what.
        scripts: the scripts, in order, the subset first where the work is long; gets the task, and tool -> module to
            import it from, such as ``tools.plots.plot_lines``.
        judge: what must hold of the results and the figures, which are figure path -> its plotted data (JSON).
        report: Markdown body: what was done with which conventions, tables, figures, what the numbers mean.
        forewarned: what a person is to know before it begins, where it is long: gets the task and the seconds of a job.
    """

    name: str
    card: type[BaseModel]
    tools: Callable[[S], Mapping[str, str]]
    scripts: Callable[[S, Mapping[str, str]], Sequence[Script]]
    judge: Callable[[S, Results, Mapping[str, object]], Sequence[Judgement]]
    report: Callable[[S, Results, Sequence[str]], str]
    forewarned: Callable[[S, float], Iterable[str]] = lambda _task, _seconds: ()
