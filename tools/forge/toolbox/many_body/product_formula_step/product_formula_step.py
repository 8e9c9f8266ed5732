"""One step of a product formula: exp(-i H dt) as rotations exp(-i angle P) for H a sum of Pauli strings.

The terms are gathered into layers of strings that commute with each other, A, B, ..., the one with the most letters
last. First order: A(dt) B(dt) ..., with an error of order dt^2 a step. Second order (Strang, symmetric Trotter):
A(dt/2) B(dt/2) ... L(dt) ... B(dt/2) A(dt/2) with the last layer L whole, with an error of order dt^3 a step, so dt^2
over a given time. Sources: G. Strang, SIAM J. Numer. Anal. 5, 506 (1968); M. Suzuki, J. Math. Phys. 26, 601 (1985).
"""

from typing import Literal

from pydantic import BaseModel, Field, model_validator


class ProductFormulaStepInput(BaseModel, allow_inf_nan=False):
    """A Hamiltonian and a step."""

    class Term(BaseModel, allow_inf_nan=False):
        """A Pauli string with a coefficient."""

        coefficient: float = Field(description="Angular frequency (hbar = 1).")
        letters: str = Field(pattern=r"^[XYZ]+$", description="Pauli letters, one for each site.")
        sites: list[int] = Field(description="Different sites.")

        @model_validator(mode="after")
        def _fits(self) -> "ProductFormulaStepInput.Term":
            if len(self.letters) != len(self.sites) or len(set(self.sites)) != len(self.sites):
                raise ValueError(f"The string {self.letters} needs as many different sites, but has {self.sites}.")
            return self

    terms: list["ProductFormulaStepInput.Term"] = Field(min_length=1, description="Terms of the Hamiltonian.")
    time_step: float = Field(description="Length of the step; negative for backwards.")
    order: Literal[1, 2] = Field(description="Order of the product formula.")


class ProductFormulaStepOutput(BaseModel):
    """The step."""

    class Rotation(BaseModel):
        """exp(-i angle P)."""

        letters: str = Field(description="Pauli letters, one for each site.")
        sites: list[int] = Field(description="Sites.")
        angle: float = Field(description="Angle in radian.")

    rotations: list["ProductFormulaStepOutput.Rotation"] = Field(description="Rotations in the order they act.")
    layers: int = Field(description="Number of layers of commuting terms; one means that the step is exact.")


def product_formula_step(given: ProductFormulaStepInput) -> ProductFormulaStepOutput:
    """Gather the terms into layers and write them out with their angles."""
    layers: list[list[ProductFormulaStepInput.Term]] = []
    for term in given.terms:
        home = next((layer for layer in layers if all(_commute(term, other) for other in layer)), None)
        if home is None:
            layers.append([term])
        else:
            home.append(term)
    # the layer that costs most stands last, where the second order needs it once a step instead of twice
    layers.sort(key=lambda layer: sum(len(term.letters) for term in layer))
    order = [(layer, 1.0) for layer in layers]
    if given.order == 2:
        halves = [(layer, 0.5) for layer in layers[:-1]]
        order = [*halves, (layers[-1], 1.0), *reversed(halves)]
    rotations = [
        ProductFormulaStepOutput.Rotation(
            letters=term.letters, sites=term.sites, angle=share * term.coefficient * given.time_step
        )
        for layer, share in order
        for term in layer
    ]
    return ProductFormulaStepOutput(rotations=rotations, layers=len(layers))


def _commute(one: ProductFormulaStepInput.Term, other: ProductFormulaStepInput.Term) -> bool:
    """Pauli strings commute if they differ on an even number of common sites."""
    letters = dict(zip(other.sites, other.letters, strict=True))
    clashes = sum(letters.get(site, letter) != letter for site, letter in zip(one.sites, one.letters, strict=True))
    return clashes % 2 == 0
