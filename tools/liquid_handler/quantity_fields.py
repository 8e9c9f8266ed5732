"""Numbers with units, as people write them in a document; what every part of a design is made of."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from labwright.tools.chemistry.quantities import Quantity, canonical_unit, dimension, parse_quantity
from labwright.tools.errors import InputError


class Record(BaseModel):
    """A part of a document: frozen, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# words that a field takes for a number; each stands in the report as an assumption
SAID = {"overnight": (16.0, "h"), "rt": (25.0, "degC"), "room temperature": (25.0, "degC")}


class Stated(Record):
    """A number with its unit; `said` is the word that it was written as, such as ``overnight``."""

    value: float = Field(allow_inf_nan=False)
    unit: str = ""
    said: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str) and value.strip().lower() in SAID:
            number, unit = SAID[value.strip().lower()]
            return {"value": number, "unit": unit, "said": value.strip().lower()}
        if isinstance(value, str):
            quantity = parse_or_value_error(value)
            return {"value": quantity.value, "unit": quantity.unit}
        if isinstance(value, int | float) and not isinstance(value, bool):
            return {"value": value}
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        """As people write it: a number, a text with its unit, or the fields."""
        text = "An amount with its unit, such as `10 mM`, `0.5 mL` or `60 degC`."
        return {"description": text, "anyOf": [{"type": "string"}, {"type": "number"}, handler(core)]}

    @model_validator(mode="after")
    def _known_unit(self) -> Self:
        object.__setattr__(self, "unit", _unit_or_value_error(self.unit))
        return self

    def to(self, unit: str) -> float:
        """The value in another unit."""
        return Quantity(self.value, self.unit).to(unit)

    @property
    def basis(self) -> str | None:
        """``v/v`` or ``w/w`` where the unit says so; of M and of masses per volume it is clear."""
        clear = {"molarity": "M", "density": "w/v"}.get(self.measures)
        return clear or {"% v/v": "v/v", "% w/w": "w/w"}.get(self.unit)

    @property
    def measures(self) -> str:
        """The dimension: ``mass``, ``volume``, ``molarity``, ..."""
        return dimension(self.unit)

    def __str__(self) -> str:
        return str(Quantity(self.value, self.unit))


def parse_or_value_error(text: str) -> Quantity:
    """`parse_quantity` in the form pydantic wants its refusals."""
    try:
        return parse_quantity(text)
    except InputError as error:
        raise ValueError(str(error)) from error


def _unit_or_value_error(text: str) -> str:
    try:
        return canonical_unit(text)
    except InputError as error:
        raise ValueError(str(error)) from error


Name = Annotated[str, Field(min_length=1, max_length=200)]
