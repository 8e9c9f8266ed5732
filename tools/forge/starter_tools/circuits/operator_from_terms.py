"""The matrix of an operator that is written as a sum of products of elementary operators.

Elementary operators: ``I``; ``X Y Z`` (Pauli), ``M`` = |1><0| and ``P`` = |0><1| on two levels; ``a``, ``adag``,
``n`` on any number of levels (a |k> = sqrt(k) |k-1>); and ``|i><j|`` between two levels. Level 0 of a qubit is the
eigenstate of Z with eigenvalue +1, so ``M`` is QuTiP's ``sigmam()``: it lowers Z from +1 to -1, from level 0 to level
1. Site 0 is the leftmost factor of the Kronecker product. Source: QuTiP user guide, "Basic operations on quantum
objects".
"""

import math
import re

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator

_Array = NDArray[np.complex128]
_TWO_LEVEL: dict[str, list[list[complex]]] = {
    "X": [[0, 1], [1, 0]],
    "Y": [[0, -1j], [1j, 0]],
    "Z": [[1, 0], [0, -1]],
    "M": [[0, 0], [1, 0]],
    "P": [[0, 1], [0, 0]],
}
_TRANSITION = re.compile(r"\|(\d+)><(\d+)\|")


class OperatorFromTermsInput(BaseModel):
    """A sum of products."""

    class Factor(BaseModel):
        """One elementary operator."""

        op: str = Field(description="I, X, Y, Z, M, P, a, adag, n or |i><j|.")
        site: int = Field(ge=0, description="Site it acts on, from 0.")

    class Term(BaseModel, allow_inf_nan=False):
        """A product with a coefficient; no factors stand for the identity."""

        coefficient: list[float] = Field(min_length=2, max_length=2, description="[re, im], in the operator's unit.")
        factors: list["OperatorFromTermsInput.Factor"] = Field(description="Factors, left to right.")

    dims: list[int] = Field(min_length=1, description="Number of levels of each site, 2 for a qubit.")
    terms: list["OperatorFromTermsInput.Term"] = Field(description="Terms to add up; none give the zero operator.")

    @model_validator(mode="after")
    def _sound(self) -> "OperatorFromTermsInput":
        if min(self.dims) < 1 or math.prod(self.dims) > 4096:
            raise ValueError(f"Dimensions {self.dims} must be positive with a product of at most 4096.")
        for factor in (factor for term in self.terms for factor in term.factors):
            if factor.site >= len(self.dims):
                raise ValueError(
                    f"Operator {factor.op} acts on site {factor.site}, but there are {len(self.dims)} sites."
                )
            levels = self.dims[factor.site]
            jump = _TRANSITION.fullmatch(factor.op)
            if jump and max(int(jump[1]), int(jump[2])) >= levels:
                raise ValueError(
                    f"Operator {factor.op} names a level that site {factor.site} with {levels} levels lacks."
                )
            if factor.op in _TWO_LEVEL and levels != 2:
                raise ValueError(f"Operator {factor.op} needs two levels, but site {factor.site} has {levels}.")
            if not jump and factor.op not in {*_TWO_LEVEL, "I", "a", "adag", "n"}:
                raise ValueError(f"Operator {factor.op!r} is not known. Use I, X, Y, Z, M, P, a, adag, n or |i><j|.")
        return self


class OperatorFromTermsOutput(BaseModel):
    """The operator as a matrix."""

    matrix: list[list[list[float]]] = Field(description="Entries as [re, im], rows first, in the coefficients' unit.")
    hermitian: bool = Field(description="Whether it equals its adjoint within 1e-12 of its largest entry.")


def operator_from_terms(given: OperatorFromTermsInput) -> OperatorFromTermsOutput:
    """Add up the products."""
    size = math.prod(given.dims)
    total = np.zeros((size, size), dtype=complex)
    for term in given.terms:
        product: _Array = np.eye(size, dtype=complex) * complex(*term.coefficient)
        for factor in term.factors:
            product = product @ _embedded(factor.op, factor.site, given.dims)
        total += product
    hermitian = bool(np.abs(total - total.conj().T).max() <= 1e-12 * np.abs(total).max())
    return OperatorFromTermsOutput(
        matrix=[[[float(cell.real), float(cell.imag)] for cell in row] for row in total], hermitian=hermitian
    )


def _embedded(op: str, site: int, dims: list[int]) -> _Array:
    before, after = math.prod(dims[:site]), math.prod(dims[site + 1 :])
    return np.kron(np.kron(np.eye(before), _elementary(op, dims[site])), np.eye(after))


def _elementary(op: str, levels: int) -> _Array:
    jump = _TRANSITION.fullmatch(op)
    if jump:
        made = np.zeros((levels, levels), dtype=complex)
        made[int(jump[1]), int(jump[2])] = 1
        return made
    if op in _TWO_LEVEL:
        return np.array(_TWO_LEVEL[op], dtype=complex)
    lowering = np.diag(np.sqrt(np.arange(1, levels)), 1).astype(complex)
    known = {"I": np.eye(levels, dtype=complex), "a": lowering, "adag": lowering.T, "n": lowering.T @ lowering}
    return known[op]
