"""Which numbers of an input take NaN or infinity: by trial where a test gave one, by what the model says elsewhere."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BaseModel, Field, FiniteFloat, model_validator

from labwright.tools.forge.gate.tool_call_interception import unguarded


class Part(BaseModel):
    """A model inside another: it does not inherit its configuration."""

    weight: float


class Closed(BaseModel, allow_inf_nan=False):
    """Guarded as a whole."""

    x: float
    rows: list[list[float]]
    table: dict[str, float] = {}
    maybe: float | None = None


class Open(BaseModel):
    """Guarded here and there."""

    bounded: float = Field(ge=0, le=1)
    positive: float = Field(gt=0)
    own: float = Field(allow_inf_nan=False)
    inner: list[Annotated[float, Field(allow_inf_nan=False)]]
    kind: FiniteFloat
    count: int
    part: Part
    named: dict[str, float]
    late: float | None = None
    late_bounded: float | None = Field(default=None, gt=0, lt=1)
    late_finite: list[FiniteFloat] = []


class Checked(BaseModel):
    """Guarded by a validator of its own."""

    x: list[float]

    @model_validator(mode="after")
    def _finite(self) -> Checked:
        if not all(math.isfinite(one) for one in self.x):
            raise ValueError("All numbers must be finite.")
        return self


def _found(model: type[BaseModel], *inputs: BaseModel) -> dict[str, str]:
    return {one["field"]: one["takes"] for one in unguarded(model, [one.model_dump_json() for one in inputs])[0]}


def test_each_number_is_tried_and_those_that_nobody_gave_are_read() -> None:
    given = Open(
        bounded=0.5, positive=1.0, own=1.0, inner=[1.0], kind=1.0, count=2, part=Part(weight=1.0), named={"a": 1.0}
    )
    assert _found(Open, given) == {"positive": "infinity", "part.weight": "NaN", "named{}": "NaN", "late": "NaN"}


def test_guarded_models_and_validators_take_none() -> None:
    assert _found(Closed, Closed(x=1.0, rows=[[1.0]])) == {}
    assert _found(Closed) == {}
    assert _found(Checked, Checked(x=[1.0, 2.0])) == {}


def test_a_number_that_no_test_gave_is_not_trusted_to_a_validator() -> None:
    assert _found(Checked, Checked(x=[])) == {"x[]": "NaN"}
