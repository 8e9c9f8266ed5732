"""The JSON schema a model's reply is held to, in the subset that strict structured output accepts.

Strict mode (OpenAI, "Structured Outputs") wants every property required, ``additionalProperties: false`` in every
object, no open maps and few keywords. Where a type needs an open map, such as ``dict[str, float]``, write a list of
``{name, value}`` items instead. Number and length limits are moved into the description; pydantic enforces them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

from labwright.agents.errors import CallDefinitionError

Schema = dict[str, Any]

# Bounds that older models and other servers reject; stated in words instead, and enforced after parsing.
BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching {}",
    "format": "in {} format",
}


def outline(schema: Any) -> Any:
    """A strict schema for reading, without the words that say of every object that it is strict."""
    if not isinstance(schema, dict):
        return [outline(one) for one in schema] if isinstance(schema, list) else schema
    strict = {"required", "additionalProperties"} if schema.get("type") == "object" else set()
    return {key: outline(value) for key, value in schema.items() if key not in strict}


@cache
def reply_schema(output: type[BaseModel], question: type[BaseModel], refusal: type[BaseModel]) -> Schema:
    """Strict schema of ``{answer, question, refusal}``, each an object or null; exactly one is to be an object.

    Raises:
        CallDefinitionError: `output` cannot be expressed in strict mode; names the field.
    """
    definitions: Schema = {}
    properties: Schema = {}
    for name, model in (("answer", output), ("question", question), ("refusal", refusal)):
        raw = model.model_json_schema()
        own = raw.pop("$defs", {})
        for key, value in own.items():
            definitions[key] = _strict(value, own, f"{output.__name__}.{key}")
        properties[name] = {"anyOf": [_strict(raw, own, model.__name__), {"type": "null"}]}
    schema: Schema = _object(properties)
    if definitions:
        schema["$defs"] = definitions
    return schema


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _strict(node: Schema, definitions: Schema, path: str) -> Schema:
    """`node` rewritten for strict mode; `path` is what an error calls it."""
    if "$ref" in node:
        return _reference(node, definitions, path)
    if len(node.get("allOf", [])) == 1:
        rest = {key: value for key, value in node.items() if key != "allOf"}
        return _strict({**node["allOf"][0], **rest}, definitions, path)
    variants = node.get("anyOf") or node.get("oneOf")
    if variants:
        made: Schema = {"anyOf": [_strict(variant, definitions, path) for variant in variants]}
    elif node.get("type") == "object":
        made = _strict_object(node, definitions, path)
    elif node.get("type") == "array":
        made = _strict_array(node, definitions, path)
    elif "const" in node or "enum" in node or "type" in node:
        made = _scalar(node)
    else:
        raise CallDefinitionError(
            f"Field `{path}` may hold anything. Give it a type, so that a model can be held to it."
        )
    return _described(made, node)


def _reference(node: Schema, definitions: Schema, path: str) -> Schema:
    if len(node) == 1:
        return dict(node)
    target = definitions[node["$ref"].rsplit("/", 1)[-1]]  # strict mode allows nothing beside a $ref: inline it
    rest = {key: value for key, value in node.items() if key not in {"$ref", "default"}}
    return _strict({**target, **rest}, definitions, path) if rest else {"$ref": node["$ref"]}


def _strict_object(node: Schema, definitions: Schema, path: str) -> Schema:
    extra = node.get("additionalProperties")
    if isinstance(extra, dict) or not ({"properties", "patternProperties"} & set(node)):
        raise CallDefinitionError(
            f"Field `{path}` is an open map, which strict structured output does not allow."
            " Write it as a list of items with the fields `name` and `value`."
        )
    if extra is True or "patternProperties" in node:
        raise CallDefinitionError(f'Type `{path}` allows extra fields. Remove `extra="allow"` from it.')
    return _object({k: _strict(v, definitions, f"{path}.{k}") for k, v in node["properties"].items()})


def _strict_array(node: Schema, definitions: Schema, path: str) -> Schema:
    if "prefixItems" in node or not node.get("items"):
        raise CallDefinitionError(
            f"Field `{path}` is a tuple or a list of anything, which strict structured output does not allow."
            " Write it as a list of one type, or as an object with named fields."
        )
    return {"type": "array", "items": _strict(node["items"], definitions, f"{path}[]")}


def _scalar(node: Schema) -> Schema:
    kind = node.get("type", "string")
    if "const" in node:
        return {"type": kind, "enum": [node["const"]]}
    return {"type": kind, "enum": node["enum"]} if "enum" in node else {"type": kind}


def _described(made: Schema, node: Schema) -> Schema:
    words = [text.format(node[key]) for key, text in BOUNDS.items() if key in node]
    description = " ".join(filter(None, [node.get("description"), f"({', '.join(words)})" if words else None]))
    return {**made, "description": description} if description else made
