"""The card of exciton dynamics: a Hamiltonian in 1/cm, baths by site, temperatures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field

from labwright.tools.forge.tasks.expressions import (
    Expression,
    ExpressionError,
    Grid,
    Varied,
    at,
    grid,
    number,
    pairs,
    positive,
)
from labwright.tools.forge.tasks.task_type import Computed


class ExcitonCard(Varied):
    """Excitons on coupled sites, such as pigments and dyes, with Drude-Lorentz baths, by HEOM."""

    title: str = "Excitons"
    hamiltonian: list[list[Expression]] = Field(min_length=2, description="Real symmetric, 1/cm.")
    sites: list[str] = Field([], description="Names of the sites; numbers from `first_site` if empty.")
    first_site: int = Field(default=0, ge=0, le=1)
    temperatures: Grid = Field(description="K.")
    reorganization: Grid = Field(description="Energy of each site's bath, 1/cm; one for all; 0: no bath.")
    cutoff_time: Grid = Field(description="1/gamma of each site's bath, fs; one for all.")
    depth: int = Field(default=4, ge=1, le=20, description="Of the hierarchy.")
    terms: int = Field(default=2, ge=0, le=20, description="Exponentials of each bath beside the Drude pole.")
    expansion: Literal["matsubara", "pade"] = "matsubara"
    terminator: bool = Field(default=False, description="Whether the rest of the series is added as a Lindblad term.")
    start: str | int | dict[str, Expression] | list[list[Expression]] = Field(
        description="Site of the exciton; or site -> amplitude; or a real density matrix."
    )
    time: Expression = Field(description="fs.")
    records: int = Field(default=201, ge=2, le=20_001, description="Times recorded, 0 among them.")
    time_unit: Literal["fs", "ps"] = Field(default="fs", description="Of the results.")
    coherences: list[list[str | int]] = Field(default_factory=list, description="Pairs of sites.")
    wanted: list[Literal["coherence", "purity"]] = Field([], description="Beside the populations of all sites.")

    def compiled(self) -> Computed:
        """Hamiltonian, baths and start as numbers, and how many operators the hierarchy has.

        Raises:
            ValidationError: a matrix, a bath or a start cannot be used; says which.
        """
        cases: list[dict[str, Any]] = []
        rows: list[list[float]] = []
        for labels, names in self.settings():
            rows = self._hamiltonian(names)
            with at("temperatures"):
                temperatures = grid(self.temperatures, names)
                if min(temperatures, default=0.0) <= 0:
                    raise ExpressionError("Temperatures must be positive. Write such as [77, 300], in K.")
            baths = {field: self._each(field, names) for field in ("reorganization", "cutoff_time")}
            cases += [{"labels": {"temperature": one, **labels}, "temperature": one, **baths} for one in temperatures]
        with at("start"):
            rho, told = self._start()
        with at("time"):
            time = positive(self.time)
        with at("coherences"):
            coherences = [[self._site(one) for one in pair] for pair in self.coherences]
            if any(len({*pair}) != 2 or len(pair) != 2 for pair in coherences):
                raise ExpressionError("A coherence is of two sites. Write such as [[donor, acceptor]].")
        most = max(sum(one > 0 for one in case["reorganization"]) for case in cases)
        return Computed(self, {
            "hamiltonian": rows, "cases": cases, "initial": pairs(rho), "initial_name": told, "duration": time,
            "coherences": coherences, "called": self._called,
            "operators": math.comb(most * (self.terms + 1) + self.depth, self.depth),
        })  # fmt: skip

    @property
    def _called(self) -> list[str]:
        """What the results call the sites."""
        return self.sites or [str(self.first_site + k) for k in range(len(self.hamiltonian))]

    def _hamiltonian(self, names: Mapping[str, Any]) -> list[list[float]]:
        rows = []
        for place, row in enumerate(self.hamiltonian):
            with at("hamiltonian", place):
                rows.append(grid(row, names))
                if len(row) != len(self.hamiltonian):
                    raise ExpressionError(f"The row has {len(row)} numbers. Write {len(self.hamiltonian)}, one a site.")
        with at("hamiltonian"):
            if not np.allclose(rows, np.transpose(rows)):
                a, b = np.argwhere(~np.isclose(rows, np.transpose(rows)))[0]
                raise ExpressionError(f"{a},{b} is {rows[a][b]:g}, {b},{a} {rows[b][a]:g}. Make it symmetric.")
        return rows

    def _each(self, field: str, names: Mapping[str, Any]) -> list[float]:
        size = len(self.hamiltonian)
        with at(field):
            found = grid(getattr(self, field), names)
            found = found * size if len(found) == 1 else found
            least = 0.0 if field == "reorganization" else 1e-9
            if len(found) != size or min(found, default=0.0) < least:
                raise ExpressionError(f"There are {len(found)} numbers. Write one, or {size}, not negative.")
        return found

    def _site(self, name: str | int) -> int:
        known = self._called
        if known.count(str(name)) != 1 or len(known) != len(self.hamiltonian):
            raise ExpressionError(f"There is no site {name!r} here: {', '.join(known)}. Name {len(self.hamiltonian)}.")
        return known.index(str(name))

    def _start(self) -> tuple[Any, str]:
        size = len(self.hamiltonian)
        if isinstance(self.start, list):
            rho = np.array([grid(row) for row in self.start])
            if rho.shape != (size, size) or not np.allclose(rho, rho.T) or abs(np.trace(rho) - 1) > 1e-6:
                raise ExpressionError(f"It is no density matrix. Write {size} x {size} symmetric numbers of trace one.")
            if np.linalg.eigvalsh(rho).min() < -1e-9:
                raise ExpressionError("The density matrix has a negative eigenvalue. Look at its coherences.")
            return rho, "the given density matrix"
        amplitudes = self.start if isinstance(self.start, dict) else {str(self.start): 1.0}
        psi = np.zeros(size)
        for name, one in amplitudes.items():
            psi[self._site(name)] = number(one)
        if not np.linalg.norm(psi):
            raise ExpressionError("The start has no amplitude on any site. Name one, such as {0: 1}.")
        psi = psi / np.linalg.norm(psi)
        told = f"site {self.start}" if not isinstance(self.start, dict) else f"amplitudes {self.start}"
        return np.outer(psi, psi), told
