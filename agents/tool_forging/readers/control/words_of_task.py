"""What all parts of the reader of control tasks look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from labwright.agents.tool_forging.readers.control.gates import Array
from labwright.agents.tool_forging.readers.control.levels import Levels
from labwright.agents.tool_forging.readers.control.words import VOCABULARY
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import assignments, phrase, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import Numbers
from labwright.tools.forge.families.control.spec import Pairs

Goal = Literal["state", "gate"]


@dataclass(frozen=True)
class Operator:
    """A Hamiltonian of the text."""

    name: str
    matrix: Array
    note: str


class Words:
    """One task on the way to its specification: its text, what was read of it and what was settled."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, VOCABULARY)
        self.assumed: list[str] = []
        self.sets = assignments(body.plain)
        self.values = {name: found[0] for name, found in resolved(self.sets).items() if len(found) == 1}
        self.qubits = 0
        self.levels: list[str] = []
        self.space = Levels([], 0)

    def value(self, words: str, names: Sequence[str]) -> Numbers | None:
        for one in self.sets:
            if one.key in names and all(name in self.values for item in one.numbers.items for name in item.names):
                self.account.use(one.start, one.end)
                return one.numbers
        spoken = phrase(self.body.plain, words)
        if spoken and all(name in self.values for item in spoken[0].items for name in item.names):
            self.account.use(spoken[1], spoken[0].end)
            return spoken[0]
        return None


def pairs(matrix: Array) -> Pairs:
    return [[[float(v.real), float(v.imag)] for v in row] for row in matrix]
