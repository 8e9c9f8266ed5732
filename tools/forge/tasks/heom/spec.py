"""What a task of exciton dynamics fixes."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class BathCase(BaseModel):
    """One run: temperature and baths."""

    model_config = ConfigDict(extra="forbid")
    labels: dict[str, float] = Field(description="What tells the run from the others in results, such as temperature.")
    temperature: float = Field(gt=0, description="In K.")
    reorganization: list[float] = Field(description="Of each site's bath, 1/cm; 0 for no bath.")
    cutoff_times: list[float] = Field(description="1/gamma of each site's bath, fs.")


class HeomSpec(BaseModel):
    """Excitons on coupled sites with Drude-Lorentz baths."""

    model_config = ConfigDict(extra="forbid")
    title: str = "Excitons"
    hamiltonian: list[list[float]] = Field(description="Real symmetric, 1/cm.")
    first_site: int = Field(default=0, description="Number that the task gives the first site, 0 or 1.")
    site_names: list[str] = Field(default=[], description="What the task calls the sites; empty where it numbers them.")
    cases: list[BathCase] = Field(min_length=1)
    depth: int = Field(ge=1)
    terms: int = Field(ge=0, description="Exponentials beside the Drude pole.")
    expansion: Literal["matsubara", "pade"] = "matsubara"
    terminator: bool = False
    initial: list[list[list[float]]] = Field(description="Density matrix, [re, im] entries.")
    initial_name: str
    duration: float = Field(gt=0, description="In fs.")
    n_times: int = Field(default=101, ge=2, description="Times recorded, 0 among them.")
    time_unit: Literal["fs", "ps"] = "fs"
    coherences: list[list[int]] = Field(default_factory=list, description="Pairs of sites counted from 0.")
    wants: list[Literal["coherence", "purity"]] = Field(default_factory=list)

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        size = len(self.hamiltonian)
        if any(len(one.reorganization) != size or len(one.cutoff_times) != size for one in self.cases):
            raise ValueError(f"Every case needs {size} reorganization energies and cutoff times.")
        return self

    def called(self) -> list[str]:
        """What the results call the sites."""
        return self.site_names or [str(self.first_site + k) for k in range(len(self.hamiltonian))]

    def operators(self, depth: int) -> int:
        """Auxiliary density operators of a hierarchy of that depth."""
        baths = max(sum(one > 0 for one in case.reorganization) for case in self.cases)
        return math.comb(baths * (self.terms + 1) + depth, depth)
