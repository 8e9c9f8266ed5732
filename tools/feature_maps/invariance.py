"""Whether a quantum kernel is, in truth, a classical one: a function of the differences of the features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.simulate import states

TOLERANCE = 1e-9  # of K; double precision leaves about 1e-13
SPREADS = (0.03, 0.3, 1.0)  # of y - x: far pairs alone would pass where their overlaps are all near 0
OFFSETS = (1.0, 10.0)  # spreads of what both are moved by; the large one shows angles that change by little


def depends_on_differences(circuit: Circuit, *, seed: int = 0) -> bool:
    """Whether ``K(x, y) = |<psi(x)|psi(y)>|^2`` is a function of ``x - y`` only.

    Random pairs are moved by random common offsets, in double precision. As K is analytic in the features, one pair
    whose kernel changes by more than `TOLERANCE` disproves it everywhere, and pairs that all stay as they are leave no
    doubt but for effects below the tolerance.

    Why it matters: by Bochner's theorem such a kernel is the mean of ``cos(w . (x - y))`` over fixed frequencies w.
    Where these can be drawn classically, random Fourier features give the kernel to the precision that as many shots
    on a processor would. That is so if all angles belong to commuting generators, such as X rotations of |0> with
    CNOTs between: each w is then a sum of the weights with random signs (Rahimi and Recht, NIPS 2007).

    Args:
        circuit: the feature map.
        seed: of pairs and offsets.

    Raises:
        InputError: too many qubits.
    """
    rng = np.random.default_rng(seed)
    for spread in SPREADS:
        x = rng.random(circuit.n_features)
        y = x + spread * rng.uniform(-1, 1, circuit.n_features)
        before = _overlap(circuit, x, y)
        for offset in OFFSETS:
            shift = offset * rng.standard_normal(circuit.n_features)
            if abs(_overlap(circuit, x + shift, y + shift) - before) > TOLERANCE:
                return False
    return True


def _overlap(circuit: Circuit, x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """K(x, y); two states at a time, so that 20 qubits need no more than 32 MB."""
    left, right = states(circuit, np.stack([x, y]), precision="complex128", engine="numpy")
    return float(abs(np.vdot(left, right)) ** 2)
