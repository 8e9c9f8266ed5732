"""Start and resume a design from Python; what every face of the program calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.graph import build_graph
from labwright.graphs.protocol_design.preparing import given_protocol
from labwright.graphs.protocol_design.run_context import SYSTEM, WORKROOMS
from labwright.graphs.running import OnEvent, OnQuestion, System
from labwright.graphs.running import Outcome as Outcome
from labwright.tools.errors import InputError
from labwright.tools.specifications.kinds import from_choices
from labwright.tools.specifications.protocol import ProtocolText


def specify(text: str, choices: Choices, files: list[str]) -> dict[str, Any]:
    """The protocol as a specification, or the words, which one is read from."""
    try:
        data = given_protocol(text)
    except InputError:  # the run says so
        data = None
    return from_choices(ProtocolText, choices, text=text) if data is None else data


DESIGN = System(SYSTEM, build_graph, WORKROOMS, specify=specify, known_by="words")


@dataclass(frozen=True)
class DesignRequest:
    """What is wanted: a description in words, or a design in YAML, and the choices that go with it."""

    text: str
    choices: Choices = field(default_factory=Choices)


def start(
    request: DesignRequest, root: Path, *, on_event: OnEvent | None = None, on_question: OnQuestion | None = None
) -> Outcome:
    """Design a protocol until it is written, refused, or waits for a person.

    Raises:
        OSError: the runs folder cannot be written.
        ModelUnavailable: the chosen model does not answer.
    """
    chosen = request.choices
    return DESIGN.start(request.text, chosen, root, seed=chosen.seed, on_event=on_event, on_question=on_question)


resume = DESIGN.resume
