"""What all parts of the reader of chains look at: the text, its symbols, and what was settled on the way."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.language.assignments import assignments, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.scalars import key


class Chain:
    """One task on the way to its specification.

    Attributes:
        body: the task.
        text: its cleaned text.
        found: assignments of the text.
        values: by name, several where a symbol is set several times.
        unit_name: the symbol that serves as the unit of energy; empty if there is none.
        assumed: what was settled although the text does not say it.
        used: stretches of the text that were read.
        seen: symbols that something was made with.
    """

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.assumed: list[str] = []
        self.found = [
            one for one in assignments(body.plain) if one.key not in {"H", "t", "i", "j", "hbar", "rho", "psi"}
        ]
        self.values = resolved(self.found)
        self._units()
        self.used: list[tuple[int, int]] = [(one.start, one.end) for one in self.found]
        self.seen: set[str] = set()

    def _units(self) -> None:
        """A symbol such as J in ``h = 2 J`` that is never set is the unit of energy."""
        used = {name for one in self.found for item in one.numbers.items for name in item.names}
        free = used - {one.key for one in self.found}
        spoken = re.search(r"in units of (?:an? |the )?(?:energy |coupling )?([A-Za-z]\w*)\b", self.text)
        unit = next((name for name in free if len(name) == 1 and name.isupper()), None) or (
            key(spoken[1]) if spoken and len(spoken[1]) < 3 else None
        )
        if unit and unit not in self.values:
            self.values = resolved(self.found, {unit: 1.0})
            self.unit_name = unit
            self.assumed.append(
                f"{unit} is the unit of energy, {unit} = 1, and hbar = 1: times are in units of 1/{unit}."
            )
        else:
            self.unit_name = ""
