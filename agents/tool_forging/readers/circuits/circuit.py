"""What all parts of the reader of circuits look at: the text, its symbols, and what was settled on the way."""

from __future__ import annotations

from labwright.agents.tool_forging.readers.language.assignments import assignments, resolved
from labwright.agents.tool_forging.readers.language.body import Body


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

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.assumed: list[str] = []
        self.n = 0
        self.sets = resolved(assignments(body.plain))
        self.used: list[tuple[int, int]] = []
