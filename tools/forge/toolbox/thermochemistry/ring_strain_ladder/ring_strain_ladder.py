"""Relative strain of rings from the energies of a ladder of contraction reactions.

Each rung is cyclo(C_n) -> methylcyclo(C_{n-1}), and what it releases is the difference of strain of the two ring sizes:
strain(n-1) = strain(n) + energy of the rung n. The sum is shifted so that `reference` is zero.
Source: isodesmic and homodesmotic reactions, Wheeler et al., J. Am. Chem. Soc. 131, 2547 (2009).
"""

from pydantic import BaseModel, Field


class RingStrainLadderInput(BaseModel, allow_inf_nan=False):
    """The rungs and the zero."""

    ring_sizes: list[int] = Field(min_length=1, description="Ring size n of each rung's reactant (1).")
    reaction_energies: list[float] = Field(description="Energy of each rung, enthalpy or free energy (kcal/mol).")
    reference: int = Field(description="Ring size whose strain is zero (1).")


class RingStrainLadderOutput(BaseModel):
    """Strain of each ring."""

    ring_sizes: list[int] = Field(description="Ring sizes in rising order (1).")
    strain: list[float] = Field(description="Strain of each ring relative to the reference (kcal/mol).")


def ring_strain_ladder(given: RingStrainLadderInput) -> RingStrainLadderOutput:
    """Walk the ladder of `given` from its largest ring down.

    Raises:
        ValueError: a rung is missing or given twice, or the reference is not on the ladder.
    """
    if len(given.ring_sizes) != len(given.reaction_energies):
        raise ValueError(
            f"{len(given.ring_sizes)} ring sizes need as many energies, not {len(given.reaction_energies)}."
        )
    rungs = sorted(zip(given.ring_sizes, given.reaction_energies, strict=True), reverse=True)
    largest = rungs[0][0]
    expected = list(range(largest, largest - len(rungs), -1))
    if [size for size, _ in rungs] != expected:
        raise ValueError(f"The rungs must be consecutive, one each, but are {sorted(given.ring_sizes)}.")
    strain = {largest: 0.0}
    for size, energy in rungs:
        strain[size - 1] = strain[size] + energy
    if given.reference not in strain:
        raise ValueError(f"The reference {given.reference} is not among the rings {sorted(strain)}.")
    sizes = sorted(strain)
    return RingStrainLadderOutput(ring_sizes=sizes, strain=[strain[size] - strain[given.reference] for size in sizes])
