"""`TaskSpec`: a task to compute. A card says it completely; a free task is words, and needs a model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator, model_validator

from labwright.tools.specifications.base import Problem, Specification, SpecificationError
from labwright.tools.specifications.yaml_files import is_document, read_document, validated

SYSTEM, FREE = "tool_forging", "free"
Name = Annotated[str, Field(min_length=1, max_length=300)]


class TaskSpec(Specification):
    """What every task has. What a person grants (model, toolset, sandbox) stands outside."""

    system: Literal["tool_forging"] = "tool_forging"
    task: str = Field(default=FREE, description="Kind of the task: `free` for words, or that of a card.")
    question: str = Field(default="", max_length=200_000, description="What is to be computed, in words.")
    inputs: list[Name] = Field(
        default_factory=list,
        max_length=200,
        description="Files of the task, or folders of them, in or below the folder of this document.",
    )
    seed: int = Field(default=0, ge=0, lt=2**63, description="Of every random draw that the task leaves open.")
    threads: int = Field(default=2, ge=1, le=256, description="Processors that one job may use.")
    memory_mb: int = Field(default=8192, ge=256, description="Most memory of one job, MB.")
    job_seconds: float = Field(default=3600.0, gt=0, description="Longest time of one job, s.")

    @field_validator("inputs")
    @classmethod
    def _beside(cls, inputs: list[str]) -> list[str]:
        """A document must not hand over what lies elsewhere on the machine."""
        for name in inputs:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or name.startswith("~"):
                raise ValueError(f"The input {name!r} lies outside the folder of this document. Put it beside it.")
        names = [PurePosixPath(name).name for name in inputs]
        if len(set(names)) != len(names):
            raise ValueError("Two inputs have one name. Rename one.")
        return inputs

    @classmethod
    def kinds(cls) -> Mapping[str, type[Specification]]:
        """Every kind of task."""
        return task_kinds()

    @classmethod
    def kind_for(cls, data: Mapping[str, Any]) -> type[Specification]:
        """The kind of task that `data` names.

        Raises:
            SpecificationError: there is no such kind.
        """
        name = data.get("task", FREE)
        if name not in task_kinds():
            fix = f"Write one of: {', '.join(task_kinds())}."
            raise SpecificationError([Problem(("task",), f"There is no kind of task {name!r}.", fix)])
        return task_kinds()[name]


class FreeTask(TaskSpec):
    """A task in words; a model reads it, and tools that are missing are forged."""

    task: Literal["free"] = "free"
    question: str = Field(min_length=1, max_length=200_000, description="What is to be computed, as in question.md.")
    mode: Literal["forge", "reuse", "direct"] = Field(
        default="forge", description="forge: missing tools are made; reuse: none is; direct: no tools."
    )
    iterations: int = Field(default=5, ge=1, le=5, description="Most solutions tried.")

    @field_validator("question")
    @classmethod
    def _words(cls, question: str) -> str:
        if not question.strip():
            raise ValueError("The question is empty. Write what is to be computed.")
        return question


class Named(BaseModel):
    """One result of a card, picked out, or computed from those named before it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    of: str = Field(default="", max_length=300, description="Quantity, as results.json has it.")
    expression: str = Field(
        default="", max_length=2000, description="Of names above, in place of `of`: 8*heat, max(p)."
    )
    unit: str = Field(default="", max_length=40, description="That it is given in; of an expression, that it has.")
    labels: dict[str, str | float | int | bool] = Field(default_factory=dict, description="That tell it from its like.")
    at: dict[str, float] = Field(default_factory=dict, description="Axis -> position on it, a point of the grid.")
    fit: str = Field(default="", max_length=500, description="Formula of x, the axis, and of `guess`: a*exp(-x/tau).")
    guess: dict[str, float] = Field(default_factory=dict, description="Its numbers, the name itself among them.")
    window: tuple[float, float] | None = Field(default=None, description="The part of the axis that is fitted.")
    tolerance: float = Field(default=0.02, gt=0, le=1, description="Largest misfit (rms), of the curve's range.")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.of) == bool(self.expression) or (self.expression and (self.labels or self.at)):
            raise ValueError("A name is of one result. Write `of`, with `labels` and `at`, or an `expression`.")
        if self.fit or self.guess:
            if not self.fit or not self.guess:
                raise ValueError("a fit needs a formula and a guess. Write fit: a*exp(-x/tau), guess: {a: 1, tau: 5}.")
            from labwright.tools.forge.tasks.expressions import CONSTANTS, FUNCTIONS, names_in

            words, known = names_in(self.fit), {"x", *self.guess}
            for name in sorted((words - known - {*CONSTANTS, *FUNCTIONS}) | (known - words)):
                told = (
                    "not in guess. Give it a number to begin at."
                    if name in words
                    else "not in it. Use it, or leave it."
                )
                raise ValueError(f"of the formula {self.fit!r}: {name} is {told}")
        return self


