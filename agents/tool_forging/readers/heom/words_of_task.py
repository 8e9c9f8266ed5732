"""What all parts of the reader of HEOM tasks look at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labwright.agents.tool_forging.readers.heom.words import VOCABULARY
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import assignments, phrase
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import Numbers
from labwright.agents.tool_forging.readers.language.units import converted, kind

_MEANT = re.compile(
    r"\bHEOM\b|hierarch(?:y|ical)[- ]equations?[- ]of[- ]motion|hierarchical equations|"
    r"\bDrude\b(?=.*\b(?:tiers?|Matsubara|hierarchy|depth)\b)|\b(?:tiers?|Matsubara|hierarchy)\b(?=.*\bDrude\b)",
    re.I | re.S,
)
_OTHER = re.compile(
    r"\b(?:Brownian|underdamped|Ohmic|sub-?Ohmic|super-?Ohmic|Lorentzian bath|Redfield|Lindblad|Förster|Forster|TEDOPA"
    r"|path integral|fermionic|vibronic|absorption spectr\w+|2D spectr\w+|trapping|sink|static disorder)\b",
    re.I,
)
_PER_CM = 8065.543937  # 1/cm in one eV
_FS = 1e15 / (2 * np.pi * 2.99792458e10)  # fs of the inverse of 1/cm as an angular frequency
_LENGTHS = {"dimer": 2, "trimer": 3, "tetramer": 4, "pentamer": 5, "hexamer": 6}


@dataclass(frozen=True)
class Quantity:
    """Values in the units of the specification, and how they were written."""

    values: tuple[float, ...]
    unit: str


class Words:
    """One task on the way to its specification: its text, what was read of it and what was settled."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, VOCABULARY)
        self.assumed: list[str] = []
        self.sets = assignments(body.plain)

    @property
    def task_text(self) -> str:
        return self.body.task.text

    def energy(self, words: str, names: Sequence[str]) -> Quantity | None:
        """An energy by its name or words, in 1/cm."""
        found = self.numbers(words, names)
        if found is None:
            return None
        values = found.values()
        what = kind(found.unit) if found.unit else ""
        if what == "energy":
            values = [converted(one, found.unit, "electron_volt") * _PER_CM for one in values]
        elif what not in {"wavenumber", ""}:
            return None
        elif what == "":
            self.assumed.append(f"{found.items[0].text} bears no unit; 1/cm is taken.")
        return Quantity(tuple(values), "1/cm")

    def numbers(self, words: str, names: Sequence[str]) -> Numbers | None:
        """What the text sets a symbol to, or what stands behind its words."""
        for one in self.sets:
            if one.key in names and all(not item.names for item in one.numbers.items):
                self.account.use(one.start, one.end)
                return one.numbers
        spoken = phrase(self.body.plain, words)
        if spoken and all(not item.names for item in spoken[0].items):
            self.account.use(spoken[1], spoken[0].end)
            return spoken[0]
        return None
