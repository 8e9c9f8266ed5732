"""`ProtocolSpec`: what goes into the vials and what is done to them; or a description, for a model to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.robots import OUTPUTS, Kind
from labwright.tools.specifications.base import Specification

SYSTEM = "protocol_design"
_WHAT = "What is written beside the design file: scripts for robots, a sheet for hands."
_OUTPUTS = Field(default=[*OUTPUTS], description=_WHAT)


class ProtocolText(Specification):
    """A description in words. What a person grants (model, approval, budget) stands outside."""

    system: Literal["protocol_design"] = "protocol_design"
    text: str = Field(min_length=1, max_length=20_000, description="A description, for a model to read.")
    seed: int = Field(default=0, ge=0, lt=2**63, description="Number of the draw: with another, a model is asked anew.")
    outputs: list[Kind] = _OUTPUTS
    retrieve: int = Field(default=0, ge=0, le=3, description="Earlier experiments, and notes, shown to the reader.")


class ProtocolSpec(ExperimentDesign, Specification):
    """A protocol for a liquid handler: substances, stocks, groups of vials with their doses, and treatments."""

    system: Literal["protocol_design"] = "protocol_design"
    title: str = Field(default="experiment", max_length=200, description="What the report is called.")
    seed: int = Field(default=0, ge=0, lt=2**63, description="Of the draw; a design does not depend on it.")
    outputs: list[Kind] = _OUTPUTS

    @classmethod
    def kind_for(cls, data: Mapping[str, Any]) -> type[Specification]:
        """A text, or a protocol that says everything."""
        return ProtocolText if "text" in data and "groups" not in data else cls

    @property
    def design(self) -> ExperimentDesign:
        """What the planner reads."""
        return ExperimentDesign.model_validate(self.model_dump(include=set(ExperimentDesign.model_fields)))
