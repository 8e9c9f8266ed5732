"""State vectors of a chain of qubits: a bitstring, a product state, or a Haar-random state.

A Haar-random state has independent complex Gaussian amplitudes, normalised; that distribution is invariant under
every unitary. A product state has one Bloch vector a qubit, |q> = cos(theta/2) |0> + exp(i phi) sin(theta/2) |1>.
Qubit 0 is the leftmost bit of a bitstring and the leftmost factor of the Kronecker product; 0 has Z = +1 (spin up).
Random numbers are numpy's PCG64 from the seed. Source: F. Mezzadri, Notices of the AMS 54, 592 (2007).
"""

import cmath
import math
from typing import Literal

import numpy as np
from pydantic import BaseModel, Field, model_validator


class SpinChainStateInput(BaseModel, allow_inf_nan=False):
    """Which state."""

    n_qubits: int = Field(ge=1, le=20, description="Number of qubits.")
    kind: Literal["haar", "bits", "product"] = Field(description="Haar-random, a bitstring, or one direction a qubit.")
    bits: str = Field(default="", description="For kind bits: one 0 or 1 for each qubit, leftmost is qubit 0.")
    directions: list[list[float]] = Field(
        default=[], description="For kind product: [theta, phi] of each qubit's Bloch vector, in radian."
    )
    seed: int | None = Field(default=None, ge=0, description="For kind haar: seed of the random numbers.")

    @model_validator(mode="after")
    def _complete(self) -> "SpinChainStateInput":
        if self.kind == "haar" and self.seed is None:
            raise ValueError("A Haar-random state needs a seed, so that it can be made again.")
        if self.kind == "bits" and (len(self.bits) != self.n_qubits or set(self.bits) - {"0", "1"}):
            raise ValueError(f"Bits must be {self.n_qubits} of 0 and 1, but are {self.bits!r}.")
        if self.kind == "product" and (
            len(self.directions) != self.n_qubits or any(len(pair) != 2 for pair in self.directions)
        ):
            raise ValueError(f"A product state needs {self.n_qubits} directions, each as [theta, phi].")
        return self


class SpinChainStateOutput(BaseModel):
    """The state."""

    amplitudes: list[list[float]] = Field(description="Amplitudes [re, im], normalised, qubit 0 leftmost.")
    magnetisation: list[float] = Field(description="Expectation value of Z for each qubit.")


def spin_chain_state(given: SpinChainStateInput) -> SpinChainStateOutput:
    """Make the amplitudes."""
    if given.kind == "haar":
        rng = np.random.default_rng(given.seed)
        psi = rng.normal(size=2**given.n_qubits) + 1j * rng.normal(size=2**given.n_qubits)
        psi = psi / np.linalg.norm(psi)
    elif given.kind == "bits":
        psi = np.zeros(2**given.n_qubits, dtype=complex)
        psi[int(given.bits, 2)] = 1
    else:
        psi = np.ones(1, dtype=complex)
        for theta, phi in given.directions:
            psi = np.kron(psi, [math.cos(theta / 2), cmath.exp(1j * phi) * math.sin(theta / 2)])
    weights = (np.abs(psi) ** 2).reshape((2,) * given.n_qubits)
    up = [float(np.take(weights, 0, axis=site).sum()) for site in range(given.n_qubits)]
    return SpinChainStateOutput(
        amplitudes=[[float(one.real), float(one.imag)] for one in psi],
        magnetisation=[2 * weight - 1 for weight in up],
    )
