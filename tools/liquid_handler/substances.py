"""What a person says of the substances and solutions that are there."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from labwright.tools.liquid_handler.quantity_fields import Name, Record, Stated

Basis = Literal["w/w", "w/v", "v/v", "M"]


class ChemicalUse(Record):
    """A chemical as the person named it; the optional fields overrule the tables.

    Attributes:
        name: what the person calls it; doses name it so.
        identity: another name, or the CAS number, of the same substance: it is looked up by that.
        strength: of a reagent that is sold as a solution, such as 28 wt% or 4 M; a bare % is w/w, as on labels.
            `density` is then the solution's, and volumes and masses count the solution.
        solvent: of that solution; water if it is not said.
        location: where it stands in the laboratory.
        source: where these data were taken from, such as ``a person``.
    """

    name: Name
    identity: Name | None = None
    role: Literal["reactant", "solvent", "catalyst", "analyte", "additive", "unknown"] = "unknown"
    state: Literal["solid", "liquid"] | None = None
    density: Stated | None = None
    molar_mass: Stated | None = None
    strength: Stated | None = None
    solvent: Name | None = None
    location: str = Field(default="", max_length=200)
    source: str = Field(default="", max_length=400)

    @model_validator(mode="after")
    def _solution(self) -> Self:
        if self.strength is not None and self.strength.measures not in ("fraction", "molarity", "density", "fold"):
            raise ValueError(
                f"The strength of {self.name!r} is {self.strength}; write such as `28 wt%`, `4 M` or `10x`."
            )
        return self


class Solute(Record):
    """One substance in a solution.

    Attributes:
        concentration: in %, M, mg/mL, or x (how many times as strong as in use).
        basis: of a bare ``%``: w/w, w/v or v/v; every other unit says it itself.
    """

    solute: Name
    concentration: Stated
    basis: Basis | None = None


class Stock(Solute):
    """A prepared solution: the solute's concentration on its basis, in a solvent.

    Attributes:
        density: of the solution; needed for w/w stocks that the table does not list.
        also: further substances in it.
    """

    name: Name
    solvent: Name | None = None
    density: Stated | None = None
    also: list[Solute] = Field(default=[], max_length=20)

    @model_validator(mode="after")
    def _once(self) -> Self:
        names = [one.solute for one in self.solutes]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"Stock {self.name!r} gives {twice!r} twice. Which counts? Write it once, with all of it.")
        return self

    @property
    def solutes(self) -> list[Solute]:
        """Everything that is dissolved in it."""
        return [self, *self.also]
