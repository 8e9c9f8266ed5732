"""A spin Hamiltonian on a chain or ring as a list of Pauli strings.

A pattern such as ``ZZ`` with offsets [0, 1] stands for sum_i c Z_i Z_{i+1}: on an open chain i runs over the sites
where all letters lie on the chain, on a ring over all sites, indices modulo n. A pattern may have one coefficient for
each starting site (disorder). A pattern of two letters with a power stands for all pairs i < j with c / |i -
j|^power; on a ring the shorter distance counts. Strings that come up more than once are added up. Letters are Pauli
matrices; spins one half are half of them, which the coefficients have to hold. Source: S. Sachdev, "Quantum Phase
Transitions", chapters 1 and 5.
"""

from collections import defaultdict
from typing import Literal

from pydantic import BaseModel, Field, model_validator


class PauliChainTermsInput(BaseModel):
    """Patterns and where they go."""

    class Pattern(BaseModel, allow_inf_nan=False):
        """One kind of term."""

        letters: str = Field(pattern=r"^[XYZ]+$", description="Pauli letters.")
        offsets: list[int] = Field(description="Site of each letter relative to the first, rising from 0.")
        coefficient: float = Field(description="Energy of the term, sign included.")
        per_site: list[float] = Field(
            default=[], description="Factors of the coefficient for each starting site, or empty."
        )
        power: float | None = Field(
            default=None, description="Couple all pairs, falling with this power of the distance."
        )

    n_qubits: int = Field(ge=1, le=64, description="Number of sites.")
    boundary: Literal["open", "periodic"] = Field(description="Chain or ring.")
    patterns: list["PauliChainTermsInput.Pattern"] = Field(min_length=1, description="Kinds of terms, in order.")

    @model_validator(mode="after")
    def _sound(self) -> "PauliChainTermsInput":
        for one in self.patterns:
            rising = all(a < b for a, b in zip(one.offsets, one.offsets[1:], strict=False))
            if len(one.offsets) != len(one.letters) or one.offsets[0] != 0 or not rising:
                raise ValueError(f"Pattern {one.letters} needs one offset a letter, rising from 0, not {one.offsets}.")
            if one.offsets[-1] >= self.n_qubits:
                raise ValueError(f"Pattern {one.letters} is longer than the chain of {self.n_qubits} sites.")
            if one.power is not None and (len(one.letters) != 2 or one.per_site):
                raise ValueError(f"A power law needs two letters and no factors for sites, not {one.letters}.")
            if one.per_site and len(one.per_site) != len(_starts(one, self.n_qubits, self.boundary)):
                places = len(_starts(one, self.n_qubits, self.boundary))
                raise ValueError(f"Pattern {one.letters} has {places} places, but {len(one.per_site)} factors.")
        return self


class PauliChainTermsOutput(BaseModel):
    """The Hamiltonian."""

    class Term(BaseModel):
        """A Pauli string with a coefficient."""

        coefficient: float = Field(description="Energy, in the unit of the input.")
        letters: str = Field(description="Pauli letters, one for each site.")
        sites: list[int] = Field(description="Sites, rising.")

    terms: list["PauliChainTermsOutput.Term"] = Field(description="Different strings, pattern by pattern.")
    trace_of_square: float = Field(description="Tr H^2 / d, the sum of the squared coefficients.")


def pauli_chain_terms(given: PauliChainTermsInput) -> PauliChainTermsOutput:
    """Put every pattern at every place."""
    found: dict[tuple[str, tuple[int, ...]], float] = defaultdict(float)
    for pattern in given.patterns:
        for letters, sites, coefficient in _placed(pattern, given.n_qubits, given.boundary):
            pairs = sorted(zip(sites, letters, strict=True))
            key = ("".join(letter for _, letter in pairs), tuple(site for site, _ in pairs))
            found[key] += coefficient
    terms = [
        PauliChainTermsOutput.Term(coefficient=value, letters=letters, sites=list(sites))
        for (letters, sites), value in found.items()
    ]
    return PauliChainTermsOutput(terms=terms, trace_of_square=sum(term.coefficient**2 for term in terms))


def _starts(pattern: PauliChainTermsInput.Pattern, n: int, boundary: str) -> list[int]:
    return list(range(n if boundary == "periodic" else n - pattern.offsets[-1]))


def _placed(pattern: PauliChainTermsInput.Pattern, n: int, boundary: str) -> list[tuple[str, list[int], float]]:
    if pattern.power is None:
        factors = pattern.per_site or [1.0] * n
        return [
            (pattern.letters, [(start + offset) % n for offset in pattern.offsets], pattern.coefficient * factor)
            for start, factor in zip(_starts(pattern, n, boundary), factors, strict=False)
        ]
    placed = []
    for i in range(n):
        for j in range(i + 1, n):
            distance = min(j - i, n - j + i) if boundary == "periodic" else j - i
            placed.append((pattern.letters, [i, j], pattern.coefficient / distance**pattern.power))
    return placed
