"""What all parts of the reader of circuits look at: the text, its symbols, and what was settled on the way."""

from __future__ import annotations

import re
from functools import cached_property

from labwright.agents.tool_forging.readers.language.assignments import assignments, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.traced import Clean, replaced

_DEGREES = re.compile(
    r"(?P<list>(?:\d+(?:\.\d+)?\s*(?:,|and|or|to|;|\s)+\s*)*\d+(?:\.\d+)?)\s*(?:deg\b|"
    r"degrees?\b|°)(?! ?[CF]\b)"
)
_CARRIER = re.compile(
    r"\b(?:ion|atom|spin|particle|photon|bit|wire|transmon|electron)(?P<s>s?)\b(?! flip|-flip|"
    r"string|[- ]?map)(?=\s+\d|s?\b)",
    re.I,
)
_COMMA = re.compile(r"(?<![\d.,])(?P<a>\d),(?P<b>\d+)(?![\d,])")


class CircuitBody(Body):
    """The task with its carriers called qubits, degrees in radian and decimal commas as points."""

    @cached_property
    def plain(self) -> Clean:
        """See `Body.plain`."""
        state = super().plain
        state = replaced(state, _CARRIER, lambda m: f"qubit{m['s']}")
        if re.search(r"\d,\d+\s*;\s*\d", state.text):  # a list whose commas are decimal
            state = replaced(state, _COMMA, lambda m: f"{m['a']}.{m['b']}")
        return replaced(state, _DEGREES, lambda m: re.sub(r"\d+(?:\.\d+)?", r"\g<0>*pi/180", m["list"]))


class Circuit:
    """One task on the way to its specification.

    Attributes:
        body: the task.
        text: its cleaned text.
        sets: values of the symbols, by name.
        n: number of qubits.
        assumed: what was settled although the text does not say it.
        used: stretches of the text that were read.
    """

    def __init__(self, body: CircuitBody) -> None:
        self.body, self.text = body, body.text
        self.assumed: list[str] = []
        self.n = 0
        self.found = assignments(body.plain)
        self.sets = resolved(self.found)
        self.used: list[tuple[int, int]] = []
