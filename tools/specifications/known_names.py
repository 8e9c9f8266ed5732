"""Names that the values of a step may refer to: settings, and what earlier steps measured on the same qubits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labwright.tools.experiments.call import ExperimentCard
from labwright.tools.qpu.settings import SETTING_UNITS

Units = dict[str, str]  # name -> unit


@dataclass
class Known:
    """What is set or measured before a step.

    Attributes:
        qubits: of the device; their settings are known from the beginning.
        results: ``Q1``, a placeholder, or ``Q1-Q2`` for steps on several -> what was measured there.
    """

    qubits: Sequence[str]
    results: dict[str, Units] = field(default_factory=dict)

    def to(self, own: Sequence[str]) -> Units:
        """The names that a step on the qubits `own` may use: ``t1.t1`` of its own, ``Q2.t1.t1`` of others."""
        found = {f"{qubit}.{name}": unit for qubit in self.qubits for name, unit in SETTING_UNITS.items()}
        for qubit in set(self.results) & set(self.qubits):
            found |= {f"{qubit}.{name}": unit for name, unit in self.results[qubit].items() if "." in name}
        return found | self.results.get("-".join(own), {}) | (SETTING_UNITS if len(own) == 1 else {})

    def learn(self, own: Sequence[str], card: ExperimentCard) -> None:
        """A step on `own` gives the results of `card`."""
        own_names = {f"{card.name}.{name}": unit for name, unit in card.results.items()} | card.results
        self.results.setdefault("-".join(own), {}).update(own_names)

    def renamed(self, names: Mapping[str, str]) -> Known:
        """The same for other names of the qubits: placeholders of a procedure, or back."""
        renamed = {"-".join(names.get(part, part) for part in own.split("-")): dict(each) for own, each in self.items()}
        return Known(self.qubits, renamed)

    def items(self) -> list[tuple[str, Units]]:
        """Whose, and what; always in the same order."""
        return sorted(self.results.items())
