"""What an agent reads out of a description: the design's language half, in the form a model can be held to.

A number carries the words it was read from, so that code can look whether they stand in the text. `design_of` turns
a reading into the `ExperimentDesign` that everything else is computed from.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import ExperimentDesign

WORDS = "The words of the text it comes from, exactly as they stand there; empty only for an assumption."


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Amount(_Part):
    """A number with its unit and its words."""

    value: float = Field(description="As the text states it, in its own unit; not converted, not computed.")
    unit: str = Field(description="mg, g, uL, mL, mmol, mol, M, mM, %, equiv, degC, rpm, s, min, h, or empty.")
    words: str = Field(description=WORDS)


class Substance(_Part):
    """A chemical by the person's name for it."""

    name: str
    role: Literal["reactant", "solvent", "catalyst", "analyte", "additive", "unknown"]


class StockSolution(_Part):
    """A solution that is on the deck before the experiment begins."""

    name: str
    solute: str
    solvent: str | None
    concentration: Amount
    basis: Literal["w/w", "w/v", "v/v", "M"]


class Variation(_Part):
    """What varies between vials: amounts or chemicals, one of the two lists."""

    name: str
    levels: list[Amount]
    chemicals: list[str]


class Pairing(_Part):
    """Where one factor has these levels, another may only have those."""

    when_factor: str
    when_levels: list[str]
    only_factor: str
    only_levels: list[str]


class Portion(_Part):
    """How much of one substance a vial gets."""

    substance: str = Field(description="A chemical, a stock, or a factor over chemicals.")
    kind: Literal["mass", "volume", "moles", "molarity", "fraction", "equivalents", "share", "remainder"]
    amount: Amount | None = Field(description="If all vials get the same; for `share` the total of all shares.")
    factor: str | None = Field(description="The factor whose level is the amount.")
    parts: Amount | None = Field(description="For `share`: this substance's parts.")
    parts_factor: str | None = Field(description="For `share`: the factor whose level is its parts.")
    via: str | None = Field(description="The stock that brings it.")
    basis: Literal["w/w", "w/v", "v/v", "M"] | None = Field(description="For `fraction`.")
    reference: str | None = Field(description="For `equivalents`: the substance that counts as one.")


class SampleGroup(_Part):
    """Vials made alike."""

    name: str
    factors: list[Variation]
    combine: Literal["cross", "zip", "explicit"]
    rows: list[list[str]] = Field(description="For `explicit`: the levels of each vial in the order of the factors.")
    pairings: list[Pairing]
    doses: list[Portion]
    replicates: int = Field(ge=1, le=192)
    total_volume: Amount | None


class Treatment(_Part):
    """One thing done to all vials, in order."""

    kind: Literal["mix", "heat", "cool", "wait"]
    by: Literal["vortex", "stir", "none"] | None = Field(
        description="Null if the text does not say; `none` if it says that the vials are not stirred."
    )
    temperature: Amount | None
    speed: Amount | None
    time: Amount | None
    time_factor: str | None


class Dilution(_Part):
    """A portion of every vial diluted into a second plate."""

    factor: Amount
    convention: Literal["total", "added"]
    total_volume: Amount
    diluent: str
    conditions: list[Treatment]


class Doubt(_Part):
    """What the text leaves open and a person can settle."""

    id: str = Field(description="What it is about, in a few words; the same for the same doubt.")
    text: str
    options: list[str]
    default: str | None = Field(description="What an unattended run takes; null if no default is safe.")
    consequence: str = Field(description="What taking the default means.")


class Settled(_Part):
    """An answer that a person, or a default, gave to a doubt."""

    id: str
    text: str
    answer: str
    by: Literal["person", "default"]


class Reading(_Part):
    """A description as data."""

    title: str
    chemicals: list[Substance]
    stocks: list[StockSolution]
    groups: list[SampleGroup]
    conditions: list[Treatment]
    cap: bool | None
    vial_volume: Amount | None
    workup: Dilution | None
    doubts: list[Doubt]
    not_understood: list[str] = Field(description="Parts of the text that this reading leaves out, verbatim.")


def design_of(reading: Reading, text: str) -> ExperimentDesign:
    """The reading as a design, every number with its place in `text`.

    Raises:
        InputError: the parts do not fit each other; says which.
    """
    plain = reading.model_dump(exclude={"doubts", "not_understood", "groups", "stocks", "chemicals"})
    plain["chemicals"] = [item.model_dump() for item in reading.chemicals]
    plain["stocks"] = [item.model_dump() for item in reading.stocks]
    plain["groups"] = [_group(group) for group in reading.groups]
    try:
        return ExperimentDesign.model_validate({**_placed(plain, text), "source_text": text})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"The reading does not fit together{f' at {where}' if where else ''}: {first['msg']}."
        ) from error


def _group(group: SampleGroup) -> dict[str, Any]:
    plain = group.model_dump(exclude={"rows", "pairings"})
    names = [factor.name for factor in group.factors]
    plain["rows"] = [dict(zip(names, row, strict=False)) for row in group.rows]
    plain["constraints"] = [
        {"when": {item.when_factor: item.when_levels}, "only": {item.only_factor: item.only_levels}}
        for item in group.pairings
    ]
    return plain


def _placed(value: Any, text: str) -> Any:
    """Amounts with `words` become amounts with a span."""
    if isinstance(value, list):
        return [_placed(item, text) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"value", "unit", "words"}:
        at = text.find(value["words"]) if value["words"] else -1
        span = {"start": at, "end": at + len(value["words"]), "text": value["words"]} if at >= 0 else None
        return {"value": value["value"], "unit": value["unit"], "span": span}
    return {key: _placed(item, text) for key, item in value.items()}


def amounts_of(value: Any) -> list[Amount]:
    """Every amount in a reading, wherever it stands."""
    if isinstance(value, Amount):
        return [value]
    if isinstance(value, list):
        return [found for item in value for found in amounts_of(item)]
    if isinstance(value, BaseModel):
        return [found for name in type(value).model_fields for found in amounts_of(getattr(value, name))]
    return []
