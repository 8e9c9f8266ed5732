"""What all parts of the reader of HEOM tasks look at."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from labwright.agents.tool_forging.readers.heom.carried import carry_on, formulas
from labwright.agents.tool_forging.readers.heom.slots import SLOTS, THINGS
from labwright.agents.tool_forging.readers.heom.words import VOCABULARY
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import assignments, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.matrices import Matrix, matrices
from labwright.agents.tool_forging.readers.language.quantities import Filled, Quantity, fill, quantities
from labwright.agents.tool_forging.readers.language.units import converted, kind

PER_CM = 8065.543937  # 1/cm in one eV
PER_THZ = 33.35640952  # 1/cm in one THz, E = h nu
FS = 1e15 / (2 * np.pi * 2.99792458e10)  # fs of the inverse of 1/cm as an angular frequency
# a quantity that changes on the way is none of the run's
_CHANGES = re.compile(
    r"\b(?:raised|lowered|ramped|switched|heated|cooled|quenched|increased|decreased|drops?|rises?)\b", re.I
)
_HERTZ = {"hertz": 1e-12, "kilohertz": 1e-9, "megahertz": 1e-6, "gigahertz": 1e-3, "terahertz": 1.0}


class Words:
    """One task on the way to its specification: its text, its quantities by slot, and what was settled."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, VOCABULARY)
        self.assumed: list[str] = []
        found = self.matrices
        written = formulas(self.text)
        spans = [*((one.start, one.end) for one in found), *written]
        told = quantities(body, spans, (), THINGS)
        self.filled: Filled = fill([one for one in told if not _CHANGES.search(one.before[-40:])], SLOTS)
        carry_on(self.filled, self.text)
        for span in written:
            self.account.use(*span)
        for slot in SLOTS:  # what a filled slot is called is understood
            for match in slot.pattern.finditer(self.text) if self.filled.of(slot.name) else ():
                self.account.use(*match.span())
        for name, many in self.filled.slots.items():
            for one in many:
                if name not in {"span", "step", "points"}:  # the time grid says itself what it used
                    self.account.use(one.start, one.end)

    @property
    def task_text(self) -> str:
        return self.body.task.text

    @cached_property
    def matrices(self) -> list[Matrix]:
        """Square matrices, with the values of symbols put in."""
        values = {name: many[0] for name, many in resolved(assignments(self.body.plain)).items()}
        return [one for one in matrices(self.body.plain, values) if len(one.rows) == len(one.rows[0]) > 1]

    def energies(self, slot: str) -> list[tuple[float, Quantity]]:
        """The energies in a slot, in 1/cm, each with the quantity that it comes from."""
        made: list[tuple[float, Quantity]] = []
        for one in self.filled.of(slot):
            unit = one.numbers.unit or self.energy_unit
            for value in one.numbers.values({}):
                made.append((self.wavenumber(value, unit), one))
        return made

    @cached_property
    def energy_unit(self) -> str:
        """The unit of energies that bear none: the one that others bear, else 1/cm."""
        every = [one for many in self.filled.slots.values() for one in many]
        units = [one.numbers.unit for one in every if one.kind in {"wavenumber", "energy", "frequency"}]
        if units:
            return units[0]
        self.assumed.append("Energies bear no unit; 1/cm is taken. In another unit all rates would change.")
        return "1/centimeter"

    def wavenumber(self, value: float, unit: str) -> float:
        """An energy in 1/cm; a frequency is one of E = h nu."""
        what = kind(unit)
        if what == "energy":
            return converted(value, unit, "electron_volt") * PER_CM
        if what == "frequency":
            return value * _HERTZ[unit] * PER_THZ
        return value
