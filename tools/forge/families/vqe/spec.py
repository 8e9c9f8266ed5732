"""What a task of variational molecular energies fixes."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Point(BaseModel):
    """One geometry."""

    model_config = ConfigDict(extra="forbid")
    positions: list[list[float]] = Field(description="Atoms x 3, angstrom.")
    distance: float | None = Field(default=None, description="What is scanned, angstrom.")


class Scan(BaseModel):
    """A molecule at one or several geometries."""

    model_config = ConfigDict(extra="forbid")
    molecule: str = Field(description="Name in the results, such as H2.")
    symbols: list[str]
    charge: int = 0
    points: list[Point] = Field(min_length=1)
    active_orbitals: list[int] = Field(default_factory=list, description="Hartree-Fock orbitals from 0; empty: all.")

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        if any(len(one.positions) != len(self.symbols) for one in self.points):
            raise ValueError(f"Each geometry of {self.molecule} needs {len(self.symbols)} rows.")
        return self


Ansatz = Literal["uccsd", "upccgsd", "hardware_efficient"]


class VqeSpec(BaseModel):
    """Ground-state energies by VQE beside exact ones."""

    model_config = ConfigDict(extra="forbid")
    title: str = "Variational energies"
    scans: list[Scan] = Field(min_length=1)
    basis: str
    ansatz: Ansatz = "uccsd"
    others: list[Ansatz] = Field(default_factory=list, description="Further circuits that are compared with the first.")
    layers: int = 2
    mapping: Literal["jordan_wigner", "bravyi_kitaev"] = "jordan_wigner"
    optimiser: Literal["BFGS", "COBYLA", "SLSQP"] = "BFGS"
    iterations: int = 200
    tolerance: float = 1e-7
    seed: int = 0

    @property
    def circuits(self) -> list[Ansatz]:
        """All circuits."""
        return [self.ansatz, *self.others]

    @staticmethod
    def accuracy(ansatz: Ansatz) -> float:
        """How near to the exact energy a circuit has to come, hartree; chemical accuracy is 1.6e-3."""
        return 1.6e-3 if ansatz != "hardware_efficient" else 0.05
