"""What is remembered of a device's upkeep: when each calibration was last seen in spec, in a journal beside it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.needs import HOUR, PULSES, Need, conjoined
from labwright.tools.qpu.append_only_journal import Journal
from labwright.tools.qpu.settings import SettingsBook
from labwright.tools.upkeep.calibration_graph import WHOLE, Node, graph_of, on_pair
from labwright.tools.upkeep.checks import OFF
from labwright.tools.upkeep.graph_walk import Found, Knowledge

FILE = "upkeep.jsonl"
# `measured`: an experiment was accepted; `unconfirmed`: it wrote settings, but was not.
Told = Found | Literal["measured", "unconfirmed"]
State = Literal["fresh", "unknown", "stale", "bad"]
STATES: tuple[State, ...] = get_args(State)  # from the best to the worst
TROUBLE = {
    "out_of_spec": "was found off by its last check",
    "failed": "could not be calibrated",
    "unconfirmed": "was written by a run that was not accepted",
}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one setting; nothing, if it was not measured since the device's author gave it.

    Attributes:
        value: that the controller plays.
        at: device time of the last result, s; None: there is none.
        error: its one-sigma error, or how far off a check found the setting, in its unit; None: unknown.
        by: who told: an experiment, or a node of the upkeep.
        trouble: one of `TROUBLE`, or empty.
    """

    value: float
    at: float | None = None
    error: float | None = None
    by: str = ""
    trouble: str = ""

    def met(self, need: Need, clock: float) -> tuple[State, str]:
        """How it stands with `need` at device time `clock`, and why."""
        limit = need.error if need.error is None or not need.relative else need.error * abs(self.value)
        if self.at is None and not self.trouble:
            return "unknown", "was never measured here"
        if self.error is not None and limit is not None and self.error > limit:
            return "bad", TROUBLE.get(self.trouble, "is not known well enough") + f" ({self.error:.2g})"
        if need.age is None:
            return "fresh", ""
        if self.trouble and self.error is None:
            return ("stale" if limit is None else "bad"), TROUBLE[self.trouble]
        if self.at is None or clock - self.at > need.age:
            return "stale", f"was last measured {(clock - (self.at or 0.0)) / HOUR:.1f} h ago"
        return "fresh", ""


def met(known: Mapping[str, Known], name: str, need: Need, clock: float) -> tuple[State, str]:
    """How the settings of the qubit or pair `name` stand with `need`: as the worst of them, and why.

    Args:
        known: setting -> what is known of it.
        name: of the qubit, or of the pair.
        need: of an experiment.
        clock: device time, s.
    """
    found = {each: known[each].met(need, clock) for each in need.settings}
    worst = max((state for state, _ in found.values()), key=STATES.index)
    alike: dict[str, list[str]] = {}
    for setting, (state, why) in found.items():
        if state == worst and why:
            alike.setdefault(why, []).append(setting)
    return worst, "; ".join(
        f"{conjoined(names)} of {name} {_of_several(why) if len(names) > 1 else why}" for why, names in alike.items()
    )


def _of_several(why: str) -> str:
    """``were measured`` for ``was measured``."""
    verb, _, rest = why.partition(" ")
    return f"{ {'was': 'were', 'is': 'are'}.get(verb, verb) } {rest}"


class UpkeepBook:
    """Entries {key, qubit, node, found, clock, numbers}; one a key. It lies with the device's own memory."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(folder / FILE)
        self._lock = threading.Lock()

    def add(
        self, key: str, qubit: str, node: str, found: Told, clock: float, numbers: Mapping[str, float] | None = None
    ) -> None:
        """Remember an outcome, unless `key` is known. `node` may be an experiment, with the errors of its settings."""
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
            for node in graph.values():
                if entry["node"] in (WHOLE.name, node.name, *node.experiments[:1]):
                    _learn(known, node.name, entry["found"], float(entry["clock"]))
        return known

    def settings(self, name: str, kinds: Mapping[str, type[Experiment]], settings: SettingsBook) -> dict[str, Known]:
        """What is known of every setting of a qubit or pair, from this book and from who wrote it.

        Args:
            name: of the qubit, or of the pair.
            kinds: the experiments that may have written it.
            settings: of the device.
        """
        pair = name in {"-".join(each) for each in settings.pairs}
        values = asdict(settings.pair(name) if pair else settings.current(name))
        found = {each: Known(value) for each, value in values.items()}
        touched = {each.name: each.writes for each in kinds.values() if on_pair(each) == pair}
        nodes = {node.name: node.settings for node in graph_of(kinds).values() if node.pair == pair}
        touched |= nodes | {WHOLE.name: tuple(each for settings in nodes.values() for each in settings)}
        events: list[tuple[float, str, str, str, dict[str, Any]]] = [
            (each.clock, each.key, each.reason.partition(":")[0], "written", each.changes)
            for each in settings.history(name)
        ]
        events += [
            (each["clock"], each["key"], each["node"], each["found"], each["numbers"])
            for each in self._journal.entries
            if each["qubit"] == name
        ]
        before: dict[str, dict[str, Known]] = {}
        for clock, key, by, what, numbers in sorted(events, key=lambda each: each[0]):
            if key.endswith(".revert"):
                found |= before.get(key.removesuffix(".revert"), {})
            elif what == "written" and by not in touched:  # by hand: nobody measured that value
                found |= {each: Known(values[each]) for each in numbers}
            elif by in touched and what != "bad_data":
                names = [each for each in touched[by] if what != "written" or each in numbers]
                before[key.removesuffix(".update")] = {each: found[each] for each in names}
                found |= {each: _told(found[each], each, clock, by, what, numbers) for each in names}
        return {each: replace(known, value=values[each]) for each, known in found.items()}


def _told(known: Known, setting: str, clock: float, by: str, what: str, numbers: Mapping[str, float]) -> Known:
    """What is known of a setting after one more event."""
    if what in ("measured", "unconfirmed"):
        return replace(known, at=clock, by=by, error=numbers.get(setting), trouble=what * (what in TROUBLE))
    if what in TROUBLE:
        off = abs(numbers[OFF[setting]]) if OFF.get(setting) in numbers else None
        relative = setting in PULSES
        return replace(known, by=by, trouble=what, error=off if off is None or not relative else off * abs(known.value))
    error = None if what == "written" or known.trouble else known.error
    by = ("benchmark" if by == WHOLE.name else f"check of {by}") if what == "in_spec" else by
    return replace(known, at=clock, by=by, trouble="", error=error)


def _learn(known: Knowledge, name: str, found: Told, clock: float) -> None:
    """Take in one entry, newer than all before it."""
    if found == "calibrated":
        known.calibrated[name] = max(clock, known.calibrated.get(name, clock))
    if found in ("calibrated", "in_spec", "measured"):
        known.seen[name] = max(clock, known.seen.get(name, clock))
    elif found == "failed":
        known.seen.pop(name, None)
