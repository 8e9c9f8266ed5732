"""JSON Schemas of the specifications (draft 2020-12), for editors and forms; made from the types, never stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter

from labwright.tools.atomic_files import write_atomic
from labwright.tools.specifications.examples import KINDS, example
from labwright.tools.specifications.kinds import SHORT, kind_of
from labwright.tools.specifications.yaml_files import read_document

DRAFT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = ".labwright/schemas"  # where editors find them, beside the documents
# What only Labwright writes; a form does not ask for it.
GENERATED = (
    "defaults", "procedures", "prose_sha256", "read_by", "span", "source_text", "assumptions", "questions", "inserted",
)  # fmt: skip


def schema_of(system: str, kind: str = "") -> dict[str, Any]:
    """The schema of that system's specification, with an example.

    Args:
        system: its name.
        kind: of its kinds; all of them if empty.
    """
    kinds = kind_of(system).kinds()
    if kind in kinds or len(kinds) == 1:
        plain = kinds.get(kind, kind_of(system)).model_json_schema()
    else:
        every: Any = Annotated[Union[tuple(kinds.values())], Field(discriminator="task")]  # noqa: UP007
        plain = {"title": kind_of(system).__name__, **TypeAdapter(every).json_schema()}
    for each in _objects(plain):
        attributes = _attributes(each)
        for name, field in each["properties"].items():
            if name in attributes and "description" not in field:
                field["description"] = attributes[name]
            if name in GENERATED:
                field["readOnly"] = True
    shown = kind if kind in KINDS[SHORT[system]] else ""
    return {"$schema": DRAFT, **plain, "examples": [read_document(example(SHORT[system], shown)).data]}


def write_schemas(folder: Path) -> list[Path]:
    """Write the schema of every system into `folder`; returns the files.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{system}.json" for system in SHORT]
    for system, path in zip(SHORT, paths, strict=True):
        write_atomic(path, (json.dumps(schema_of(system), indent=1, ensure_ascii=False) + "\n").encode())
    return paths


def _objects(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for each in (schema, *schema.get("$defs", {}).values()):
        if "properties" in each:
            yield each


def _attributes(each: dict[str, Any]) -> dict[str, str]:
    """The descriptions of fields in a class's docstring; its first paragraph stays as the description of the class."""
    summary, _, listed = each.get("description", "").partition("\n\nAttributes:\n")
    found: dict[str, str] = {}
    name = ""
    for line in listed.splitlines():
        if line.startswith("    ") and not line.startswith("     ") and ":" in line:
            name, _, text = line.strip().partition(": ")
            found[name] = text
        elif name and line.strip():
            found[name] += f" {line.strip()}"
    if listed:
        each["description"] = summary
    return found
