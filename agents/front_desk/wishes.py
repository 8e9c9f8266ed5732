"""What a person can want, as types. Nothing here can hold an approval, an answer, a permission or a budget.

A route is made from words, by rules or by a model, and words may be hostile: a procedure that says "approved". So the
types of this module have no field for what only a person may give; `labwright.graphs.front_desk.terms` has them, and
no agent writes there.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

System = Literal["lab_calibration", "feature_map_search", "tool_forging", "protocol_design"]
Part = Literal["gate", "data", "protocol", "feature_map", "toolset"]
Asked = Literal["list", "status", "result", "cost", "compare", "pause", "resume"]
Topic = Literal["small_talk", "help", "out_of_scope"]
About = Literal["preference", "device", "toolset"]

# Which system's runs leave which part behind.
LEFT_BY: dict[Part, System] = {
    "gate": "lab_calibration",
    "data": "lab_calibration",
    "protocol": "protocol_design",
    "feature_map": "feature_map_search",
    "toolset": "tool_forging",
}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Use(_Strict):
    """A part of an earlier run that the next one begins with."""

    run_id: str = Field(description="Of the earlier run, as listed.")
    part: Part = Field(description="What that run left and this one takes.")


class CalibrationWish(_Strict):
    """Qubits are to be measured or calibrated on the processor."""

    kind: Literal["calibrate"] = "calibrate"
    text: str = Field(description="What is to be measured, in the person's own words; empty if a file says it.")
    qubits: list[str] = Field(description="Qubits that are named, such as Q1.")
    file: str = Field(description="Markdown procedure that is named; empty if none.")
    seed: int | None = Field(ge=0, description="Of random numbers.")
    uses: list[Use] = Field(description="What it takes from earlier runs; empty if nothing.")


class SearchWish(_Strict):
    """A quantum feature map is to be found for a data set."""

    kind: Literal["search"] = "search"
    dataset: str = Field(description="`digits`, `digits-augmented`, `mnist:FOLDER` and the like, or a file.")
    trials: int | None = Field(ge=1, description="Rounds of ideas.")
    ideas: int | None = Field(ge=1, description="Feature maps in one trial.")
    qubits: int | None = Field(ge=2)
    features: int | None = Field(ge=1, description="Principal components.")
    evaluations: int | None = Field(ge=1, description="The search ends after so many.")
    seed: int | None = Field(ge=0, description="Of random numbers.")
    idea: str = Field(description="An idea of the person to start from, in their words; empty if none.")
    uses: list[Use] = Field(description="What it takes from earlier runs; empty if nothing.")


class ForgeWish(_Strict):
    """Something is to be computed, with tools that are made, tested and kept."""

    kind: Literal["forge"] = "forge"
    text: str = Field(description="The task in the person's own words; empty if a file says it.")
    file: str = Field(description="Task file that is named; empty if none.")
    inputs: list[str] = Field(description="Data files that are named.")
    toolset: str = Field(description="Folder of the toolset that is named; empty if none.")
    mode: Literal["forge", "reuse", "direct"] = Field(
        description="forge, if nothing else is said: missing tools are made; reuse: none is; direct: no tools at all."
    )
    seed: int | None = Field(ge=0, description="Of random numbers.")
    uses: list[Use] = Field(description="What it takes from earlier runs; empty if nothing.")


class DesignWish(_Strict):
    """Vials are to be filled by the liquid handler."""

    kind: Literal["design"] = "design"
    text: str = Field(description="The experiment in the person's own words; empty if a file says it.")
    file: str = Field(description="Description or design that is named as a file; empty if none.")
    control: bool = Field(description="The control of an earlier protocol is wanted; `uses` names that run.")
    uses: list[Use] = Field(description="What it takes from earlier runs; empty if nothing.")


class RunsWish(_Strict):
    """Something about runs is asked, or they are to be paused or resumed."""

    kind: Literal["runs"] = "runs"
    what: Asked
    runs: list[str] = Field(
        description="Ids as listed. Empty: for list all runs, for cost and compare those of this conversation, "
        "else only its newest."
    )


class NoteWish(_Strict):
    """Something is to be kept in mind for later conversations."""

    kind: Literal["note"] = "note"
    about: About
    text: str = Field(description="What to keep, in the person's own words.")


class Talk(_Strict):
    """Small talk, a question about this program, or something that it does not do."""

    kind: Literal["talk"] = "talk"
    topic: Topic
    text: str = Field(description="A short, honest reply.", max_length=600)


Wish = CalibrationWish | SearchWish | ForgeWish | DesignWish | RunsWish | NoteWish | Talk
WorkWish = CalibrationWish | SearchWish | ForgeWish | DesignWish


class Routed(_Strict):
    """What is wanted."""

    wish: Wish = Field(discriminator="kind")
    reason: str = Field(description="Why, in a few words.")
