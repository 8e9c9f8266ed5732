"""What a task about driven, disordered spin chains fixes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class DrivenTerm(BaseModel):
    """A field on all sites or a coupling on all bonds; weights are those of Pauli matrices."""

    model_config = ConfigDict(extra="forbid")
    letters: str = Field(pattern="^[XYZ]{1,2}$")
    weights: list[float] = Field(description="One number for each value of the sweep.")
    disorder: bool = Field(default=False, description="Whether it is multiplied with the site's drawn number.")


class DrivenSegment(BaseModel):
    """A stretch of constant Hamiltonian."""

    model_config = ConfigDict(extra="forbid")
    duration: float = Field(gt=0)
    terms: list[DrivenTerm] = Field(min_length=1)


class DrivenSpec(BaseModel):
    """Stroboscopic evolution of an open spin-1/2 chain by TEBD, averaged over disorder."""

    model_config = ConfigDict(extra="forbid")
    title: str = "Driven chain"
    n_sites: int = Field(ge=2)
    segments: list[DrivenSegment] = Field(min_length=1)
    parameter: str = Field(default="", description="What is swept, such as epsilon.")
    values: list[float] = Field(default_factory=lambda: [0.0])
    periods: int = Field(ge=1)
    start: list[float] = Field(description="Bloch vector of every site.")
    neel: bool = Field(default=False, description="Whether every second site starts opposite.")
    disorder_width: float = Field(default=0.0, ge=0, description="Numbers are drawn from (-width, width).")
    realisations: int = Field(default=1, ge=1)
    seed: int = 0
    dt: float = Field(gt=0)
    order: Literal[2, 4] = 2
    chi_max: int = Field(ge=2)
    axis: Literal["x", "y", "z"] = Field(description="Axis of the magnetisation.")
    spin_scale: float = Field(default=0.5, description="0.5 for S, 1 for Pauli matrices.")
    bulk: list[int] = Field(min_length=1, description="Sites averaged over, from 0.")
    formula: str = ""
    pulse_angles: list[float] = Field(
        default_factory=list, description="Rotation angle of a free spin in each segment."
    )
