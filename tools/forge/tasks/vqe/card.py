"""The card of variational energies: a molecule by atoms and distances, a basis, a circuit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field

from labwright.tools.forge.tasks.chemistry.theory_levels import check_basis
from labwright.tools.forge.tasks.expressions import ExpressionError, Varied, at, number

ELEMENTS = ("H", "He", "Li", "Be", "B", "C", "N", "O", "F", "Ne")
Ansatz = Literal["uccsd", "upccgsd", "hardware_efficient"]


@dataclass(frozen=True, slots=True)
class Scan:
    """A molecule at one or several geometries: atoms x 3, angstrom, and the distance (angstrom) that is scanned."""

    molecule: str
    symbols: list[str]
    geometries: list[list[list[float]]] = field(default_factory=list)
    distances: list[float | None] = field(default_factory=list)


class VqeCard(Varied):
    """Molecular ground states by the variational quantum eigensolver beside exact ones; bond scans, dissociation."""

    title: str = "Variational energies"
    molecule: str = Field(description="Name in the results, such as H2.")
    atoms: list[str] = Field(min_length=1, description="Element and coordinates (angstrom; names may vary): `H 0 0 d`.")
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

    def compiled(self) -> Self:
        """The card itself, once its expressions are worth numbers.

        Raises:
            ValidationError: an atom or an expression cannot be used; says which.
        """
        scans = self.scans()
        with at("basis"):
            check_basis(self.basis, {symbol for scan in scans for symbol in scan.symbols})
        with at("ansatz"):
            if not self.circuits:
                raise ExpressionError("There is no circuit. Write one, such as uccsd.")
        return self

    @property
    def circuits(self) -> list[Ansatz]:
        """All circuits; the first is the one that the others are compared with."""
        return [self.ansatz] if isinstance(self.ansatz, str) else self.ansatz

    def labels(self, scan: Scan, circuit: Ansatz) -> dict[str, str]:
        """What tells the results of a circuit from the others."""
        return {"molecule": scan.molecule, **({"ansatz": circuit} if len(self.circuits) > 1 else {})}

    def scans(self) -> list[Scan]:
        """The molecule in each case, at all distances."""
        scans: dict[str, Scan] = {}
        for labels, names in self.settings():
            atoms = []
            for place, text in enumerate(self.atoms):
                with at("atoms", place):
                    atoms.append(self._atom(text, names))
            rows = [position for _, position in atoms]
            with at("atoms"):
                gaps = [np.linalg.norm(np.subtract(a, b)) for k, a in enumerate(rows) for b in rows[:k]]
                if min(gaps, default=1.0) < 0.1:
                    raise ExpressionError(f"Two atoms are {min(gaps):.3f} angstrom apart. Look at their coordinates.")
            name = f"{self.molecule} {labels['case']}" if "case" in labels else self.molecule
            electrons = sum(ELEMENTS.index(symbol) + 1 for symbol, _ in atoms) - self.charge
            with at("charge" if self.charge else "atoms"):
                if electrons < 2 or electrons % 2:
                    raise ExpressionError(f"There are {electrons} electrons. A closed shell has an even number.")
            scan = scans.setdefault(name, Scan(name, [symbol for symbol, _ in atoms]))
            scan.geometries.append(rows)
            scan.distances.append(next((one for name, one in labels.items() if name in self.sweep), None))
        return list(scans.values())

    def _atom(self, text: str, names: dict[str, Any]) -> tuple[str, list[float]]:
        symbol, *where = text.split() or [""]
        if symbol not in ELEMENTS or len(where) != 3:
            raise ExpressionError(f"{text!r} is no atom. Write an element from H to Ne with coordinates: H 0 0 0.74")
        return symbol, [number(one, names) for one in where]
