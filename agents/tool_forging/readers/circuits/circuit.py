"""What all parts of the reader of circuits look at: the text, its symbols, and what was settled on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from labwright.agents.tool_forging.readers.circuits.definitions import (
    Definition,
    channel_definitions,
    rotation_definitions,
)
from labwright.agents.tool_forging.readers.circuits.degrees import plain_numbers
from labwright.agents.tool_forging.readers.language.assignments import assignments, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.traced import Clean, replaced

_CARRIER = re.compile(
    r"\b(?:ion|atom|spin|particle|photon|bit|wire|transmon|electron)(?P<s>s?)\b(?! flip|-flip|"
    r"string|[- ]?map)(?=\s+\d|s?\b)",
    re.I,
)
_COMMA = re.compile(r"(?<![\d.,])(?P<a>\d),(?P<b>\d+)(?![\d,])")


class CircuitBody(Body):
    """The task with carriers called qubits, plain numbers, points for decimal commas, and without definitions."""

    @cached_property
    def plain(self) -> Clean:
        """See `Body.plain`."""
        state = self.with_definitions
        rotations, _ = rotation_definitions(state.text)
        return _blanked(state, [*rotations, *((one.start, one.end) for one in self.defined[0])])

    @cached_property
    def with_definitions(self) -> Clean:
        """The text in which the formulas of gates and channels still stand."""
        state = super().plain
        state = replaced(state, _CARRIER, lambda m: f"qubit{m['s']}")
        if re.search(r"\d,\d+\s*;\s*\d", state.text):  # a list whose commas are decimal
            state = replaced(state, _COMMA, lambda m: f"{m['a']}.{m['b']}")
        return plain_numbers(state)

    @cached_property
    def defined(self) -> tuple[list[Definition], str]:
        """The channels that the text writes as formulas, and words of one that is not understood."""
        return channel_definitions(self.with_definitions.text)

    @cached_property
    def strange_rotation(self) -> str:
        """A rotation that is defined otherwise than here; empty if there is none."""
        return rotation_definitions(self.with_definitions.text)[1]


def _blanked(state: Clean, spans: Iterable[tuple[int, int]]) -> Clean:
    text = state.text
    for start, end in spans:
        text = text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
    return replace(state, text=text)


class Circuit:
    """One task on the way to its specification.

    Attributes:
        body: the task.
        text: its cleaned text.
        sets: values of the symbols, by name.
        n: number of qubits.
        assumed: what was settled although the text does not say it.
        used: stretches of the text that were read.
        held: numbers that were read and stand in the specification in another form.
        angle_units: of swept angles, by name.
    """

    def __init__(self, body: CircuitBody) -> None:
        self.body, self.text = body, body.text
        self.assumed: list[str] = []
        self.n = 0
        self.found = assignments(body.plain)
        self.sets = resolved(self.found)
        self.used: list[tuple[int, int]] = []
        self.held: list[float] = []
        self.angle_units: dict[str, str] = {}
