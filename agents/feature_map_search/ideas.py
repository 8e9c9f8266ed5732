"""What the roles of the feature-map search say to one another."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from labwright.agents.feature_map_search.history import in_short
from labwright.tools.feature_maps.recipe import Recipe

Strategy = Literal["graded", "ungraded", "random"]
Direction = Literal["large gain", "gain", "no change", "decline", "large decline", "first"]
STEP = 0.2  # of the change in accuracy, between a moderate and a large one; Sakka et al., Sec. 3.5


def _empty(value: object) -> bool:
    """Whether a prompt can do without it."""
    return value is None or value in ("", {}, [])


class Task(BaseModel):
    """What is searched for. The same for every trial of a search."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    dataset: str
    n_classes: int
    n_train: int
    n_features: int = Field(description="Principal components, in the order of their variance.")
    scaling: str = Field(default="min-max", description="How the components were scaled.")
    n_qubits: int
    gates: list[str] = Field(description="Gates that a feature map may use, as PennyLane spells them.")
    max_two_qubit_gates: int | None = Field(
        default=None, exclude_if=_empty, description="A map with more is thrown out; absent: no limit."
    )
    max_depth: int | None = Field(default=None, exclude_if=_empty, description="Likewise, of layers of gates.")
    wishes: list[str] = Field(
        default_factory=list, exclude_if=_empty, description="Of a person; they hold for every map."
    )
    max_trials: int
    ideas_per_trial: int
    seed: int
    strategy: Strategy = Field(description="How a search without a model goes on; a model need not follow it.")
    max_evaluations: int | None = Field(default=None, description="The search ends after so many; null: no such limit.")


class Data(BaseModel):
    """What the training data are like, and what simple methods reach on them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    preparation: str = Field(description="What was done to the samples.")
    spectrum: list[float] = Field(description="Share of the variance in each component, the first ones.")
    feature_std: list[float] = Field(description="Standard deviation of the prepared components, the first ones.")
    classes: dict[str, int] = Field(description="Training samples of each class.")
    levels: dict[str, float] = Field(description="Selection score of methods with their default settings.")


class Idea(BaseModel):
    """One feature map in words."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(pattern=r"^[A-Z][A-Za-z0-9]{2,79}$", description="A class name for it.")
    explanation: str = Field(min_length=40, description="The circuit, gate by gate, and why it should work.")
    formula: str = Field(min_length=3, description="The map as a TeX formula, without dollar signs.")
    summary: str = Field(description="What it does, in one to three sentences.")
    key_sentences: list[str] = Field(max_length=3, description="What to look for in the papers; empty if none is read.")
    recipe: Recipe | None = Field(description="The same idea as a recipe, if it fits the recipe's grammar; else null.")


class Score(BaseModel):
    """A judgement of an idea before it is tried. It advises only."""

    model_config = ConfigDict(extra="forbid")
    originality: float = Field(ge=0, le=10, description="10: nothing like it is known.")
    feasibility: float = Field(ge=0, le=10, description="10: can be written down at once, with the gates at hand.")
    versatility: float = Field(ge=0, le=10, description="10: would serve any data set.")
    reason: str = Field(description="Why, in one to three sentences.")


class Paper(BaseModel):
    """One passage that was retrieved for an idea."""

    model_config = ConfigDict(extra="forbid")
    title: str
    source: str = Field(description="File or address.")
    summary: str


class Tried(BaseModel):
    """A feature map that was tried, and what came of it; what does not apply is left out where it is written."""

    model_config = ConfigDict(extra="ignore")
    trial: int
    name: str
    summary: str = ""
    formula: str = ""
    code: str = Field(default="", description="The class as it was evaluated; of the best maps only.")
    constants: dict[str, float] = Field(default_factory=dict, description="Its tuned constants and the penalty C.")
    recipe: Recipe | None = None
    score: Score | None = None
    outcome: Literal["evaluated", "illegal", "invalid", "vetoed"]
    reason: str = Field(default="", description="Why it was not evaluated, or what the checks noticed.")
    selection: float | None = Field(None, description="What candidates are ranked by: validation and cross-validation.")
    validation_accuracy: float | None = None
    cross_validation: float | None = None
    alignment: float | None = Field(None, description="Of the kernel with the labels; 1 is perfect.")
    concentration: float | None = Field(None, description="Standard deviation off the kernel's diagonal; 0 is useless.")
    # Kernel and training; not written, so that a recorded search can be played back.
    seconds: float = Field(default=0.0, exclude=True)
    gates: int = 0
    two_qubit_gates: int = 0
    depth: int = 0

    @model_serializer(mode="wrap")
    def _filled(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in written(self).items() if not _empty(value)}


Remembered = Annotated[list[Tried], AfterValidator(in_short)]  # thirty trials would not fit a prompt otherwise


class Review(BaseModel):
    """What the last trial teaches the next one."""

    model_config = ConfigDict(extra="forbid")
    keep: list[str] = Field(description="What worked and should stay; empty if the numbers do not tell.")
    suggestions: list[str] = Field(max_length=3, description="What to change next; empty if completed.")
    completed: bool = Field(description="True only if nothing is left to gain; ends the search.")
    reason: str = Field(description="Why, in one or two sentences.")


class ProposeIn(BaseModel):
    """What the inventor of feature maps knows."""

    task: Task
    data: Data | None = Field(description="None for a search without a model, which decides from scores alone.")
    trial: int = Field(description="Number of this trial, from 1.")
    history: Remembered = Field(description="All that was tried; the best with formula and code, the others in short.")
    review: Review | None
    persons_ideas: list[str] = Field(description="Ideas of a person in their words; the first ideas work them out.")
    n_ideas: int
    reads_papers: bool = Field(default=False, description="Whether papers are looked up with `key_sentences`.")


class ProposeOut(BaseModel):
    """The ideas of one trial."""

    model_config = ConfigDict(extra="forbid")
    ideas: list[Idea]


class CodeFinding(BaseModel):
    """One thing that is wrong with a piece of code."""

    model_config = ConfigDict(extra="forbid")
    rule: str = Field(description="Short name of the rule.")
    message: str
    mend: str


class Wanted(BaseModel):
    """What a coder needs of an idea."""

    model_config = ConfigDict(extra="ignore")
    name: str
    explanation: str
    formula: str


class CodeIn(BaseModel):
    """An idea that is to become code."""

    idea: Wanted
    n_qubits: int
    n_features: int
    template: str = Field(description="The class to fill in.")
    operations: dict[str, str] = Field(description="Signature -> the operations that have it, as installed.")


class CodeOut(BaseModel):
    """A feature map as a Python module."""

    model_config = ConfigDict(extra="forbid")
    code: str = Field(description="The whole module, no Markdown fence.")
    class_name: str = Field(description="The one class in it that is the feature map.")


def direction(before: float | None, now: float | None) -> Direction:
    """Which way the best selection of a trial moved against the trial before it.

    Args:
        before: best selection of the trial before; None if there is none.
        now: of this trial; None if nothing could be evaluated, which counts as 0.
    """
    if before is None:
        return "first"
    change = (now or 0.0) - before
    if change == 0:
        return "no change"
    if change > 0:
        return "large gain" if change > STEP else "gain"
    return "large decline" if change < -STEP else "decline"
