"""Settings before and after: live from the simulated device's book in the run folder, at the end from the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from labwright.apps.console.tail import Tail
from labwright.apps.numbers import with_error
from labwright.tools.runs import Run

# Setting -> title with unit and digits after the point; the units are those of docs/units.md.
TITLES = {
    "readout_frequency": ("readout frequency (MHz)", 3),
    "readout_amplitude": ("readout amplitude (of full scale)", 4),
    "readout_angle": ("readout angle (rad)", 3),
    "readout_threshold": ("readout threshold (of IQ)", 3),
    "frequency": ("drive frequency (MHz)", 4),
    "amplitude_pi": ("X180 amplitude (of full scale)", 5),
    "amplitude_pi2": ("X90 amplitude (of full scale)", 5),
    "drag": ("DRAG coefficient", 3),
    "pulse_duration": ("pulse duration (us)", 4),
    "anharmonicity": ("anharmonicity (MHz)", 3),
    "amplitude_first": ("Stark amplitude, first qubit (of full scale)", 5),
    "amplitude_second": ("Stark amplitude, second qubit (of full scale)", 5),
    "phase": ("phase of the second drive (rad)", 4),
    "duration": ("duration of a Stark pulse (us)", 4),
    "edge": ("edge of a Stark pulse (us)", 4),
    "z_first": ("virtual Z, first qubit (rad)", 4),
    "z_second": ("virtual Z, second qubit (rad)", 4),
}


@dataclass(frozen=True, slots=True)
class Changed:
    """One setting of one qubit or pair; numbers as text, with the unit in `title`."""

    of: str
    title: str
    before: str
    after: str
    change: str


@dataclass
class Book:
    """What was written to the settings during the run."""

    before: dict[tuple[str, str], float] = field(default_factory=dict)
    after: dict[tuple[str, str], float] = field(default_factory=dict)

    def write(self, line: dict[str, Any]) -> None:
        """Take in one line of the settings' journal; one that is no update is passed over."""
        changes, before = line.get("changes", {}), line.get("before", {})
        for name, value in changes.items():
            key = (str(line.get("qubit", "")), name)
            if name in before:
                self.before.setdefault(key, float(before[name]))
                self.after[key] = float(value)

    def rows(self) -> list[Changed]:
        """What differs now from what it was before the run, by qubit in the order of a calibration."""
        order = list(TITLES)
        known = sorted(self.after, key=lambda key: (key[0], order.index(key[1]) if key[1] in order else len(order)))
        return [
            _changed(*key, self.before[key], self.after[key]) for key in known if self.before[key] != self.after[key]
        ]


class Journal:
    """The settings' journal in the run's folder, read on from where the last look stopped."""

    def __init__(self, run: Run) -> None:
        self.book = Book()
        self._tail = Tail(run.folder / "device" / "settings.jsonl")

    def look(self) -> None:
        """Take up what was written since the last look."""
        for line in self._tail.read():
            self.book.write(line)


def of_result(result: dict[str, Any]) -> Book:
    """The same from the `result` of a run's document, where the device does not lie in the run folder."""
    book = Book()
    for qubit, entry in result.get("qubits", {}).items():
        before = entry.get("before") or {}
        for name, value in (entry.get("after") or {}).items():
            book.write({"qubit": qubit, "changes": {name: value}, "before": before})
    return book


def gate_errors(result: dict[str, Any]) -> list[dict[str, str]]:
    """Qubit, error per gate, its limit and their ratio, of each qubit that was benchmarked."""
    found = []
    for qubit, entry in result.get("qubits", {}).items():
        error, limit = entry.get("rb_error_per_gate"), entry.get("limit_error_per_gate")
        if error is not None:
            shown = {"of": qubit, "error": with_error(error, entry.get("rb_error_std"))}
            ratio = {"limit": f"{limit:.2e}" if limit else "–", "ratio": f"{error / limit:.2f}" if limit else "–"}
            found.append(shown | ratio)
    return found


def _changed(of: str, name: str, before: float, after: float) -> Changed:
    title, digits = TITLES.get(name, (name.replace("_", " "), 5))
    numbers = (f"{before:z.{digits}f}", f"{after:z.{digits}f}", f"{after - before:+z.{digits}f}")
    return Changed(of, title, *numbers)
