"""Circuits of calibrated gates as slots, and random two-qubit sequences that should end where they began."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.gates import gate
from labwright.tools.experiments.qubit_pairs import ones
from labwright.tools.experiments.two_qubit_cliffords import (
    CZ_LAYER,
    Layer,
    inverse_layers,
    one,
    random_clifford,
    unitary,
)
from labwright.tools.qpu.joint_program import Slot
from labwright.tools.qpu.settings import QubitSettings


def pair_slots(layers: Sequence[Layer], each: Sequence[QubitSettings], cz: Sequence[Slot]) -> list[Slot]:
    """Two-qubit layers as slots: pulses of both qubits side by side, identities left out, `cz` for every CZ."""
    slots: list[Slot] = []
    for layer in layers:
        if layer.cz:
            slots += cz
            continue
        first, second = ([name for name in gates if name != "I"] for gates in layer.gates)
        for k in range(max(len(first), len(second))):
            slots.append(
                (
                    gate(each[0], first[k]) if k < len(first) else None,
                    gate(each[1], second[k]) if k < len(second) else None,
                )
            )
    return slots


def clifford_sequence(rng: np.random.Generator, length: int, interleaved: bool) -> list[Layer]:
    """`length` random two-qubit Cliffords, a CZ behind each if interleaved, and the one that undoes them all."""
    layers: list[Layer] = []
    for _ in range(length):
        layers += random_clifford(rng)
        if interleaved:
            layers.append(CZ_LAYER)
    return layers + inverse_layers(unitary(layers))


def layered_sequence(rng: np.random.Generator, length: int) -> list[Layer]:
    """`length` times a random single-qubit Clifford on both and a CZ, and the Clifford that undoes them all.

    Shorter than Clifford sequences for the same number of CZ gates (direct benchmarking, Proctor et al., PRL 123,
    030503), which is what comparing gates needs.
    """
    layers: list[Layer] = []
    for _ in range(length):
        layers += [Layer((one(rng), one(rng))), CZ_LAYER]
    return layers + inverse_layers(unitary(layers))


def confusion(counts: NDArray[np.int64], shots: int, n: int, thermal: Sequence[float] = ()) -> Array:
    """P(reads row | prepared column) of n qubits, (2^n, 2^n), each qubit apart, from the two references in front.

    With the qubits' `thermal` populations of level 1 the columns are pure 0 and 1; without them what the references
    prepare counts as pure, and a thermal 1 as a readout error.
    """
    fraction = ones(counts[:2], n) / shots
    total = np.ones((1, 1))
    for (low, high), warm in zip(fraction.T, thermal or n * [0.0], strict=True):
        shift = warm * (high - low) / (1 - 2 * warm)
        zero, one = np.clip([low - shift, high + shift], 0.0, 1.0)
        total = np.kron(total, np.array([[1 - zero, 1 - one], [zero, one]]))
    return total


def survival(counts: NDArray[np.int64], shots: int, n: int, ends: NDArray[np.int64] | int = 0) -> tuple[Array, Array]:
    """Population of the state where each point behind the references should end, and its one-sigma error from shots.

    `ends` are numbers of basis states, all-0 being 0: (n_points,), or one for all.
    """
    p = counts[2:] / shots
    weights = np.linalg.inv(confusion(counts, shots, n))[np.broadcast_to(ends, len(p))]
    value = (p * weights).sum(axis=1)
    variance = ((p * weights**2).sum(axis=1) - value**2 + 1 / shots) / shots
    return np.asarray(value), np.sqrt(np.clip(variance, 0, None))
