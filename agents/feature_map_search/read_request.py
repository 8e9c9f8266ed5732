"""From the words of a search to its specification: one call, the answer as YAML in one text."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, without_words
from labwright.tools.feature_maps.compared_methods import ALL, TITLES
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.schema import schema_of
from labwright.tools.specifications.yaml_files import read_document

HIDDEN = ("spec", "system", "words", "prose_sha256", "read_by", "proposed_by")  # fields that a reader does not write


class ReadIn(BaseModel):
    """What a person wants, and how a search is written."""

    words: str
    settled: str = Field(description="Fields that were chosen besides the words, as YAML; empty if none.")
    page: str = Field(description="Every field of a search, with its default.")


class Source(BaseModel):
    """Where a field comes from."""

    model_config = ConfigDict(extra="forbid")
    path: str = Field(description="Field, such as qubits or persons_ideas.0.")
    quote: str = Field(description="The words that say it, exactly as they stand.")


class ReadOut(BaseModel):
    """The search, and what stands between it and the words."""

    model_config = ConfigDict(extra="forbid")
    search: str = Field(description="The fields that differ from their defaults, as YAML.")
    sources: list[Source]
    assumed: list[str] = Field(description="What it settles and the words do not, each with its consequence.")
    left_out: list[str] = Field(description="Demands of the words that it cannot say; quoted exactly.")


@cache
def page() -> str:
    """Every field of a search as a JSON schema, and the names that its lists take."""
    schema = {name: part for name, part in schema_of("feature_map_search").items() if name not in ("examples", "title")}
    schema["properties"] = {name: one for name, one in schema["properties"].items() if name not in HIDDEN}
    fields = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    methods = "; ".join(f"{name} ({title})" for name, title in TITLES.items() if name in ALL)
    return f"{fields}\n\nbaselines: {methods}\ngates: {', '.join(GATES)}"


def data_of(search: str) -> dict[str, Any]:
    """Plain data of a search's YAML, with or without a fence around it.

    Raises:
        SpecificationError: it is not YAML.
    """
    bare = search.strip().removeprefix("```yaml").removeprefix("```").removesuffix("```").strip()
    data = read_document(bare).data if bare and bare != "{}" else {}
    return {"system": "feature_map_search", **data}


def _written(given: ReadIn, answer: ReadOut) -> list[str]:
    """Whether it is YAML at all; what stands in it is checked later."""
    try:
        data_of(answer.search)
    except SpecificationError as wrong:
        return [f"The search cannot be read: {wrong}"]
    return []


READ = AgentCall(
    "feature_map_search.read_search",
    "feature_map_search/read_search.md",
    ReadIn,
    ReadOut,
    without_words,
    _written,
    "reasoning",
)
