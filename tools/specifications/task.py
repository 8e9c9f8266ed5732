"""`TaskSpec`: a task to compute, with the files that belong to it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, field_validator

from labwright.tools.specifications.base import Specification

SYSTEM = "tool_forging"
Name = Annotated[str, Field(min_length=1, max_length=300)]


class TaskSpec(Specification):
    """A task that is solved with forged tools. What a person grants (model, toolset, sandbox) stands outside."""

    system: Literal["tool_forging"] = "tool_forging"
    question: str = Field(min_length=1, max_length=200_000, description="What is to be computed, as in question.md.")
    inputs: list[Name] = Field(
        default_factory=list, max_length=200, description="Files of the task, in or below the folder of this document."
    )
    mode: Literal["forge", "reuse", "direct"] = Field(
        default="forge", description="forge: missing tools are made; reuse: none is; direct: no tools."
    )
    iterations: int = Field(default=5, ge=1, le=5, description="Most solutions tried.")
    seed: int = Field(default=0, ge=0, lt=2**63, description="Of every random draw that the task leaves open.")
    threads: int = Field(default=2, ge=1, le=256, description="Processors that one job may use.")
    memory_mb: int = Field(default=8192, ge=256, description="Most memory of one job, MB.")
    job_seconds: float = Field(default=3600.0, gt=0, description="Longest time of one job, s.")

    @field_validator("question")
    @classmethod
    def _words(cls, question: str) -> str:
        if not question.strip():
            raise ValueError("The question is empty. Write what is to be computed.")
        return question

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
