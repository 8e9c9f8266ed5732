"""The card of variational energies: a molecule by atoms and distances, a basis, a circuit."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field

from labwright.tools.forge.families.expressions import ExpressionError, Varied, at, number
from labwright.tools.forge.families.vqe.spec import Ansatz, Point, Scan, VqeSpec

ELEMENTS = ("H", "He", "Li", "Be", "B", "C", "N", "O", "F", "Ne")


class VqeCard(Varied):
    """Molecular ground states by the variational quantum eigensolver beside exact ones; bond scans, dissociation."""

    title: str = "Variational energies"
    molecule: str = Field(description="Name in the results, such as H2.")
    atoms: list[str] = Field(
        min_length=1, description="Element and coordinates in angstrom, which may name what is swept: `H 0 0 d`."
    )
    charge: int = 0
    active_orbitals: list[int] = Field(default_factory=list, description="Hartree-Fock orbitals from 0; empty: all.")
    basis: str = "sto-3g"
    ansatz: Ansatz | list[Ansatz] = Field(default="uccsd", description="Circuit; further ones are compared with it.")
    layers: int = Field(default=2, ge=1, description="Of a hardware-efficient circuit.")
    mapping: Literal["jordan_wigner", "bravyi_kitaev"] = "jordan_wigner"
    optimiser: Literal["BFGS", "COBYLA", "SLSQP"] = "BFGS"
    max_iterations: int = Field(default=200, ge=1)
    tolerance: float = Field(default=1e-7, gt=0)
    seed: int = Field(default=0, ge=0, description="Of a circuit's first parameters.")

    def compiled(self) -> VqeSpec:
        """The specification that is computed.

        Raises:
            ValidationError: an atom or an expression cannot be used; says which.
        """
        scans: dict[str, list[Point]] = {}
        symbols: list[str] = []
        for labels, names in self.settings():
            rows = []
            symbols = []
            for place, text in enumerate(self.atoms):
                with at("atoms", place):
                    symbol, position = self._atom(text, names)
                symbols.append(symbol)
                rows.append(position)
            with at("atoms"):
                gaps = [np.linalg.norm(np.subtract(a, b)) for k, a in enumerate(rows) for b in rows[:k]]
                if min(gaps, default=1.0) < 0.1:
                    raise ExpressionError(f"Two atoms are {min(gaps):.3f} angstrom apart. Look at their coordinates.")
            distance = next((one for name, one in labels.items() if name in self.sweep), None)
            name = f"{self.molecule} {labels['case']}" if "case" in labels else self.molecule
            scans.setdefault(name, []).append(Point(positions=rows, distance=distance))
        with at("ansatz"):
            if not self.ansatz:
                raise ExpressionError("There is no circuit. Write one, such as uccsd.")
        first, *others = [self.ansatz] if isinstance(self.ansatz, str) else self.ansatz
        made = [
            Scan(
                molecule=name, symbols=symbols, charge=self.charge, points=points, active_orbitals=self.active_orbitals
            )
            for name, points in scans.items()
        ]
        return VqeSpec(
            title=self.title, scans=made, basis=self.basis, ansatz=first, others=others, layers=self.layers,
            mapping=self.mapping, optimiser=self.optimiser, iterations=self.max_iterations, tolerance=self.tolerance,
            seed=self.seed,
        )  # fmt: skip

    def _atom(self, text: str, names: dict[str, Any]) -> tuple[str, list[float]]:
        symbol, *where = text.split() or [""]
        if symbol not in ELEMENTS or len(where) != 3:
            raise ExpressionError(
                f"{text!r} is no atom. Write an element from H to Ne and three coordinates, such as: H 0 0 0.74"
            )
        return symbol, [number(one, names) for one in where]
