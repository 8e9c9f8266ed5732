"""What a server with strict structured output refuses in a schema, independently of the code under test."""

from __future__ import annotations

from typing import Any

ALLOWED = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs"}
WORDS = {"description"}
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


def strict_faults(schema: dict[str, Any], path: str = "$") -> list[str]:
    """Every rule of strict mode that `schema` breaks, with its place; empty if it is valid."""
    faults = [] if path != "$" or schema.get("type") == "object" else ["$: the root must be an object"]
    unknown = set(schema) - ALLOWED - WORDS
    if unknown:
        faults.append(f"{path}: unsupported {sorted(unknown)}")
    if "$ref" in schema and len(schema) > 1:
        faults.append(f"{path}: nothing may stand beside $ref")
    if not {"type", "anyOf", "$ref"} & set(schema):
        faults.append(f"{path}: has no type")
    if "type" in schema and schema["type"] not in TYPES:
        faults.append(f"{path}: unknown type {schema['type']!r}")
    return faults + _object_faults(schema, path) + _inner_faults(schema, path)


def _object_faults(schema: dict[str, Any], path: str) -> list[str]:
    if schema.get("type") != "object":
        return []
    faults = [] if schema.get("additionalProperties") is False else [f"{path}: additionalProperties must be false"]
    if set(schema.get("required", [])) != set(schema.get("properties", {})):
        faults.append(f"{path}: every property must be required")
    return faults


def _inner_faults(schema: dict[str, Any], path: str) -> list[str]:
    inner = [(f"{path}.{name}", node) for name, node in schema.get("properties", {}).items()]
    inner += [(f"{path}#{name}", node) for name, node in schema.get("$defs", {}).items()]
    inner += [(f"{path}|{i}", node) for i, node in enumerate(schema.get("anyOf", []))]
    if schema.get("type") == "array":
        inner.append((f"{path}[]", schema.get("items", {})))
    return [fault for name, node in inner for fault in strict_faults(node, name)]
