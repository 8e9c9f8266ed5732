"""Pauli correlators and their standard errors, from counts.

In a measurement where every qubit was turned into its own Pauli basis, the correlator of a subset of qubits is the
mean of (-1)^(number of ones in the subset). A shot gives +1 or -1, so the variance of one shot is 1 - mean^2, and the
standard error sqrt((1 - mean^2) / shots); where all shots agree it is zero, which says no more than that the error is
below about 1 / shots. Qubit 0 is the leftmost bit. Source: binomial statistics; Nielsen and Chuang, section 2.2.5.
"""

import math

from pydantic import BaseModel, Field, model_validator


class PauliCorrelatorsInput(BaseModel):
    """Counts of one basis and the correlators to take from them."""

    counts: dict[str, int] = Field(min_length=1, description="Outcome -> shots; leftmost bit is qubit 0.")
    subsets: list[list[int]] = Field(min_length=1, description="Qubits of each correlator, from 0.")

    @model_validator(mode="after")
    def _sound(self) -> "PauliCorrelatorsInput":
        lengths = {len(bits) for bits in self.counts}
        if len(lengths) != 1 or any(set(bits) - {"0", "1"} for bits in self.counts):
            raise ValueError("Outcomes must be bitstrings of one length.")
        if any(count < 0 for count in self.counts.values()) or sum(self.counts.values()) == 0:
            raise ValueError("Counts must not be negative, and at least one shot is needed.")
        width = lengths.pop()
        for one in self.subsets:
            if not one or len(set(one)) != len(one) or min(one) < 0 or max(one) >= width:
                raise ValueError(f"Correlator {one} must name different qubits between 0 and {width - 1}.")
        return self


class PauliCorrelatorsOutput(BaseModel):
    """Estimates, in the order of the subsets."""

    values: list[float] = Field(description="Estimated correlators, in [-1, 1].")
    errors: list[float] = Field(description="Their standard errors.")
    shots: int = Field(description="Sum of the counts.")


def pauli_correlators(given: PauliCorrelatorsInput) -> PauliCorrelatorsOutput:
    """Average the parities of the subsets over the shots."""
    shots = sum(given.counts.values())
    values = [
        sum(count * (-1) ** sum(bits[qubit] == "1" for qubit in subset) for bits, count in given.counts.items()) / shots
        for subset in given.subsets
    ]
    errors = [math.sqrt((1 - value * value) / shots) for value in values]
    return PauliCorrelatorsOutput(values=values, errors=errors, shots=shots)
