"""From PennyLane operations to allowed gates on numbered wires. Runs inside the sandbox only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from traceback import walk_stack
from typing import Any

import numpy as np
import pennylane as qml

from labwright.tools.feature_maps.candidate_loading import FILE, Broken
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.lightweight_operations import QuickGate
from labwright.tools.feature_maps.rules import MAX_GATES

Recorded = tuple[str, tuple[int, ...], list[float], int]  # gate, wires, angles, line of the candidate
_WITHOUT_EFFECT = frozenset({"Identity", "GlobalPhase", "Barrier", "WireCut"})  # a global phase leaves the kernel alone
_DEEPEST = 12  # levels of decomposition; PennyLane's own templates need at most 6


class Queue(dict[int, tuple[Any, int]]):
    """A recording queue of PennyLane that also notes the candidate's line; several times cheaper than its own."""

    def __init__(self, lines: bool) -> None:
        super().__init__()
        self._lines = lines

    def __enter__(self) -> Queue:
        qml.QueuingManager.add_active_queue(self)
        return self

    def __exit__(self, *ignored: object) -> None:
        qml.QueuingManager.remove_active_queue()

    def append(self, item: Any, **info: Any) -> None:
        """Called by PennyLane for each operation made."""
        self[id(item)] = (item, _candidate_line() if self._lines else 0)
        if len(self) > MAX_GATES:
            raise Broken("too_many_gates", {"found": f"more than {MAX_GATES}", "limit": MAX_GATES})

    def remove(self, item: Any) -> None:
        """Called for an operation that became a part of another."""
        self.pop(id(item), None)

    def update_info(self, item: Any, **info: Any) -> None:
        """Called for an operation that belongs to another from now on."""
        if "owner" in info:
            self.remove(item)

    def get_info(self, item: Any) -> dict[str, Any]:
        """Nothing is kept about an operation."""
        return {}


def record(call: Callable[[Any], Any], x: Any, n_qubits: int, *, lines: bool) -> list[Recorded]:
    """The gates that ``call(x)`` applies.

    Args:
        call: the candidate's ``feature_map``.
        x: one sample.
        n_qubits: wires are 0 to n_qubits - 1.
        lines: also note the candidate's line of each gate, which takes longer.

    Raises:
        Broken: an operation that a feature map may not have.
    """
    with Queue(lines) as queue:
        call(x)
    found = [gate for item, line in queue.values() for gate in _allowed(item, line, n_qubits, 0)]
    if len(found) > MAX_GATES:
        raise Broken("too_many_gates", {"found": len(found), "limit": MAX_GATES})
    return found


def _allowed(item: Any, line: int, n_qubits: int, depth: int) -> Iterator[Recorded]:
    if type(item) is QuickGate:  # its wires are compared with those of a real gate by whoever asked for it
        yield item.title, item.on, _numbers(item.angles, item.title, line), line
        return
    name = getattr(item, "name", type(item).__name__)
    if name in GATES and isinstance(item, qml.operation.Operator):
        yield name, _wires(item, line, n_qubits), _numbers(item.data, name, line), line
        return
    if name in _WITHOUT_EFFECT:
        return
    for part in _parts(item, name, line, depth):
        yield from _allowed(part, line, n_qubits, depth + 1)


def _parts(item: Any, name: str, line: int, depth: int) -> list[Any]:
    _refuse_kinds(item, name, line)
    try:
        if depth >= _DEEPEST:
            raise RecursionError(f"more than {_DEEPEST} levels deep")
        with Queue(lines=False):  # so that quick gates are made of templates, too
            parts: list[Any] = item.decomposition()
    except Exception as wrong:  # PennyLane raises many kinds here
        raise Broken("foreign_gate", {"gate": name, "line": line, "seen": str(wrong)}) from wrong
    return parts


def _refuse_kinds(item: Any, name: str, line: int) -> None:
    facts = {"gate": name, "line": line}
    measured = ("MidMeasureMP", "PauliMeasure", "Conditional")
    if isinstance(item, qml.measurements.MeasurementProcess | qml.Snapshot) or name in measured:
        raise Broken("measurement", facts)
    if isinstance(item, qml.operation.StatePrepBase) or "StatePrep" in type(item).__name__:
        raise Broken("state_preparation", facts)
    if isinstance(item, qml.operation.Channel):
        raise Broken("noise_channel", facts)
    if not isinstance(item, qml.operation.Operator):
        raise Broken("foreign_gate", facts)


def _wires(item: Any, line: int, n_qubits: int) -> tuple[int, ...]:
    labels = item.wires.tolist()
    if not all(isinstance(label, int | np.integer) and 0 <= label < n_qubits for label in labels):
        facts = {"gate": item.name, "wires": ", ".join(map(repr, labels)), "last": n_qubits - 1, "line": line}
        raise Broken("wires", facts)
    return tuple(int(label) for label in labels)


def _numbers(angles: Iterable[Any], gate: str, line: int) -> list[float]:
    return [value if type(value) is float else _angle(value, gate, line) for value in angles]


def _angle(value: Any, gate: str, line: int) -> float:
    if type(value) is np.float64:
        return float(value)
    facts = {"gate": gate, "line": line, "seen": f"{type(value).__name__} {value!r:.80}"}
    home = type(value).__module__.split(".")[0]
    if home in ("torch", "jax", "jaxlib", "tensorflow") or (
        home == "pennylane" and getattr(value, "requires_grad", False)
    ):
        raise Broken("trainable", facts)
    plain = np.asarray(value)
    if plain.shape != () or plain.dtype.kind not in "fiub":
        raise Broken("angle_not_scalar", facts)
    return float(plain)


def _candidate_line() -> int:
    return next((line for frame, line in walk_stack(sys._getframe(2)) if frame.f_code.co_filename == FILE), 0)
