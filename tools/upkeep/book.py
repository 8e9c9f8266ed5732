"""What is remembered of a device's upkeep: when each calibration was last seen in spec, in a journal beside it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from labwright.tools.qpu.journal import Journal
from labwright.tools.qpu.settings import SettingsBook
from labwright.tools.upkeep.nodes import WHOLE, Node
from labwright.tools.upkeep.walk import Found, Knowledge

FILE = "upkeep.jsonl"


class UpkeepBook:
    """Entries {key, qubit, node, found, clock, numbers}; one a key. It lies with the device's own memory."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(folder / FILE)
        self._lock = threading.Lock()

    def add(
        self, key: str, qubit: str, node: str, found: Found, clock: float, numbers: Mapping[str, float] | None = None
    ) -> None:
        """Remember an outcome, unless `key` is known."""
        entry = {
            "key": key, "qubit": qubit, "node": node, "found": found, "clock": clock, "numbers": dict(numbers or {}),
        }  # fmt: skip
        with self._lock:
            if all(old["key"] != key for old in self._journal.entries):
                self._journal.append(entry)

    def numbers(self, qubit: str, node: str, before: float | None = None) -> dict[str, float]:
        """The newest numbers that a calibration of `node` left as reference, none after device time `before`."""
        found: dict[str, float] = {}
        for entry in self._journal.entries:
            mine = entry["qubit"] == qubit and entry["node"] == node and entry["found"] == "calibrated"
            if mine and entry["numbers"] and (before is None or entry["clock"] <= before):
                found = dict(entry["numbers"])
        return found

    def knowledge(
        self, qubit: str, graph: Mapping[str, Node], settings: SettingsBook, before: float | None = None
    ) -> Knowledge:
        """What is known of `qubit`, from this book and from what experiments wrote to the settings.

        Args:
            qubit: whose.
            graph: its nodes.
            settings: of the device.
            before: device time, s; what happened later is left out. A walk that is taken up again starts from what
                was known when it began.
        """
        known = Knowledge({}, {})
        limit = float("inf") if before is None else before
        for version in settings.history(qubit):
            wrote = version.reason.partition(":")[0]
            for node in graph.values():
                if wrote in node.experiments and version.clock <= limit:
                    known.calibrated[node.name] = known.seen[node.name] = version.clock
        for entry in self._journal.entries:
            if entry["qubit"] != qubit or entry["clock"] > limit:
                continue
            for name in graph if entry["node"] == WHOLE.name else [entry["node"]]:
                _learn(known, name, entry["found"], float(entry["clock"]))
        return known


def _learn(known: Knowledge, name: str, found: Found, clock: float) -> None:
    """Take in one entry, newer than all before it."""
    if found == "calibrated":
        known.calibrated[name] = max(clock, known.calibrated.get(name, clock))
    if found in ("calibrated", "in_spec"):
        known.seen[name] = max(clock, known.seen.get(name, clock))
    elif found == "failed":
        known.seen.pop(name, None)
