"""The function that the sandbox serves: unread code and probe inputs in, gates and angles out.

Whatever this returns comes from a process that has run unread code: the caller trusts none of it.
"""

from __future__ import annotations

import base64
import contextlib
import io
import random
import resource
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.candidate_loading import (
    Broken,
    broken_by,
    hyperparameters_of,
    import_allowed,
    instance_of,
    load_class,
)
from labwright.tools.feature_maps.lightweight_operations import NeedsRealGates, quick_gates
from labwright.tools.feature_maps.operation_recording import Queue, Recorded, record

import_allowed()


def capture(request: dict[str, Any]) -> dict[str, Any]:
    """`captured`, after this process has given up every right to open a file, a socket or a module.

    What is needed was imported before the server forked. So no data set that lies beside the interpreter, such as
    scikit-learn's digits, can be read by the code, and no label can find its way into a weight.
    """
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))  # cannot be taken back; descriptors that are open stay
    return captured(request)


def captured(request: dict[str, Any]) -> dict[str, Any]:
    """Run a feature map at probe inputs.

    Args:
        request: ``source``; ``n_qubits``; ``n_features``; ``hyperparameters``; ``probes`` (base64 of float64, one row a
            probe); ``lenient`` (so many last probes may raise, being outside [0, 1]); ``entropy`` (seed of the global
            random generators, another in each request); ``also_at`` (other numbers of qubits to try); ``quick`` (make
            gates the cheap way where the code allows it).

    Returns:
        On success ``class_name``, ``hyperparameters``, ``gates`` ([name, wires, number of angles, line]), ``angles``
        (base64 of float64, one row a probe), ``skipped`` (probes that raised) and ``works_at``; else ``broken``: rule
        and facts.
    """
    random.seed(request["entropy"])
    np.random.seed(request["entropy"] % 2**32)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return _captured(request)
        except Broken as broken:
            return {"broken": {"rule": broken.rule, "facts": broken.facts}}


def _captured(request: dict[str, Any]) -> dict[str, Any]:
    started = time.perf_counter()
    n_qubits, hyperparameters = request["n_qubits"], request["hyperparameters"]
    probes = np.frombuffer(base64.b64decode(request["probes"])).reshape(-1, request["n_features"])
    made_by = load_class(request["source"])
    feature_map = instance_of(made_by, n_qubits, hyperparameters)
    first = _at(feature_map, probes[0], n_qubits, lines=True)
    try:
        if not request["quick"]:
            raise NeedsRealGates
        with quick_gates(Queue):
            rows, skipped = _angles(feature_map, probes, first, n_qubits, request["lenient"])
    except (NeedsRealGates, Broken):  # of a broken rule, too: only what real operations show is told
        feature_map = instance_of(made_by, n_qubits, hyperparameters)
        first = _at(feature_map, probes[0], n_qubits, lines=True)
        rows, skipped = _angles(feature_map, probes, first, n_qubits, request["lenient"])
    return {
        "class_name": made_by.__name__,
        "hyperparameters": hyperparameters_of(feature_map),
        "gates": [[name, list(wires), len(angles), line] for name, wires, angles, line in first],
        "angles": base64.b64encode(np.array(rows, dtype=np.float64).tobytes()).decode(),
        "skipped": skipped,
        "works_at": [n for n in request["also_at"] if _works(made_by, n, hyperparameters, probes[0])],
        "seconds": time.perf_counter() - started,
    }


def _angles(
    feature_map: Any, probes: NDArray[np.float64], first: list[Recorded], n_qubits: int, lenient: int
) -> tuple[list[list[float]], list[int]]:
    """Angles at each probe, one row a probe, and those of the last probes that raised or gave no finite number."""
    within = len(probes) - lenient
    rows: list[list[float]] = []
    skipped: list[int] = []
    for position, x in enumerate(probes):
        try:
            gates = _at(feature_map, x, n_qubits, lines=False)
        except Broken as broken:
            if broken.rule != "crashed" or position < within:
                raise
            skipped.append(position)
            continue
        _same_structure(first, gates)
        if position == 0 and (moved := _moved(first, gates)):
            raise Broken("not_deterministic", {"seen": moved})
        row = [angle for gate in gates for angle in gate[2]]
        if position >= within and not np.isfinite(row).all():
            skipped.append(position)
            continue
        rows.append(row)
    return rows, skipped


def _at(feature_map: Any, x: NDArray[np.float64], n_qubits: int, *, lines: bool) -> list[Recorded]:
    sample = x.copy()
    sample.flags.writeable = False
    call: Callable[[Any], Any] = feature_map.feature_map
    try:
        found = record(call, sample, n_qubits, lines=lines)
    except IndexError as wrong:
        broken = broken_by(wrong)
        if f"size {len(x)}" in str(wrong):
            broken = Broken("feature_index", broken.facts | {"n_features": len(x)})
        raise broken from wrong
    except NeedsRealGates:
        raise
    except BaseException as wrong:
        raise broken_by(wrong) from wrong
    if not np.array_equal(sample, x):
        raise Broken("writes_into_x")
    return found


def _same_structure(first: list[Recorded], gates: list[Recorded]) -> None:
    for position, (one, other) in enumerate(zip(first, gates, strict=False)):
        if one[:2] != other[:2]:
            raise Broken("structure_changes", _difference(position, one, other))
    if len(first) != len(gates):
        position = min(len(first), len(gates))
        longer = max(first, gates, key=len)[position]
        ends = (longer, None) if len(first) > len(gates) else (None, longer)
        raise Broken("structure_changes", _difference(position, *ends))


def _difference(position: int, one: Recorded | None, other: Recorded | None) -> dict[str, Any]:
    def shown(gate: Recorded | None) -> str:
        return f"{gate[0]} on {list(gate[1])}" if gate else "absent"

    return {
        "position": position,
        "first": shown(one),
        "other": shown(other),
        "line": (one or other or ("", (), [], 0))[3],
    }


def _moved(first: list[Recorded], again: list[Recorded]) -> str:
    """Which angle is another one when the same x is given a second time; empty if none."""
    for one, other in zip(first, again, strict=True):
        if not np.array_equal(one[2], other[2], equal_nan=True):
            return f"angle of {one[0]} on line {one[3]}: {one[2]}, then {other[2]}"
    return ""


def _works(made_by: type[Any], n_qubits: int, hyperparameters: dict[str, Any], x: NDArray[np.float64]) -> bool:
    try:
        with quick_gates(Queue):
            gates = _at(instance_of(made_by, n_qubits, hyperparameters), x, n_qubits, lines=False)
        return bool(gates) and all(set(on) <= {*range(n_qubits)} and len({*on}) == len(on) for _, on, _, _ in gates)
    except (NeedsRealGates, Broken):
        pass  # what real operations show decides
    try:
        return bool(_at(instance_of(made_by, n_qubits, hyperparameters), x, n_qubits, lines=False))
    except Broken:
        return False
