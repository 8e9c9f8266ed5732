"""From feature-map code that nobody has read to a circuit, or to the reasons why not.

The code runs only inside the sandbox, at probe inputs. What comes back is read as untrusted data and fitted by
``angle = W x + b``; the fit is the circuit, and the rule check is that the fit is exact. Code that cheats gains
nothing: what is not in the affine circuit has no effect on any kernel.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError, RuleError, SandboxedFailure
from labwright.tools.feature_maps.affine_angle_fit import Affine, explain, looks_rounded, solve
from labwright.tools.feature_maps.circuit import MAX_QUBITS, Angle, Circuit, Gate
from labwright.tools.feature_maps.lint import state_written
from labwright.tools.feature_maps.probe_points import OUTSIDE, SCAN, choose_probes, packed, scans
from labwright.tools.feature_maps.rules import finding
from labwright.tools.feature_maps.sandbox_reply import Seen, read_reply
from labwright.tools.sandbox.base import Limits, Sandbox, Server

FUNCTION = "labwright.tools.feature_maps.capture:capture"
PRELOAD = ("pennylane", "labwright.tools.feature_maps.capture")
LIMITS = Limits(cpu_seconds=20.0, wall_seconds=20.0, memory_mb=4096, output_kb=65_536)
OTHER_SIZES = (4, 6, 10, 12)  # qubit numbers at which independence of the size is looked for
LONGEST_SOURCE = 200_000  # letters
MOST_FEATURES = 1024
MOST_NAMED = 6  # places that a note names
_ENDINGS = {"timeout": "too_slow", "memory": "too_much_memory", "killed": "killed", "overflow": "not_a_circuit"}


@dataclass(frozen=True, slots=True)
class CompiledMap:
    """A feature map that keeps the rules.

    Attributes:
        name: of its class.
        source: its code.
        circuit: what it does; the only thing that is ever evaluated.
        hyperparameters: values in force, by name.
        stripped: data-independent gates at the end that were left out, as they cancel in the kernel.
        works_at: numbers of qubits, of 4, 6, 10 and 12 and the one asked for, at which the code runs.
        notes: what a person should know, such as features that are not used.
    """

    name: str
    source: str
    circuit: Circuit
    hyperparameters: dict[str, Any]
    stripped: int
    works_at: tuple[int, ...]
    notes: tuple[str, ...]


class Compiler:
    """Compiles feature maps, with one confined server for its life, started when first needed.

    Args:
        sandbox: where the code runs.
        limits: of one run of the code; two or three runs make a compilation.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits = LIMITS) -> None:
        self._sandbox, self._limits = sandbox, limits
        self._server: Server | None = None

    def compile(
        self,
        source: str,
        n_qubits: int,
        n_features: int,
        hyperparameters: Mapping[str, Any] | None = None,
        *,
        seed: int = 0,
    ) -> CompiledMap:
        """The circuit of the code.

        Args:
            source: a module with one feature-map class.
            n_qubits: 1 to `labwright.tools.feature_maps.circuit.MAX_QUBITS`.
            n_features: length of x.
            hyperparameters: arguments of the constructor in place of their defaults.
            seed: of the probe inputs; the circuit of a legal map does not depend on it.

        Raises:
            InputError: a number that is out of range.
            RuleError: the code breaks rules; it says which and where.
            SandboxedFailure: the sandbox itself failed.
        """
        _check_input(source, n_qubits, n_features)
        probes = choose_probes(source, n_features, seed)
        request = {
            "source": source,
            "n_qubits": n_qubits,
            "n_features": n_features,
            "hyperparameters": _plain(hyperparameters or {}),
        }
        seen = self._capture(request, probes.x, lenient=OUTSIDE)
        kept = np.delete(probes.x, seen.skipped, axis=0)
        affine = solve(kept, seen.angles)
        self._check_linear(request, probes.x[0], seen, affine)
        again = self._repeat(request, probes.x, probes.repeated, seen)
        return _compiled(source, request, seen, affine, again)

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def __enter__(self) -> Compiler:
        return self

    def __exit__(self, *ignored: object) -> None:
        self.close()

    def _capture(
        self, request: Mapping[str, Any], x: NDArray[np.float64], *, lenient: int = 0, also_at: tuple[int, ...] = ()
    ) -> Seen:
        entropy = secrets.randbits(31)  # code that draws random numbers shall draw others each time
        asked = {**request, "probes": packed(x), "lenient": lenient, "entropy": entropy, "also_at": list(also_at)}
        asked["quick"] = not also_at  # the repetition makes real operations, so that the two ways are compared
        return read_reply(self._call(asked), request["n_qubits"], len(x), lenient)

    def _call(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self._server is None:
            self._server = self._sandbox.serve(FUNCTION, preload=PRELOAD, limits=self._limits)
        try:
            return self._server.call(asked, self._limits)
        except SandboxedFailure as failure:
            if failure.ending not in _ENDINGS:
                raise RuleError([finding("not_a_circuit", {"error": f"{failure.kind} {failure}"})]) from failure
            facts = {"seconds": self._limits.wall_seconds, "error": str(failure)}
            raise RuleError([finding(_ENDINGS[failure.ending], facts)]) from failure

    def _check_linear(self, request: Mapping[str, Any], anchor: NDArray[np.float64], seen: Seen, fit: Affine) -> None:
        worst = fit.worst()
        if worst is None:
            return
        facts = seen.gate_of(worst)
        if looks_rounded(fit, worst):
            raise RuleError([finding("rounding", facts | {"seen": float(fit.residuals[worst])})])
        try:
            scanned = self._capture(request, np.vstack([anchor, scans(anchor)]))
        except RuleError as other:
            raise RuleError([finding("not_affine", facts | {"seen": "it bends or jumps"}), *other.findings]) from other
        if scanned.gates != seen.gates or scanned.angles[0, worst] != seen.angles[0, worst]:
            raise RuleError([finding("not_deterministic", {"seen": f"{facts['gate']} on line {facts['line']}"})])
        values = scanned.angles[1:, worst].reshape(-1, len(SCAN))
        raise RuleError([finding("not_affine", facts | explain(values, float(scanned.angles[0, worst])))])

    def _repeat(self, request: Mapping[str, Any], x: NDArray[np.float64], rows: tuple[int, ...], seen: Seen) -> Seen:
        """Run some probes again in another process, last first, so that chance and memory show."""
        order = list(rows[::-1])
        again = self._capture(request, x[order], also_at=OTHER_SIZES)
        if again.gates != seen.gates:
            raise RuleError([finding("not_deterministic", {"seen": "other gates"})])
        apart = np.abs(again.angles - seen.angles[order]).max(axis=0, initial=0.0)
        if apart.size and apart.max() > 0.0:
            facts = seen.gate_of(int(apart.argmax()))
            told = f"angle of {facts['gate']} on line {facts['line']} apart by {apart.max():.2g} rad"
            raise RuleError([finding("not_deterministic", {"seen": told})])
        return again


def _check_input(source: str, n_qubits: int, n_features: int) -> None:
    if not 1 <= n_qubits <= MAX_QUBITS:
        raise InputError(
            f"A feature map must have 1 to {MAX_QUBITS} qubits, but has {n_qubits}. Choose another number."
        )
    if not 1 <= n_features <= MOST_FEATURES:
        raise InputError(
            f"A feature map must have 1 to {MOST_FEATURES} features, but there are {n_features}. Reduce the data."
        )
    if len(source) > LONGEST_SOURCE:
        raise InputError(f"The code has {len(source)} letters, but may have {LONGEST_SOURCE}. Shorten it.")


def _plain(hyperparameters: Mapping[str, Any]) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = json.loads(json.dumps(dict(hyperparameters), allow_nan=False))
    except (TypeError, ValueError) as wrong:
        raise InputError(f"Hyperparameters must be numbers, words or lists of them: {wrong}.") from wrong
    return plain


def _compiled(source: str, request: Mapping[str, Any], seen: Seen, fit: Affine, again: Seen) -> CompiledMap:
    gates = _gates(seen, fit)
    kept = _without_trailing(gates)
    used = {feature for gate in kept for angle in gate.angles for feature, _ in angle.weights}
    if not used:
        raise RuleError([finding("no_data")])
    circuit = Circuit(request["n_qubits"], request["n_features"], kept)
    works_at = tuple(sorted({*again.works_at} & {*OTHER_SIZES} | {request["n_qubits"]}))
    stripped = len(gates) - len(kept)
    notes = _notes(circuit, used, stripped, source)
    return CompiledMap(seen.class_name, source, circuit, seen.hyperparameters, stripped, works_at, notes)


def _gates(seen: Seen, fit: Affine) -> tuple[Gate, ...]:
    angles = iter(
        Angle(tuple((int(feature), float(row[feature])) for feature in np.flatnonzero(row)), float(offset))
        for row, offset in zip(fit.weights, fit.offsets, strict=True)
    )
    return tuple(Gate(name, wires, tuple(next(angles) for _ in range(count))) for name, wires, count, _ in seen.gates)


def _without_trailing(gates: tuple[Gate, ...]) -> tuple[Gate, ...]:
    """Leave out what follows every data-dependent gate: U_const cancels in <x| U_const^dagger U_const |y>."""
    kept: list[Gate] = []
    taken: set[int] = set()  # wires on which something later is kept
    for gate in reversed(gates):
        if taken.isdisjoint(gate.wires) and not any(angle.weights for angle in gate.angles):
            continue
        kept.append(gate)
        taken.update(gate.wires)
    return tuple(reversed(kept))


def _notes(circuit: Circuit, used: set[int], stripped: int, source: str) -> tuple[str, ...]:
    notes = []
    unused = sorted(set(range(circuit.n_features)) - used)
    if unused:
        shown = ", ".join(map(str, unused[:12])) + (", ..." if len(unused) > 12 else "")
        notes.append(f"{len(unused)} of {circuit.n_features} features are not used: {shown}.")
    if stripped:
        notes.append(f"{stripped} data-independent gates at the end were left out: they cancel in the kernel.")
    idle = set(range(circuit.n_qubits)) - {wire for gate in circuit.gates for wire in gate.wires}
    if idle:
        notes.append(f"Wires without any gate: {', '.join(map(str, sorted(idle)))}.")
    if written := state_written(source):
        notes.append(f"The code keeps state between calls, which has no effect: {', '.join(written[:MOST_NAMED])}.")
    return tuple(notes)
