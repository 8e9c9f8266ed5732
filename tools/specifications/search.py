"""`SearchSpec`: which data a feature map is searched for, how long, and what it is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from labwright.tools.feature_maps.recipe import Recipe
from labwright.tools.specifications.base import Specification

SYSTEM = "feature_map_search"
FOLDERS = ("mnist", "fashion-mnist", "cifar-10")  # data sets that are named with a folder
Idea = Annotated[str, Field(min_length=1, max_length=4000)]


def whole_or_share(features: float | None) -> float | None:
    """A number of components as a whole number, or a share of the variance as it is.

    Raises:
        ValueError: it is neither.
    """
    if features is None or features < 1:
        return features
    if features != int(features):
        raise ValueError(
            f"{features:g} is no number of components. Write a whole number, or a share of the variance below 1."
        )
    return int(features)


def data_in(folder: Path, name: str) -> str:
    """A data set's name; the path of a file, or of the folder of ``mnist:FOLDER``, counts from `folder`."""
    kind, colon, place = name.partition(":")
    if colon and kind in FOLDERS and place:
        return f"{kind}:{(folder / Path(place).expanduser()).absolute()}"
    is_file = name.lower().endswith((".npz", ".csv"))
    return str((folder / Path(name).expanduser()).absolute()) if is_file else name


class Processor(BaseModel):
    """A chip that a calibration brought up, and how much of the kernel is measured on it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    run: str = Field(max_length=200, description="The calibration: id of its run, in a sequence {from: LABEL.run_id}.")
    qubits: list[str] = Field(
        min_length=2, max_length=3, description="Qubits of wires 0, 1, 2; neighbours are coupled."
    )
    gate_errors: dict[str, float] = Field(
        default_factory=dict, description="Qubit -> error of a gate; what the calibration measured if empty."
    )
    pair_errors: dict[str, float] = Field(
        default_factory=dict, description="Pair, such as Q1-Q2 -> error of its CZ; likewise."
    )
    train: int = Field(default=8, ge=2, le=60, description="Training samples on the chip.")
    test: int = Field(default=8, ge=1, le=60, description="Test samples on the chip.")
    shots: int = Field(default=2000, ge=100, le=20000, description="Of each entry of the kernel.")


class SearchSpec(Specification):
    """A search of a quantum feature map for classification. Maps get principal components, never the raw features.

    What a person grants (model, sandbox, budget) stands outside.
    """

    system: Literal["feature_map_search"] = "feature_map_search"
    words: str = Field(
        default="",
        max_length=20_000,
        description="The search in words, for a model that writes the other fields; those that stand here are settled.",
    )
    dataset: str = Field(
        default="digits",
        max_length=1000,
        description="`digits`, `digits-augmented`, `digits-quantum`, `digits-observable`, `iris`, `wine`,"
        " `breast-cancer`, `moons`, `circles`, `mnist:FOLDER`, `fashion-mnist:FOLDER`, `cifar-10:FOLDER`, or a file"
        " (.npz, .csv); paths count from the folder of this document.",
        examples=["digits", "data/samples.csv"],
    )
    test: str = Field(
        default="",
        max_length=1000,
        description="Test samples of their own: a file or folder like `dataset`, or `official` for the test images of"
        " an image folder; empty: a fifth of the data set.",
    )
    preparation: Literal["auto", "min-max", "standardise", "whiten", "none"] = Field(
        default="auto",
        description="How principal components are scaled. `min-max`: each to 0..1 by its smallest and largest value;"
        " `standardise`: of raw features with mean 0 and variance 1, `none`: of raw features as they are; both keep the"
        " components' ratios, the widest spans 1; `whiten`: each has the same variance; `auto` spends 8 evaluations to"
        " choose one by validation.",
    )
    trials: int = Field(default=20, ge=1, le=1000, description="Rounds of ideas, each followed by a review.")
    ideas: int = Field(default=2, ge=1, le=20, description="Feature maps tried in one trial.")
    qubits: int = Field(
        default=10, ge=2, le=20, description="Wires of every map; it may leave some unused, so that at most 6 is 6."
    )
    features: float | None = Field(
        default=None,
        gt=0,
        le=1024,
        description="Principal components, or below 1 the share of variance; 40 for digits, else at most 80 if empty.",
    )
    evaluations: int | None = Field(
        default=None,
        ge=1,
        description="Kernels evaluated in all, and settings tried for each baseline; empty: 1.3 for each map, and those"
        " of `preparation: auto`. What new maps do not need tunes their constants.",
    )
    seed: int = Field(default=0, ge=0, lt=2**63, description="Of the split, the draws and every tuning.")
    strategy: Literal["graded", "ungraded", "random"] = Field(
        default="graded", description="How a search without a model goes on from what it has found."
    )
    proposed_by: Literal["model", "rules"] = Field(
        default="model",
        description="Who proposes maps where there is a model; `rules`: the built-in search, without its calls.",
    )
    persons_ideas: list[Idea | Recipe] = Field(
        default_factory=list, max_length=20, description="Ideas to start from: recipes, or words for a model."
    )
    for_every_map: list[Idea] = Field(
        default_factory=list,
        max_length=20,
        description="What every map has to be like and no other field says, in words; a model that proposes maps heeds"
        " it, no program enforces it.",
    )
    papers: str = Field(default="", max_length=1000, description="Folder of papers (PDF or text) to look things up in.")
    allow: Literal["all", "noncommuting"] = Field(
        default="all",
        description="`noncommuting`: no map whose kernel depends on differences of the features only, as a classical"
        " kernel does.",
    )
    gates: list[str] | None = Field(
        default=None,
        min_length=1,
        max_length=40,
        description="The only gates that a map may use, as PennyLane spells them; empty: every gate that can be"
        " simulated. A map with another gate is not evaluated, whoever proposed it.",
    )
    max_two_qubit_gates: int | None = Field(
        default=None, ge=0, description="Most gates on two or more qubits in a map; empty: no limit."
    )
    max_depth: int | None = Field(
        default=None, ge=1, description="Most layers of gates in a map, gates on other qubits side by side; likewise."
    )
    tune: bool = Field(
        default=True,
        description="Whether other constants and penalties C of each map are tried; false: maps stay as proposed.",
    )
    baselines: list[str] | None = Field(
        default=None,
        max_length=50,
        description="Methods to compare with, such as standard_rbf; left out: all; []: none.",
    )
    processor: Processor | None = Field(
        default=None, description="Measure the best map's kernel on a calibrated simulated chip; none if empty."
    )
    folds: int = Field(default=3, ge=2, le=20, description="Of the cross-validation on the training part.")
    scoring_rounds: int = Field(default=3, ge=1, le=10, description="Most rounds of scoring and reading of one idea.")
    reflection_rounds: int = Field(default=3, ge=0, le=10, description="Most improvements of an idea before its code.")
    precision: Literal["complex64", "complex128"] = Field(default="complex64", description="Of the simulated states.")
    memory_mb: float = Field(default=4096.0, gt=0, description="Most memory for a data set or a kernel, MB.")

    @field_validator("features")
    @classmethod
    def _whole_or_share(cls, features: float | None) -> float | None:
        return whole_or_share(features)

    @model_validator(mode="after")
    def _ideas_have_words(self) -> SearchSpec:
        if not all(idea.strip() for idea in self.persons_ideas if isinstance(idea, str)):
            raise ValueError("An idea in persons_ideas has no words; say what should be tried.")
        return self
