"""``manifest.json`` of a recording: which model answered what, with which settings, and what it came to."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from labwright.agents.errors import ModelUnavailable
from labwright.agents.meter import Usage
from labwright.agents.settings import Price, Settings
from labwright.tools.atomic_files import write_atomic
from labwright.tools.runs.events import EventLog

EXCHANGES, MANIFEST = "exchanges.jsonl", "manifest.json"


class Answering(BaseModel):
    """The settings that shape requests; a replay takes them from here."""

    model_config = ConfigDict(from_attributes=True)
    model_reasoning: str | None = None
    model_general: str | None = None
    model_light: str | None = None
    model_vision: str | None = None
    structured: Literal["auto", "json_schema", "tools", "text"] = "auto"
    repairs: int = 2
    temperature: float | None = None
    max_tokens: int | None = None
    prices: dict[str, Price] = Field(default_factory=dict)


class Manifest(BaseModel):
    """What a recording says of itself.

    Attributes:
        date: of the first exchange, UTC.
        commit: of the code; empty outside a checkout.
        model: the default for every tier.
        who_answered: a person or program that answered for the model, else the model.
        answering: the settings.
        suite: of `labwright.evaluation`; empty if the recording is of something else.
        options: of the suite.
        seeds: of random draws, where they are known.
        prompts: prompt file -> SHA-256 of its bytes.
        totals: of all exchanges: requests are `calls`, those on an invalid answer `repairs`.
        characters_in: of all messages and schemas.
        characters_out: of all replies, the arguments of tools included.
    """

    date: str
    commit: str = ""
    model: str
    who_answered: str
    answering: Answering = Field(default_factory=Answering)
    suite: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
    seeds: list[int] = Field(default_factory=list)
    prompts: dict[str, str] = Field(default_factory=dict)
    totals: Usage = Field(default_factory=Usage)
    characters_in: int = 0
    characters_out: int = 0

    def settings(self, mine: Settings) -> Settings:
        """`mine` with the settings under which the recording was made."""
        return mine.model_copy(update=dict(self.answering))


def load_manifest(folder: Path) -> Manifest:
    """The manifest of the recording in `folder`.

    Raises:
        ModelUnavailable: there is none, or it does not read.
    """
    try:
        return Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise ModelUnavailable(f"There is no recording in {folder}: it has no {MANIFEST}.") from None
    except ValidationError as wrong:
        raise ModelUnavailable(f"{folder / MANIFEST} is not a manifest of a recording: {wrong}") from wrong


def save_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest whole."""
    write_atomic(folder / MANIFEST, (manifest.model_dump_json(indent=1) + "\n").encode())


def exchanges_in(folder: Path) -> EventLog:
    """The exchanges of a recording, a line each; a line that was torn off by a kill is not read."""
    return EventLog(folder / EXCHANGES)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the recording for one change, against other threads and processes."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
