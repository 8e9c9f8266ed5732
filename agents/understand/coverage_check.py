"""The second reader: holds a person's words against the specification that was made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, without_words


class CoverIn(BaseModel):
    """Words and specification; not how the first reader came from one to the other."""

    words: str
    besides: str = Field(description="What was settled besides the words; empty if nothing.")
    specification: str = Field(description="YAML.")
    read_back: str = Field(description="The same in plain sentences, made by code.")


class Uncovered(BaseModel):
    """One difference between words and specification."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["left_out", "added", "changed"]
    phrase: str = Field(description="The words it is about, quoted exactly; empty for something added.")
    path: str = Field(description="Field of the specification, such as steps.0.parameters.stop; empty if left out.")
    why: str = Field(description="The difference, in a few words.")


class CoverOut(BaseModel):
    """Every difference that changes what is done."""

    model_config = ConfigDict(extra="forbid")
    findings: list[Uncovered]


def kept(answer: CoverOut, given: CoverIn, settled: Sequence[Sequence[str]]) -> list[Uncovered]:
    """The findings that quote the words or name a field that exists, and were not settled before."""
    from labwright.tools.specifications.quotations import stands_in

    found = []
    for each in answer.findings:
        quotes = stands_in(each.phrase, given.words)
        names = bool(each.path) and _exists(each.path, given.specification)
        if (quotes or names) and [each.phrase, each.path] not in [list(pair) for pair in settled]:
            found.append(each)
    return found


_NOWHERE = object()


def _exists(path: str, specification: str) -> bool:
    """Whether the specification sets the field: a default that it leaves alone is never something added."""
    from labwright.tools.specifications.patches import path_of, value_at
    from labwright.tools.specifications.yaml_files import read_document

    return value_at(read_document(specification).data, path_of(path), _NOWHERE) is not _NOWHERE


COVER = AgentCall("understand.cover", "understand/cover.md", CoverIn, CoverOut, without_words, tier="general")
