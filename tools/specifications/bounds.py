"""Bounds of a run, and quantities that must be written with their unit."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from labwright.tools.specifications.values import ValueProblem, evaluated, in_unit

LONG = {"min": 60.0, "h": 3600.0}  # s; a parameter of an experiment is never that long


def size(text: str, unit: str) -> float:
    """The number that `text` is in `unit`; hours and minutes are read where seconds are wanted.

    Raises:
        ValueProblem: it is no number above zero, has no unit or another one.
    """
    number, _, last = text.rpartition(" ")
    long = LONG.get(last, 0.0) if unit == "s" else 0.0
    quantity = evaluated(number if long else text)
    if quantity.unit is None and unit and not long:
        raise ValueProblem(f"{text} has no unit. Write it as in: {text} {unit}")
    value = quantity.value * long if long else in_unit(quantity, unit, text)
    if not value > 0:
        raise ValueProblem(f"{text} must be above zero.")
    return value


def checked(text: str, unit: str | None) -> str:
    """`text`, if it is a quantity in `unit` (any if None); a plain ValueError otherwise, as a validator raises it."""
    try:
        evaluated(text) if unit is None else size(text, unit)
    except ValueProblem as wrong:
        raise ValueError(str(wrong)) from None
    return text


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _within(unit: str | None) -> AfterValidator:
    return AfterValidator(lambda text: checked(text, unit))


# Quantities as they are written, with their unit.
Text = Annotated[str, BeforeValidator(_as_text), _within(None)]
Seconds = Annotated[str, BeforeValidator(_as_text), _within("s")]
MHz = Annotated[str, BeforeValidator(_as_text), _within("MHz")]


class Bounds(BaseModel):
    """What one run may take. Where several say so, each of them holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    device_time: Seconds | None = Field(default=None, description="Of all lives of the run, such as 30 min.")
    actions: int | None = Field(default=None, ge=1, description="Measurements, repetitions included.")
    valid: Seconds | None = Field(default=None, description="For how long its approval holds, such as 12 h.")
    parameters: dict[Annotated[str, Field(max_length=60)], Text | tuple[Text, Text]] = Field(
        default_factory=dict,
        max_length=100,
        description="Largest value, or smallest and largest, of a parameter: `shots: 5000`, `t1.stop: 300 us`.",
    )
