"""What a task about Gibbs states of chains fixes."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class ThermalSpec(BaseModel):
    """Gibbs states of an open Hubbard or spin chain by imaginary-time evolution of a purification."""

    model_config = ConfigDict(extra="forbid")
    title: str = "Gibbs states of a chain"
    model: Literal["hubbard", "xyz"]
    n_sites: int = Field(ge=2)
    hopping: float = 0.0
    interaction: float = 0.0
    chemical_potential: float = Field(default=0.0, description="mu; U/2 is half filling.")
    exchange: list[float] = Field(default_factory=lambda: [0.0, 0.0, 0.0], description="Jx, Jy, Jz of S = sigma/2.")
    fields: list[float] = Field(default_factory=lambda: [0.0, 0.0], description="hx, hz of S = sigma/2.")
    betas: list[float] = Field(min_length=2, description="Rising, from 0.")
    energy_convention: Literal["hubbard", "grand"] = "hubbard"
    spin_scale: float = Field(default=1.0, description="2 if the task measures Pauli matrices rather than spins.")
    step: float = Field(default=0.05, gt=0)
    chi_max: int = 200
    svd_min: float = 1e-5
    wants: list[Literal["heat_capacity", "susceptibility", "correlator", "entropy"]] = Field(default_factory=list)
    formula: str = ""

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if self.betas[0] != 0 or any(b <= a for a, b in zip(self.betas, self.betas[1:], strict=False)):
            raise ValueError("Inverse temperatures must rise from 0.")
        return self
