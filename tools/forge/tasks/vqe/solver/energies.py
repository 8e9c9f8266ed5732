"""One energy by VQE and one exactly, in the same orbitals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Given = Mapping[str, Any]
# a hardware-efficient circuit at angle zero sits on a saddle; coupled cluster starts at the reference
SPREAD = {"hardware_efficient": 0.1, "upccgsd": 0.01, "uccsd": 0.0}
VQE_ONLY = ("mapping", "layers", "seed", "optimiser", "max_iterations", "tolerance")


def variational(given: Given, tools: Any, scan: Given, at: int, ansatz: str, start: Sequence[float] = ()) -> Any:
    """VQE at one geometry of a molecule."""
    return tools.molecular_vqe(
        symbols=scan["symbols"], positions=scan["geometries"][at], charge=given["charge"], basis=given["basis"],
        active_orbitals=given["active_orbitals"], ansatz=ansatz, start=list(start), start_scale=SPREAD[ansatz],
        **{name: given[name] for name in VQE_ONLY},
    )  # fmt: skip


def exact(given: Given, tools: Any, scan: Given, at: int, made: Any) -> float:
    """Full configuration interaction in the same orbitals, by PySCF, hartree."""
    found = tools.casci_states(
        symbols=scan["symbols"], positions=scan["geometries"][at], charge=given["charge"], multiplicity=1, method="HF",
        basis=given["basis"], n_electrons=made.n_electrons, n_orbitals=made.n_qubits // 2, n_roots=1,
        active=given["active_orbitals"],
    )  # fmt: skip
    return float(found.energies[0])
