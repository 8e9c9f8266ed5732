"""What 21 pairs of pulses give when all pulses share a small error: the patterns that AllXY tells apart.

A two-level qubit in the frame of its drive. Three errors are known: every pulse turns too far by the same factor; the
drive is detuned; and, as a wrong DRAG coefficient does, the qubit is shifted while it is driven, in proportion to the
square of the drive (Motzoi et al., PRL 103, 110501, eq. 10; Reed, Entanglement and quantum error correction with
superconducting qubits, thesis, Yale 2013, Sec. 5.2.4).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.pulses import gaussian

Array = NDArray[np.float64]
Matrix = NDArray[np.complex128]

# Pairs in playing order; the first five should end in 0, the next twelve half-way, the last four in 1.
PAIRS: tuple[tuple[str, str], ...] = (
    ("I", "I"), ("X180", "X180"), ("Y180", "Y180"), ("X180", "Y180"), ("Y180", "X180"),
    ("X90", "I"), ("Y90", "I"), ("X90", "Y90"), ("Y90", "X90"), ("X90", "Y180"), ("Y90", "X180"),
    ("X180", "Y90"), ("Y180", "X90"), ("X90", "X180"), ("X180", "X90"), ("Y90", "Y180"), ("Y180", "Y90"),
    ("X180", "I"), ("Y180", "I"), ("X90", "X90"), ("Y90", "Y90"),
)  # fmt: skip
IDEAL: Array = np.repeat([0.0, 0.5, 1.0], [5, 12, 4])
NAMES = ("low", "contrast", "amplitude", "detuning", "shift")


def staircase(amplitude: float, detuning: float, shift: float, duration: float) -> Array:
    """Population of level 1 after each pair, (21,).

    Args:
        amplitude: relative error of every rotation angle.
        detuning: qubit minus drive frequency in MHz.
        shift: further detuning in MHz at the peak of a pi pulse, while it is played; it grows with the drive squared.
        duration: of one pulse, in us.
    """
    gates = {name: _gate(name, amplitude, detuning, shift, duration) for name in ("I", "X90", "Y90", "X180", "Y180")}
    return np.array([abs((gates[second] @ gates[first])[1, 0]) ** 2 for first, second in PAIRS])


def pattern(index: Array, low: float, contrast: float, amplitude: float, detuning: float, shift: float) -> Array:
    """Fraction read as 1 of the pairs `index`; frequencies are in units of 1 / pulse duration."""
    return np.asarray(low + contrast * staircase(amplitude, detuning, shift, 1.0)[index.astype(int)])


@cache
def _envelope() -> Array:
    """Gaussian of unit length and unit peak, sampled as the generator would a 30 ns pulse."""
    return np.asarray(gaussian(np.ones(1), np.zeros(1), 0.03, -200.0)[0].real)


def _gate(name: str, amplitude: float, detuning: float, shift: float, duration: float) -> Matrix:
    """Unitary (2, 2) of one pulse: samples multiplied up, each a turn about its own axis."""
    shape = _envelope()
    turns = {"I": 0.0, "90": 0.25, "180": 0.5}[name.lstrip("XY") or name]
    weak = turns / 0.5  # drive relative to a pi pulse
    angle = 2 * np.pi * turns * (1 + amplitude) * shape / shape.sum()
    z = 2 * np.pi * duration / len(shape) * (detuning + shift * (weak * shape) ** 2)
    total = np.sqrt(angle**2 + z**2) + 1e-300
    axis = np.pi / 2 if name.startswith("Y") else 0.0
    cosine, sine = np.cos(total / 2), np.sin(total / 2) / total
    lift = -1j * sine * angle * np.exp(1j * axis)
    steps = np.empty((len(shape), 2, 2), dtype=complex)
    # H = detuning n: level 1 gains the phase exp(-i z), written symmetrically
    steps[:, 0, 0], steps[:, 1, 1] = cosine + 1j * sine * z, cosine - 1j * sine * z
    steps[:, 1, 0], steps[:, 0, 1] = lift, -lift.conj()
    product = steps[0]
    for step in steps[1:]:
        product = step @ product
    return np.asarray(product)
