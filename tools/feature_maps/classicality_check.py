"""Whether a feature map is, in truth, classical: its unitaries commute, or its kernel is one of differences only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.inverse import inverse, shifted
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


def commutes(circuit: Circuit, *, seed: int = 0) -> bool:
    """Whether ``V(x) = U(0)^-1 U(x)`` and ``V(y)`` commute for all x and y, on every state.

    They do if the generators of the angles, pulled back through the fixed gates, commute. Then V is a product of
    ``exp(i theta G)`` with one common eigenbasis, and K depends on x - y only whatever the state that U acts on.
    `depends_on_differences` asks for less: of the state |0...0> alone. Random x and y, on a random entangled state, in
    double precision; a difference of the two states is seen in first order.

    Args:
        circuit: the feature map.
        seed: of x, y and the state.

    Raises:
        InputError: too many qubits.
    """
    n, rng = circuit.n_features, np.random.default_rng(seed)
    own = Circuit(circuit.n_qubits, n, (*circuit.gates, *_without_features(inverse(circuit)).gates))
    gates = (*_scrambled(circuit.n_qubits, rng), *own.gates, *shifted(own, n).gates)
    both = Circuit(circuit.n_qubits, 2 * n, gates)
    for spread in SPREADS:
        x, y = rng.random(n), spread * rng.random(n)
        pairs = np.stack([np.concatenate([x, y]), np.concatenate([y, x])])
        first, second = states(both, pairs, precision="complex128", engine="numpy")
        if np.abs(first - second).max() > TOLERANCE:
            return False
    return True


def _scrambled(n_qubits: int, rng: np.random.Generator) -> list[Gate]:
    """Gates that make a random entangled state."""
    gates: list[Gate] = []
    for _ in range(2):
        for wire in range(n_qubits):
            gates.append(Gate("U3", (wire,), tuple(Angle((), float(angle)) for angle in rng.uniform(0, 6.28, 3))))
        gates += [Gate("CZ", (wire, wire + 1)) for wire in range(n_qubits - 1)]
    return gates


def _without_features(circuit: Circuit) -> Circuit:
    """The circuit at x = 0."""
    gates = [Gate(gate.name, gate.wires, tuple(Angle((), a.offset) for a in gate.angles)) for gate in circuit.gates]
    return Circuit(circuit.n_qubits, circuit.n_features, tuple(gates))


def _overlap(circuit: Circuit, x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """K(x, y); two states at a time, so that 20 qubits need no more than 32 MB."""
    left, right = states(circuit, np.stack([x, y]), precision="complex128", engine="numpy")
    return float(abs(np.vdot(left, right)) ** 2)
