"""What a person chooses when a search starts. Stored in the state, so that a resumed run keeps it."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from labwright.agents.feature_map_search.ideas import Strategy
from labwright.graphs.questions import AnswerPolicy, Approval
from labwright.tools.feature_maps.recipe import Recipe
from labwright.tools.sandbox.base import Level
from labwright.tools.specifications.search import Processor, data_in, whole_or_share

MAP_COST = 1.3  # evaluations for each map where nothing else is said: its own, and some to tune the best


class Choices(BaseModel):
    """Options of one search."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    words: str = Field(default="", description="The search in words, for a model to read; other choices are settled.")
    folder: str = Field(default=".", description="Folder that paths in the words count from.")
    dataset: str = Field(
        default="digits",
        description="`digits`, `digits-augmented`, `mnist:FOLDER`, `fashion-mnist:FOLDER`, `cifar-10:FOLDER`,"
        " or a file (.npz, .csv).",
    )
    test: str = Field(
        default="", description="Test samples of their own: a file or folder, or `official`; empty: none."
    )
    preparation: Literal["auto", "min-max", "standardise", "whiten", "none"] = Field(
        default="auto", description="How principal components are scaled; `auto`: chosen by validation."
    )
    trials: int = Field(default=20, ge=1, le=1000, description="Rounds of ideas, each followed by a review.")
    ideas: int = Field(default=2, ge=1, le=20, description="Feature maps tried in one trial.")
    qubits: int = Field(default=10, ge=2, le=20, description="Qubits of a feature map.")
    features: float | None = Field(
        default=None, gt=0, le=1024, description="Principal components or share of the variance; unset: the data's own."
    )
    evaluations: int | None = Field(default=None, ge=1, description="Of kernels, in all; each baseline gets as many.")
    seed: int = Field(default=0, ge=0, description="Of the split, the rules' draws and every tuning.")
    mind: str = Field(default="rules", description="`rules`, or `provider:model`.")
    approval: Approval = Field(
        default="risky", description="`always` asks about every idea; sandboxed code counts as harmless."
    )
    plan_first: bool = Field(default=False, description="Show what was read before anything runs.")
    answers: AnswerPolicy = Field(default="ask", description="Who answers open questions.")
    budget: str = Field(default="", description="Such as `tokens=20000,calls=50,seconds=600,money=2`.")
    strategy: Strategy = Field(default="graded", description="How the rules mind searches.")
    proposed_by: Literal["model", "rules"] = Field(default="model", description="Who proposes maps, if a model may.")
    precision: str = Field(default="complex64", pattern="^complex(64|128)$", description="Of the simulated states.")
    memory_mb: float = Field(default=4096.0, gt=0, description="Most memory for a data set or a kernel.")
    folds: int = Field(default=3, ge=2, le=20, description="Of the cross-validation on the training part.")
    scoring_rounds: int = Field(default=3, ge=1, le=10, description="Most rounds of scoring and reading of one idea.")
    reflection_rounds: int = Field(default=3, ge=0, le=10, description="Most improvements of an idea before its code.")
    papers: str = Field(default="", description="Folder of papers (PDF or text) to look things up in; empty: none.")
    papers_from: str = Field(
        default="", description="LangChain loader or retriever, package.module:factory, in place of a folder."
    )
    persons_ideas: tuple[str | Recipe, ...] = Field(default=(), description="Ideas to start from: recipes, or words.")
    for_every_map: tuple[str, ...] = Field(default=(), description="Wishes in words for every map, for a model.")
    allow: Literal["all", "noncommuting"] = Field(
        default="all", description="`noncommuting`: no map whose kernel depends on differences of the features only."
    )
    gates: tuple[str, ...] | None = Field(default=None, description="The only gates of a map; unset: all there are.")
    max_two_qubit_gates: int | None = Field(default=None, ge=0, description="Of a map; unset: no limit.")
    max_depth: int | None = Field(default=None, ge=1, description="Of a map; unset: no limit.")
    tune: bool = Field(default=True, description="Try other constants and penalties of each map.")
    baselines: tuple[str, ...] | None = Field(default=None, description="Kernels to compare with; unset: all.")
    processor: Processor | None = Field(default=None, description="A calibrated chip that the best kernel is run on.")
    sandbox: Level = Field(default="landlock", description="The weakest confinement that candidate code may run in.")
    figures: bool = Field(default=True, description="Draw trajectory, circuit and kernel.")
    check_mode: str = Field(default="guided", pattern="^(guided|unguided)$", description="How code is self-checked.")

    @property
    def by_rules(self) -> bool:
        """Whether the built-in search proposes the maps, once it is read what is wanted."""
        return self.mind == "rules" or (self.proposed_by == "rules" and not self.words)

    @property
    def budget_of_evaluations(self) -> int:
        """Evaluations of the search in all, and settings tried for each baseline."""
        from labwright.tools.feature_maps.preparation_choice import COST

        if self.evaluations is not None:
            return self.evaluations
        return ceil(MAP_COST * self.trials * self.ideas) + (COST if self.preparation == "auto" else 0)

    @model_validator(mode="after")
    def _auto_has_room(self) -> Choices:
        from labwright.tools.feature_maps.preparation_choice import COST

        if self.preparation == "auto" and self.evaluations is not None and self.evaluations <= COST:
            raise ValueError(
                f"`preparation: auto` spends {COST} evaluations, and {self.evaluations} are allowed;"
                " allow more, or name a preparation such as min-max"
            )
        return self

    @field_validator("features")
    @classmethod
    def _whole_or_share(cls, features: float | None) -> float | None:
        return whole_or_share(features)

    @field_validator("dataset", "test")
    @classmethod
    def _absolute(cls, name: str) -> str:
        """A run may be resumed from another folder, so paths are made whole at once."""
        return data_in(Path.cwd(), name)

    @field_validator("persons_ideas")
    @classmethod
    def _words(cls, ideas: tuple[str | Recipe, ...]) -> tuple[str | Recipe, ...]:
        if not all(idea.strip() for idea in ideas if isinstance(idea, str)):
            raise ValueError("an idea has no words; say what should be tried")
        return ideas

    @field_validator("papers")
    @classmethod
    def _absolute_folder(cls, folder: str) -> str:
        return str(Path(folder).expanduser().absolute()) if folder else ""
