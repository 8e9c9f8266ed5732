"""What a family of tasks is: a typed specification, its tools, its scripts, and what must hold of its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from labwright.tools.forge.tasks.results import Results

# Which flag of the evaluation a failed judgement raises.
Fault = Literal["bug", "script_incomplete", "more_simulation", "result_incomplete"]


@dataclass(frozen=True, slots=True)
class Need:
    """A tool of the recipe book that a task needs, and for what."""

    recipe: str
    why: str


@dataclass(frozen=True, slots=True)
class Script:
    """One script of a pipeline, run in the workspace's root as ``python script_<n>.py``.

    Attributes:
        purpose: one line.
        source: Python; reads no arguments, writes ``results/<family>.json`` (or ``results/<family>_subset.json``) in
            the form of `labwright.tools.forge.tasks.results.Results`, figures to ``img/``, and prints a line for each step.
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


S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Family(Generic[S]):
    """A kind of task that known recipes can do. Everything here is plain science: no language, no model.

    Attributes:
        name: such as ``dynamics``.
        spec: pydantic type of the specification: every number and choice of the task, with units in the descriptions.
        tools: the recipes that a specification needs, the plotting ones among them, and for what.
        scripts: the scripts, in order, the subset first where the work is long; gets the specification, and recipe ->
            module to import it from, such as ``tools.plots.plot_lines``.
        judge: what must hold of the results and the figures, which are figure path -> its plotted data (JSON).
        report: Markdown body: what was done with which conventions, tables, figures, what the numbers mean.
        card: what a person writes, where that is not the specification itself.
    """

    name: str
    spec: type[S]
    tools: Callable[[S], Mapping[str, str]]
    scripts: Callable[[S, Mapping[str, str]], Sequence[Script]]
    judge: Callable[[S, Results, Mapping[str, object]], Sequence[Judgement]]
    report: Callable[[S, Results, Sequence[str]], str]
    card: type[BaseModel] | None = None

    def needs(self, spec: S) -> Sequence[Need]:
        """The recipes that `spec` needs."""
        return [Need(name, why) for name, why in self.tools(spec).items()]
