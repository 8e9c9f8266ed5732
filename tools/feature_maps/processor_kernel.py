"""A feature map's kernel measured on a processor with calibrated gates: ``U(y)^-1 U(x)`` played, all zeros counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.gates import quarter_turn
from labwright.tools.experiments.pair_benchmarking_sequences import survival
from labwright.tools.experiments.qubit_pairs import joint_program, reference_slots
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.inverse import overlap_circuit
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.native_gates import Native, native_gates
from labwright.tools.feature_maps.noise import GateErrors, noisy_kernel
from labwright.tools.feature_maps.svm_assessment import fitted
from labwright.tools.qpu.cz_gate_operations import cz_slots
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.joint_program import JointOperation, Slot, Turn
from labwright.tools.qpu.settings import pair_name

Real = NDArray[np.float64]
AT_ONCE = 32  # circuits of one program: a density matrix each
REFERENCES = 4  # runs of the prepared all-0 and all-1 in each program


@dataclass(frozen=True, slots=True)
class Chip:
    """Calibrated qubits of a device.

    Attributes:
        device: that plays.
        qubits: of wires 0, 1, ...
        key: of the action, under which the device stores what it played.
    """

    device: Device
    qubits: tuple[str, ...]
    key: str

    @property
    def couplings(self) -> list[tuple[int, int]]:
        """Pairs of wires that have a calibrated CZ, in the order in which their settings name them."""
        book = self.device.settings
        known = [pair for pair in book.pairs if set(pair) <= set(self.qubits)]
        return [
            (self.qubits.index(one), self.qubits.index(other))
            for one, other in known
            if book.pair(pair_name(one, other)).calibrated
        ]


@dataclass(frozen=True, slots=True)
class OnProcessor:
    """A kernel as measured, as predicted from the gate errors, and exact; accuracies of machines trained on each.

    Attributes:
        train, test: how many samples.
        shots: of each entry.
        exact_accuracy, predicted_accuracy, measured_accuracy: on the test samples.
        predicted_deviation: root mean square of measured minus predicted, over all entries measured.
        exact_deviation: of measured minus exact.
        shot_error: root mean square of the entries' standard errors: what the deviations cannot be below.
        cz_gates, quarter_turns: of one circuit, in the mean.
        seconds: device time.
        exact, predicted, measured, error: the entries, those of the training pairs first.
    """

    train: int
    test: int
    shots: int
    exact_accuracy: float
    predicted_accuracy: float
    measured_accuracy: float
    predicted_deviation: float
    exact_deviation: float
    shot_error: float
    cz_gates: float
    quarter_turns: float
    seconds: float
    exact: list[float]
    predicted: list[float]
    measured: list[float]
    error: list[float]


def run_on_processor(
    circuit: Circuit,
    chip: Chip,
    train: tuple[Real, NDArray[np.int64]],
    test: tuple[Real, NDArray[np.int64]],
    errors: GateErrors,
    shots: int,
) -> OnProcessor:
    """Measure the kernel of a few samples and compare it with what the gate errors predict.

    Args:
        circuit: the feature map, on as many wires as the chip has qubits.
        chip: calibrated.
        train: prepared samples and labels that a machine is fitted to.
        test: those that it predicts.
        errors: as measured by the calibration.
        shots: of each entry.

    Raises:
        InputError: another number of qubits, or couplings without a gate.
    """
    if circuit.n_qubits != len(chip.qubits):
        raise InputError(f"The map has {circuit.n_qubits} qubits, but {len(chip.qubits)} are named. Name as many.")
    n, upper = len(train[1]), np.triu_indices(len(train[1]), 1)
    pairs = [(train[0][i], train[0][j]) for i, j in zip(*upper, strict=True)]
    pairs += [(x, y) for x in train[0] for y in test[0]]  # a circuit begins with its training sample: shared
    both = overlap_circuit(circuit)
    played = [native_gates(both, np.concatenate(pair), chip.couplings) for pair in pairs]
    measured, error, seconds = _measured(chip, played, shots)

    def kernels(entries: Real) -> tuple[Real, Real]:
        own = np.eye(n)
        own[upper] = entries[: len(upper[0])]
        own.T[upper] = entries[: len(upper[0])]
        return own, entries[len(upper[0]) :].reshape(n, len(test[1])).T

    def both_kernels(own: Any, other: Any) -> Real:
        return np.concatenate([own[upper], other.T.ravel()])

    exact = both_kernels(
        kernel_matrix(circuit, train[0], precision="complex128"),
        kernel_matrix(circuit, test[0], train[0], precision="complex128"),
    )
    predicted = both_kernels(
        noisy_kernel(circuit, train[0], None, errors, chip.couplings),
        noisy_kernel(circuit, train[0], test[0], errors, chip.couplings).T,
    )

    def accuracy(entries: Real) -> float:
        own, other = kernels(entries)
        return float(np.mean(fitted(own, train[1], 1.0).predict(other) == test[1]))

    def rms(values: Real) -> float:
        return float(np.sqrt(np.mean(values**2)))

    count = {kind: float(np.mean([sum(g.kind == kind for g in gates) for gates in played])) for kind in ("cz", "x90")}
    return OnProcessor(
        n, len(test[1]), shots, accuracy(exact), accuracy(predicted), accuracy(measured), rms(measured - predicted),
        rms(measured - exact), rms(error), count["cz"], count["x90"], seconds,
        exact.tolist(), predicted.tolist(), measured.tolist(), error.tolist(),
    )  # fmt: skip


def _measured(chip: Chip, played: Sequence[Sequence[Native]], shots: int) -> tuple[Real, Real, float]:
    """The share of all zeros behind each circuit with readout errors taken out, its error, and the device time."""
    bench = Bench(chip.device, chip.key)
    each = [bench.settings(qubit) for qubit in chip.qubits]
    values: list[Any] = []
    errors: list[Any] = []
    for begin in range(0, len(played), AT_ONCE):
        sequences = REFERENCES * reference_slots(each)
        sequences += [slots_of(gates, chip, bench) for gates in played[begin : begin + AT_ONCE]]
        got = bench.acquire(joint_program(chip.qubits, sequences, shots))
        assert got.counts is not None
        references = got.counts[: 2 * REFERENCES].reshape(REFERENCES, 2, -1).sum(axis=0) / REFERENCES
        value, error = survival(np.concatenate([references, got.counts[2 * REFERENCES :]]), shots, len(each))
        values.append(value)
        errors.append(error)
    return np.concatenate(values), np.concatenate(errors), bench.seconds


def slots_of(gates: Sequence[Native], chip: Chip, bench: Bench) -> list[Slot]:
    """Native gates as slots of calibrated operations; gates on one qubit are played side by side.

    Turns and pulses of several qubits meet in one slot only with their like, since a turn takes no time.
    """
    slots: list[Slot] = []
    waiting: list[list[JointOperation]] = [[] for _ in chip.qubits]

    def flush() -> None:
        while any(waiting):
            turns = [bool(row) and isinstance(row[0], Turn) for row in waiting]
            chosen = turns if any(turns) else [bool(row) for row in waiting]
            slots.append(tuple(row.pop(0) if take else None for row, take in zip(waiting, chosen, strict=True)))

    for gate in gates:
        if gate.kind == "cz":
            flush()
            slots.extend(_cz(gate.wires, chip, bench))
        else:
            pulse = quarter_turn(bench.settings(chip.qubits[gate.wires[0]])) if gate.kind == "x90" else None
            waiting[gate.wires[0]].append(pulse or Turn(gate.angle))
    flush()
    return slots


def _cz(wires: tuple[int, ...], chip: Chip, bench: Bench) -> list[Slot]:
    places = wires if wires in chip.couplings else wires[::-1]
    first, second = (chip.qubits[place] for place in places)
    settings = bench.pair_settings(pair_name(first, second))
    rows = []
    for one, other in cz_slots(settings, bench.settings(first), bench.settings(second)):
        row: list[JointOperation | None] = [None] * len(chip.qubits)
        row[places[0]], row[places[1]] = one, other
        rows.append(tuple(row))
    return rows
