"""`ProtocolSpec`: what goes into the vials, as a typed design or in words."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.specifications.base import Specification

SYSTEM = "protocol_design"


class ProtocolSpec(Specification):
    """A protocol for a liquid handler. What a person grants (model, approval, budget) stands outside."""

    system: Literal["protocol_design"] = "protocol_design"
    design: ExperimentDesign | None = Field(
        default=None, description="Chemicals, stocks, groups of vials with their doses, and what is done to them."
    )
    text: str = Field(default="", max_length=20_000, description="A description instead, for a model to read.")
    seed: int = Field(default=0, ge=0, lt=2**63, description="Number of the draw: with another, a model is asked anew.")
    retrieve: int = Field(default=0, ge=0, le=3, description="Earlier experiments, and notes, shown to the reader.")
    configuration: str = Field(
        default="", max_length=100, description="Lets agents write the steps, such as multi-agent/full/tools+guided."
    )

    @model_validator(mode="after")
    def _one_of_two(self) -> ProtocolSpec:
        if (self.design is None) == (not self.text.strip()):
            raise ValueError("A protocol has either a `design` or a `text`, one of the two.")
        return self
