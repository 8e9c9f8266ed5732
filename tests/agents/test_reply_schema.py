"""Reply schemas are valid under strict structured output, or the role does not come into being."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from strict_schema import strict_faults

from labwright.agents.errors import CallDefinitionError
from labwright.agents.typed_call import AgentCall


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = Field(default=9, ge=0, le=9)


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


class Rich(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    favourite: Cat = Field(description="The one it likes best.")
    colour: Colour = Colour.RED
    note: str | None = Field(default=None, max_length=10)
    children: list[Rich] = Field(default_factory=list)


def role(output: type[BaseModel]) -> AgentCall[Any, Any]:
    return AgentCall("tests.role", "x.md", Cat, output, policy=lambda given: given)


def test_a_rich_output_type_is_expressed_in_strict_mode() -> None:
    schema = role(Rich).reply_schema()
    assert strict_faults(schema) == []
    rich = schema["properties"]["answer"]["anyOf"][0]
    node = schema["$defs"]["Rich"] if "$ref" in rich else rich
    assert "at most 10 characters" in str(node)
    assert schema["$defs"]["Cat"]["properties"]["lives"]["description"] == "(at least 0, at most 9)"


class OpenMap(BaseModel):
    values: dict[str, float]


class Deep(BaseModel):
    inner: list[OpenMap]


class Anything(BaseModel):
    value: Any


class Pair(BaseModel):
    pair: tuple[int, str]


class Extra(BaseModel):
    model_config = ConfigDict(extra="allow")
    value: int


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (OpenMap, r"OpenMap\.values.*open map.*`name` and `value`"),
        (Deep, r"OpenMap\.values"),
        (Anything, r"Anything\.value.*anything"),
        (Pair, r"Pair\.pair.*tuple"),
        (Extra, r"Extra.*extra fields"),
    ],
)
def test_what_strict_mode_cannot_hold_is_refused_with_the_fields_name(output: type[BaseModel], said: str) -> None:
    with pytest.raises(CallDefinitionError, match=said):
        role(output)


def test_a_name_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(CallDefinitionError, match="letters, digits"):
        AgentCall("tests role!", "x.md", Cat, Dog, policy=lambda _given: Dog())
