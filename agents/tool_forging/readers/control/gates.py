"""Pauli matrices and gates by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.complex128]

PAULI: dict[str, Array] = {
    "I": np.eye(2, dtype=complex), "X": np.array([[0, 1], [1, 0]], dtype=complex), "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]).astype(complex), "P": np.array([[0, 1], [0, 0]], dtype=complex),
    "M": np.array([[0, 0], [1, 0]], dtype=complex),
}  # fmt: skip
for _axis in "XYZ":
    PAULI[f"S{_axis.lower()}"] = PAULI[_axis] / 2
_SQ = 1 / math.sqrt(2)
GATES: list[tuple[str, str, NDArray[Any]]] = [
    ("CNOT", r"\bC-?NOT\b|controlled[- ]NOT|\bCX\b", np.eye(4, dtype=complex)[[0, 1, 3, 2]]),
    ("CZ", r"\bCZ\b|controlled[- ]Z|controlled[- ]phase(?! of)", np.diag([1, 1, 1, -1]).astype(complex)),
    ("sqrt(iSWAP)", r"sqrt[( {]*\s*iSWAP\)?|(?<!fourth )(?<!cube )root of (?:an? |the )?iSWAP",
     np.array([[1, 0, 0, 0], [0, _SQ, 1j * _SQ, 0], [0, 1j * _SQ, _SQ, 0], [0, 0, 0, 1]])),
    ("iSWAP", r"\biSWAP\b", np.array([[1, 0, 0, 0], [0, 0, 1j, 0], [0, 1j, 0, 0], [0, 0, 0, 1]])),
    ("sqrt(SWAP)", r"sqrt[( {]*\s*SWAP\)?|(?<!fourth )(?<!cube )root of (?:an? |the )?SWAP", np.array(
        [[1, 0, 0, 0], [0, 0.5 + 0.5j, 0.5 - 0.5j, 0], [0, 0.5 - 0.5j, 0.5 + 0.5j, 0], [0, 0, 0, 1]])),
    ("SWAP", r"\bSWAP\b", np.eye(4, dtype=complex)[[0, 2, 1, 3]]),
    ("Hadamard", r"\bHadamard\b|\bH gate\b", np.array([[1, 1], [1, -1]], dtype=complex) * _SQ),
    ("X", r"\b(?:Pauli[- ])?X[- ]gate|\bNOT[- ]gate|\bbit[- ]flip gate|\bpi[- ]rotation about x", PAULI["X"]),
    ("Y", r"\b(?:Pauli[- ])?Y[- ]gate", PAULI["Y"]), ("Z", r"\b(?:Pauli[- ])?Z[- ]gate", PAULI["Z"]),
    ("S", r"\bS[- ]gate|\bphase gate", np.diag([1, 1j])),
    ("T", r"\bT[- ]gate", np.diag([1, np.exp(0.25j * math.pi)])),
    ("Toffoli", r"\bToffoli\b", np.eye(8, dtype=complex)[[0, 1, 2, 3, 4, 5, 7, 6]]),
]  # fmt: skip
