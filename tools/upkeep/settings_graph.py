"""The settings of one qubit as a graph: value, error, age and state of each, and what it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.needs import Need
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.settings import SETTING_UNITS
from labwright.tools.upkeep.calibration_graph import Node, graph_of
from labwright.tools.upkeep.upkeep_journal import STATES, State, UpkeepBook


@dataclass(frozen=True, slots=True)
class Explained:
    """One calibration of a qubit.

    Attributes:
        state: the worst of its settings', and stale where something below it was calibrated since.
        why: it is not fresh.
        depends_on: names of others.
        experiments: that calibrate it, the usual one first.
        settings: {name, value, unit, error, age (s), by, state, why} of each; `error` and `age` are None if unknown.
    """

    name: str
    state: State
    why: str
    depends_on: tuple[str, ...]
    experiments: tuple[str, ...]
    settings: list[dict[str, Any]]


def explained(qubit: str, device: Device, book: UpkeepBook, kinds: Mapping[str, type[Experiment]]) -> list[Explained]:
    """The calibrations of `qubit`, each behind what it depends on; the other settings stand first.

    Raises:
        UnknownQubitError: the device has no such qubit.
    """
    graph = {name: node for name, node in graph_of(kinds).items() if not node.pair}
    known, seen = book.settings(qubit, kinds, device.settings), book.knowledge(qubit, graph, device.settings)
    owned = {setting for node in graph.values() for setting in node.settings}
    rest = Node("others", (), 0.0, (), (), settings=tuple(each for each in known if each not in owned))
    found = []
    for node in (rest, *graph.values()):
        need, rows = _strictest(node, kinds), list[dict[str, Any]]()
        states = list[tuple[State, str]]()
        for name in node.settings:
            now = known[name]
            state, why = now.met(need, device.clock)
            age = None if now.at is None else device.clock - now.at
            rows.append({"name": name, "value": now.value, "unit": SETTING_UNITS[name], "error": now.error, "age": age,
                         "by": now.by, "state": state, "why": why})  # fmt: skip
            states.append((state, f"{name} {why}"))
        below = "" if node is rest else seen.fresh(node.name, graph, device.clock)
        states += [("stale" if node.name in seen.seen else "unknown", below)] if below else []
        state, why = max(states, key=lambda each: STATES.index(each[0]), default=("fresh", ""))
        found.append(
            Explained(node.name, state, why if state != "fresh" else "", node.depends_on, node.experiments, rows)
        )
    return found


def _strictest(node: Node, kinds: Mapping[str, type[Experiment]]) -> Need:
    """The least age and error that anybody asks of a node."""
    asked = [need for kind in kinds.values() for need in kind.needs if need.age is not None and node.gives(need)]
    errors = [need.error for need in asked if need.error is not None]
    relative = any(need.relative for need in asked)
    age = node.timeout if asked or node.depends_on else None
    return Need(node.settings, age, min(errors, default=None), relative)
