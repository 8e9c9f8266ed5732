"""Studio draws a graph's form from its schemas, so every graph has to have them, with types.

With `typing.TypedDict` pydantic refuses the schema below Python 3.12, and Studio shows no form at all.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pytest
from langgraph.graph.state import CompiledStateGraph

Graph = CompiledStateGraph[Any, Any, Any, Any]
Schema = dict[str, Any]

CONFIG = json.loads((Path(__file__).parents[2] / "langgraph.json").read_text())
GRAPHS: dict[str, str] = {name: each["path"] for name, each in CONFIG["graphs"].items()}
JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def load(name: str) -> Graph:
    module, _, attribute = GRAPHS[name].partition(":")
    graph = getattr(importlib.import_module(module), attribute)
    assert isinstance(graph, CompiledStateGraph)
    return graph


def expected_types(hint: Any) -> set[str]:
    """JSON types of what a field may hold."""
    origin = get_origin(hint) or hint
    if origin is Annotated:
        return expected_types(get_args(hint)[0])
    if origin is UnionType:
        return set().union(*map(expected_types, get_args(hint)))
    if origin is Literal:
        return {JSON_TYPES[type(value)] for value in get_args(hint)}
    if hint is type(None):
        return {"null"}
    return {JSON_TYPES.get(origin, "object")}  # a TypedDict is an object


def shown_types(field: Schema, schema: Schema) -> set[str]:
    """JSON types that a field of `schema` declares."""
    if "$ref" in field:
        return shown_types(schema["$defs"][field["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in field:
        return set().union(*(shown_types(one, schema) for one in field["anyOf"]))
    return {field["type"]}


def check_form(schema: Schema, fields: dict[str, Any]) -> None:
    """Compare the schema with the type hints of the class that it comes from."""
    assert schema["type"] == "object"
    assert fields
    assert {name: shown_types(field, schema) for name, field in schema["properties"].items()} == {
        name: expected_types(hint) for name, hint in fields.items()
    }


@pytest.mark.parametrize("name", GRAPHS)
def test_the_input_form_has_every_field_with_its_type(name: str) -> None:
    graph = load(name)
    check_form(graph.get_input_jsonschema(), get_type_hints(graph.builder.input_schema))


@pytest.mark.parametrize("name", GRAPHS)
def test_the_output_has_every_field_with_its_type(name: str) -> None:
    graph = load(name)
    check_form(graph.get_output_jsonschema(), get_type_hints(graph.builder.output_schema))


@pytest.mark.parametrize("name", GRAPHS)
def test_the_context_form_has_every_choice(name: str) -> None:
    graph = load(name)
    choices: Any = graph.builder.context_schema
    schema = graph.get_context_jsonschema()
    if choices is None:
        assert schema is None
        return
    assert schema is not None
    assert schema["type"] == "object"
    assert choices.model_fields
    assert set(schema["properties"]) == set(choices.model_fields)
    assert all("type" in field or "anyOf" in field for field in schema["properties"].values())


def test_a_request_is_one_line_of_text() -> None:
    schema = load("lab_calibration").get_input_jsonschema()
    assert schema["properties"]["request"] == {"title": "Request", "type": "string"}