class Card(TaskSpec):
    """A task that is said completely: the family of its kind computes it without a model."""

    tables: dict[Name, list[Name]] = Field(
        default_factory=dict,
        max_length=20,
        description="CSV files: name -> columns: an axis, or a quantity with values of its labels, as `concurrence A`.",
    )

    named: dict[Name, Named] = Field(
        default_factory=dict,
        max_length=50,
        description="Results under names of one's own: name -> {of: quantity, labels: {...}, at: {axis: position}}.",
    )

    @field_validator("named")
    @classmethod
    def _fits_name_a_number(cls, named: dict[str, Named]) -> dict[str, Named]:
        for name, one in named.items():
            if one.fit and name not in one.guess:
                raise ValueError(f"{name} is no number of its fit. Name it after one of {', '.join(one.guess)}.")
        return named

    @field_validator("tables")
    @classmethod
    def _plain_names(cls, tables: dict[str, list[str]]) -> dict[str, list[str]]:
        for name, columns in tables.items():
            if PurePosixPath(name).name != name or not name.endswith(".csv") or not columns:
                raise ValueError(f"{name!r} is no table. Write a plain name such as populations.csv, and its columns.")
        return tables

    def check_inputs(self, files: Mapping[str, bytes]) -> None:
        """Refuse input files, path in the workspace -> content, that the card cannot be computed with."""

    def compiled(self) -> Any:
        """What the functions of the family get; the card itself where nothing is computed from it."""
        return self

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        from labwright.tools.forge.tasks.recorded_quantities import check_named

        check_named(self.task, self.compiled(), self.named)
        return self

    def unsaid(self) -> list[str]:
        """What the card leaves to defaults that matter, one sentence each."""
        own = {name: getattr(self, name) for name in type(self).model_fields if name not in Card.model_fields}
        return [
            f"{name} = {value}, the default of the card."
            for name, value in own.items()
            if name not in self.model_fields_set
            and isinstance(value, bool | int | float | str)
            and value not in ("", False)
        ]


@cache
def task_kinds() -> dict[str, type[TaskSpec]]:
    """Kind of task -> its type: the card of every family, then the free task."""
    from labwright.tools.forge.tasks import families

    return {**{name: card_type(name, one.card) for name, one in families().items()}, FREE: FreeTask}


@cache
def card_type(name: str, spec: type[BaseModel]) -> type[Card]:
    """A family's specification as a card."""
    title = "".join(part.capitalize() for part in name.split("_")) + "Card"
    kind, bases = cast("Any", Literal[name]), cast("Any", (spec, Card))
    made: type[Card] = create_model(title, __base__=bases, __doc__=spec.__doc__, task=(kind, ...))
    return made


def read_card(text: str, kinds: Mapping[str, type[TaskSpec]] | None = None) -> Card | None:
    """The card that a task's text is, YAML or Markdown with front matter; None for words.

    Raises:
        SpecificationError: it is a card with a mistake; says line, field, cause and cure.
    """
    if not is_document(text) or "\ntask:" not in f"\n{text}":
        return None
    document = read_document(text)
    try:
        kind = (kinds or {}).get(document.data.get("task", FREE)) or TaskSpec.kind_for(document.data)
    except SpecificationError as wrong:
        raise SpecificationError(wrong.problems, lines=document.lines) from None
    found = validated(kind, document.data, lines=document.lines)
    return found if isinstance(found, Card) else None


def said_in(spec: TaskSpec) -> dict[str, Any]:
    """What a task says of its run, as far as it is written there."""
    common = ("title", "seed", "threads", "memory_mb", "job_seconds", "mode", "iterations")
    names = common if isinstance(spec, FreeTask) else common[:-2]
    return {name: getattr(spec, name) for name in names if name in spec.model_fields_set}
