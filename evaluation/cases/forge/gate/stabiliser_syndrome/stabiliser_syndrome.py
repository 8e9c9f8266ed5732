"""Syndrome of a Pauli error under a list of stabiliser generators.

Two Pauli words commute if they differ on an even number of qubits where both are not I. Bit i of the syndrome is 0 if the
error commutes with stabiliser i, 1 if it anticommutes. The stabilisers have to commute with each other. Phases do not matter.

Source: M. A. Nielsen and I. L. Chuang, Quantum Computation and Quantum Information, section 10.5.
"""

from itertools import combinations

from pydantic import BaseModel, Field


class StabiliserSyndromeInput(BaseModel, allow_inf_nan=False):
    """Error and stabilisers."""

    error: str = Field(min_length=1, description="Pauli error, one letter I, X, Y or Z a qubit.")
    stabilisers: list[str] = Field(min_length=1, description="Stabiliser generators, words of the length of the error.")


class StabiliserSyndromeOutput(BaseModel):
    """Syndrome."""

    syndrome: list[int] = Field(description="For each stabiliser 0 if the error commutes with it, otherwise 1.")


def _anticommute(first: str, second: str) -> int:
    clashes = [a != b for a, b in zip(first, second, strict=True) if "I" not in (a, b)]
    return sum(clashes) % 2


def stabiliser_syndrome(given: StabiliserSyndromeInput) -> StabiliserSyndromeOutput:
    """Which stabilisers anticommute with a Pauli error."""
    for word in [given.error, *given.stabilisers]:
        if set(word) - set("IXYZ"):
            raise ValueError(f"{word!r} has letters other than I, X, Y, Z")
        if len(word) != len(given.error):
            raise ValueError(f"{word!r} has not the length of the error, {len(given.error)}")
    for first, second in combinations(given.stabilisers, 2):
        if _anticommute(first, second):
            raise ValueError(f"the stabilisers {first} and {second} do not commute")
    return StabiliserSyndromeOutput(syndrome=[_anticommute(word, given.error) for word in given.stabilisers])
