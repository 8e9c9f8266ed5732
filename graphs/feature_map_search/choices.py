"""What a person chooses when a search starts. Stored in the state, so that a resumed run keeps it."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator

from labwright.agents.feature_map_search.ideas import Strategy
from labwright.graphs.questions import AnswerPolicy, Approval
from labwright.tools.sandbox.base import Level

FOLDERS = ("mnist", "fashion-mnist", "cifar-10")  # data sets that are named with a folder: ``mnist:FOLDER``
FILES = (".npz", ".csv")


class Choices(BaseModel):
    """Options of one search."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    dataset: str = Field(
        default="digits",
        description="`digits`, `digits-augmented`, `mnist:FOLDER`, `fashion-mnist:FOLDER`, `cifar-10:FOLDER`,"
        " or a file (.npz, .csv).",
    )
    trials: int = Field(default=30, ge=1, le=1000, description="Rounds of ideas, each followed by a review.")
    ideas: int = Field(default=2, ge=1, le=20, description="Feature maps tried in one trial.")
    qubits: int = Field(default=10, ge=2, le=20, description="Qubits of a feature map.")
    features: int | None = Field(
        default=None, ge=1, le=1024, description="Principal components; unset: 40 for digits, else at most 80."
    )
    evaluations: int | None = Field(default=None, ge=1, description="The search ends after so many evaluations.")
    seed: int = Field(default=0, ge=0, description="Of the split, the rules' draws and every tuning.")
    mind: str = Field(default="rules", description="`rules`, or `provider:model`.")
    approval: Approval = Field(
        default="risky", description="`always` asks about every idea; sandboxed code counts as harmless."
    )
    answers: AnswerPolicy = Field(default="ask", description="Who answers open questions.")
    budget: str = Field(default="", description="Such as `tokens=20000,calls=50,seconds=600,money=2`.")
    strategy: Strategy = Field(default="graded", description="How the rules mind searches.")
    precision: str = Field(default="complex64", pattern="^complex(64|128)$", description="Of the simulated states.")
    memory_mb: float = Field(default=4096.0, gt=0, description="Most memory for a data set or a kernel.")
    folds: int = Field(default=3, ge=2, le=20, description="Of the cross-validation on the training part.")
    scoring_rounds: int = Field(default=3, ge=1, le=10, description="Most rounds of scoring and reading of one idea.")
    reflection_rounds: int = Field(default=3, ge=0, le=10, description="Most improvements of an idea before its code.")
    papers: str = Field(default="", description="Folder of papers (PDF or text) to look things up in; empty: none.")
    persons_ideas: tuple[str, ...] = Field(default=(), description="Ideas to start from, in words.")
    baselines: tuple[str, ...] | None = Field(default=None, description="Kernels to compare with; unset: all.")
    tuning_trials: int = Field(default=10, ge=1, le=1000, description="Settings tried for each tuned baseline.")
    sandbox: Level = Field(default="landlock", description="The weakest confinement that candidate code may run in.")
    scheduler: str = Field(default="", description="Address of a Dask scheduler that shares out kernel blocks.")
    figures: bool = Field(default=True, description="Draw trajectory, circuit and kernel.")
    check_mode: str = Field(default="guided", pattern="^(guided|unguided)$", description="How code is self-checked.")

    @field_validator("dataset")
    @classmethod
    def _absolute(cls, name: str) -> str:
        """A run may be resumed from another folder, so paths are made whole at once."""
        kind, colon, folder = name.partition(":")
        if colon and kind in FOLDERS and folder:
            return f"{kind}:{Path(folder).expanduser().absolute()}"
        return str(Path(name).expanduser().absolute()) if name.lower().endswith(FILES) else name

    @field_validator("persons_ideas")
    @classmethod
    def _words(cls, ideas: tuple[str, ...]) -> tuple[str, ...]:
        if not all(idea.strip() for idea in ideas):
            raise ValueError("an idea has no words; say what should be tried")
        return ideas

    @field_validator("papers")
    @classmethod
    def _absolute_folder(cls, folder: str) -> str:
        return str(Path(folder).expanduser().absolute()) if folder else ""
