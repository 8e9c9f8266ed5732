"""What the runs of a folder have cost: tokens, money, time of the device, by run, system and agent."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from labwright.graphs.registry import SYSTEMS
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs import Run, load_run, read_json, read_result, run_ids

TITLES = {name: entry.title for name, entry in SYSTEMS.items()} | {"front_desk": "front desk"}
PERIODS = {"": "all time", "1": "the last day", "7": "the last 7 days", "30": "the last 30 days"}
_TIMED = (b'"measured"', b'"played"')  # kinds of events that carry time of the device


@dataclass
class Spent:
    """A sum. `cost` is in the currency of the price table and None where a part of it is unknown; times in s."""

    answers: int = 0
    calls: int = 0
    cache_hits: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    wall: float = 0.0
    device: float = 0.0

    def add(self, other: Spent) -> None:
        """Add `other`; an unknown cost makes the sum unknown."""
        for item in fields(self):
            mine, theirs = getattr(self, item.name), getattr(other, item.name)
            setattr(self, item.name, None if mine is None or theirs is None else mine + theirs)


@dataclass(frozen=True)
class Bill:
    """What one run has spent; `agents` by their names, without the times of the run."""

    run_id: str
    system: str
    asked: str
    created: str
    spent: Spent
    agents: dict[str, Spent]


@dataclass
class Ledger:
    """All bills and their sums."""

    bills: list[Bill]
    total: Spent = field(default_factory=Spent)
    systems: dict[str, Spent] = field(default_factory=dict)
    agents: dict[str, Spent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for bill in self.bills:
            self.total.add(bill.spent)
            self.systems.setdefault(bill.system, Spent()).add(bill.spent)
            for name, spent in bill.agents.items():
                self.agents.setdefault(name, Spent()).add(spent)

    def since(self, days: str, now: datetime | None = None) -> Ledger:
        """The runs that were begun within the last `days`, a key of `PERIODS`."""
        if not days:
            return self
        first = (now or datetime.now(UTC)) - timedelta(days=int(days))
        return Ledger([bill for bill in self.bills if datetime.fromisoformat(bill.created) >= first])


def read_ledger(*roots: Path) -> Ledger:
    """The bills of all runs below `roots`, newest first; slow work, not for the loop. Damaged runs are passed over."""
    bills = []
    for folder in [root / name for root in roots for name in run_ids(root)]:
        try:
            bills.append(bill_of(load_run(folder)))
        except CorruptRecordError:
            continue
    return Ledger(sorted(bills, key=lambda bill: bill.created, reverse=True))


def bill_of(run: Run) -> Bill:
    """What `run` has spent so far; parts of a chip are in the bill of the whole.

    Raises:
        CorruptRecordError: its usage or its result does not read back.
    """
    path = run.folder / "usage.json"
    usage = read_json(path, "Resume the run to write it anew.") if path.exists() else {}
    spent = _spent(usage.get("total", {}))
    spent.wall, spent.device = float(usage.get("wall") or 0.0), device_seconds(run)
    agents = {str(name): _spent(one) for name, one in usage.get("agents", {}).items()}
    record = run.record
    return Bill(run.run_id, record.system, record.asked, record.created, spent, agents)


def device_seconds(run: Run) -> float:
    """Time in s for which the run has occupied its device; qubits that were measured together count once."""
    stated = (read_result(run) or {}).get("result", {}).get("device_seconds")
    if isinstance(stated, int | float):
        return float(stated)
    if run.record.system != "lab_calibration" or not run.events.path.exists():
        return 0.0
    total = 0.0
    with run.events.path.open("rb") as lines:
        for line in lines:
            if any(kind in line for kind in _TIMED):
                total += _seconds(line)
    return total


def _seconds(line: bytes) -> float:
    try:
        event = json.loads(line)
    except ValueError:
        return 0.0
    if event.get("kind") == "measured":
        return float(event.get("device_seconds") or 0.0)
    return float(event.get("together") or 0.0) if event.get("kind") == "played" else 0.0


def _spent(usage: dict[str, Any]) -> Spent:
    counts = {
        name: int(usage.get(name) or 0) for name in ("answers", "calls", "cache_hits", "input_tokens", "output_tokens")
    }
    return Spent(**counts, cost=usage.get("cost", 0.0))
