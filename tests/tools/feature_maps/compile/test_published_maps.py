"""Three published maps (10 qubits, 80 features), written anew from their structure, with QXMT's imports.

The first is linear throughout, the second squares half of its features, the third is linear again; its triples of
wires are those of ten qubits.
"""

import numpy as np
import pytest

from labwright.tools.errors import RuleError
from labwright.tools.feature_maps.compile import Compiler
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.lint import lint_source

HEAD = """\
import numpy as np
import pennylane as qml
from qxmt.constants import PENNYLANE_PLATFORM
from qxmt.feature_maps import BaseFeatureMap

"""

# five blocks of 16 features: ten local angles, six that are shared out to controlled rotations of growing reach
MIXED_REACH = (
    HEAD
    + """
class MixedReach(BaseFeatureMap):
    def __init__(self, n_qubits: int, reach: list = None, shares: list = None, swap: float = 0.5) -> None:
        super().__init__(PENNYLANE_PLATFORM, n_qubits)
        self.n_qubits = n_qubits
        self.reach = [0.3] * 5 if reach is None else reach
        self.shares = [0.15, 0.25, 0.35, 0.15, 0.10] if shares is None else shares
        self.swap = swap

    def feature_map(self, x: np.ndarray) -> None:
        n = self.n_qubits
        for block in range(5):
            local, shared = x[16 * block : 16 * block + 10], x[16 * block + 10 : 16 * block + 16]
            for j in range(n):
                qml.RY(phi=np.pi * local[j], wires=j)
            for j in range(n):
                a, b = shared[j % 6], shared[(j + 1) % 6]
                qml.CRX(phi=np.pi * (0.5 * a + 0.5 * b + 0.1 * (a - b)), wires=[j, (j + 1) % n])
            for j in range(n):
                mean = (shared[j % 6] + shared[(j + 2) % 6] + shared[(j + 4) % 6]) / 3
                qml.CRY(phi=np.pi * mean, wires=[j, (j + 2) % n])
            for j in range(n):
                pair = 0.5 * (shared[j % 6] + shared[(j + 1) % 6])
                qml.CRot(phi=np.pi * self.reach[block] * pair, theta=0.0, omega=0.0, wires=[j, (j + 3) % n])
            for j in range(n // 2):
                qml.IsingXY(phi=np.pi * self.swap, wires=[j, j + n // 2])
        total = sum(self.shares[block] * x[16 * block + 10] for block in range(5))
        qml.MultiRZ(theta=np.pi * total, wires=list(range(n)))
"""
)

# rotations by the first half of each layer's features, a CNOT chain, rotations by the squares of the second half
SQUARED_LAYER = (
    HEAD
    + """
class SquaredLayer(BaseFeatureMap):
    def __init__(self, n_qubits: int, weights: np.ndarray = None) -> None:
        super().__init__(PENNYLANE_PLATFORM, n_qubits)
        self.n_qubits = n_qubits
        self.weights = np.ones(n_qubits) if weights is None else weights

    def feature_map(self, x: np.ndarray) -> None:
        n = self.n_qubits
        for start in range(0, len(x) // (2 * n) * 2 * n, 2 * n):
            for i in range(n):
                qml.RX(phi=self.weights[i] * x[start + i], wires=i)
            for i in range(n - 1):
                qml.CNOT(wires=[i, i + 1])
                qml.CNOT(wires=[n - 1, 0])
            for i in range(n):
                qml.RY(phi=5.2 * x[start + n + i]{power}, wires=i)
"""
)

# 30 + 30 + 20 features; between them CNOTs of reach 1, 2 and n/3 with fixed phases, triples of CZ, Hadamards at the end
TWO_PHASES = (
    HEAD
    + """
class TwoPhases(BaseFeatureMap):
    def __init__(self, n_qubits: int, scale: float = 0.94 * np.pi, offset: float = np.pi / 3.35) -> None:
        super().__init__(PENNYLANE_PLATFORM, n_qubits)
        self.n_qubits, self.scale, self.offset = n_qubits, scale, offset
        self.triples = [(k, (k + 3) % 10, (k + 6) % 10) for k in range(10)]

    def _encode(self, x, gates):
        place = 0
        for gate, count, first in gates:
            for i in range(count):
                gate(phi=self.scale * x[place + i] + self.offset, wires=(first + i) % self.n_qubits)
            place += count

    def _entangle(self, phases):
        for reach, (even, odd) in zip((1, 2, max(1, self.n_qubits // 3)), phases):
            for i in range(self.n_qubits):
                qml.CNOT(wires=[i, (i + reach) % self.n_qubits])
            for i in range(self.n_qubits):
                qml.RZ(phi=odd if i % 2 else even, wires=i)

    def _triples(self):
        for a, b, c in self.triples:
            if max(a, b, c) < self.n_qubits:
                qml.CZ(wires=[a, b])
                qml.CZ(wires=[b, c])
                qml.CZ(wires=[c, a])

    def feature_map(self, x: np.ndarray) -> None:
        self._encode(x[:30], [(qml.RX, 6, 0), (qml.RY, 4, 6), (qml.RY, 14, 0), (qml.RZ, 6, 4)])
        self._entangle([(np.pi / 3, np.pi / 2), (np.pi / 4, np.pi / 2), (np.pi / 4, np.pi / 4)])
        self._triples()
        self._encode(x[30:60], [(qml.RX, 6, 4), (qml.RY, 18, 0), (qml.RZ, 6, 0)])
        self._entangle([(np.pi / 2, np.pi / 3), (np.pi / 2, np.pi / 4), (np.pi / 3, np.pi / 3)])
        self._triples()
        self._encode(x[60:], [(qml.RX, 4, 6), (qml.RY, 16, 0)])
        for i in range(self.n_qubits):
            if i % 4:
                qml.RZ(phi=(np.pi / 6, np.pi / 2, 5 * np.pi / 6)[i % 4 - 1], wires=i)
            qml.Hadamard(wires=i)
"""
)
SAMPLES = np.random.default_rng(3).random((3, 80))


@pytest.mark.parametrize(
    ("source", "n_gates", "stripped", "works_at"),
    [
        (MIXED_REACH, 226, 0, (4, 6, 10)),
        (TWO_PHASES, 260, 17, (4, 6, 10, 12)),
        (SQUARED_LAYER.format(power=""), 152, 0, None),
    ],
)
def test_linear_ones_are_legal_with_the_kernel_of_pennylane(
    compiler: Compiler, kernel_of_the_code, source, n_gates, stripped, works_at
):
    compiled = compiler.compile(source, 10, 80)
    assert len(compiled.circuit.gates) == n_gates
    assert compiled.stripped == stripped
    assert works_at is None or compiled.works_at == works_at
    ours = kernel_matrix(compiled.circuit, SAMPLES, precision="complex128")
    np.testing.assert_allclose(ours, kernel_of_the_code(source, 10, SAMPLES), atol=1e-11)


def test_the_one_with_squares_is_refused_for_its_square(compiler: Compiler):
    with pytest.raises(RuleError, match=r"angle of RY on line 22 is not linear .* it has a square") as refused:
        compiler.compile(SQUARED_LAYER.format(power=" ** 2"), 10, 80)
    assert [one["rule"] for one in refused.value.findings] == ["not_affine"]


def test_a_list_that_stands_for_none_is_reported_as_it_is_in_force(compiler: Compiler):
    found = compiler.compile(MIXED_REACH, 10, 80).hyperparameters
    assert found == {"reach": [0.3] * 5, "shares": [0.15, 0.25, 0.35, 0.15, 0.10], "swap": 0.5}


@pytest.mark.parametrize("source", [MIXED_REACH, SQUARED_LAYER.format(power=" ** 2"), TWO_PHASES])
def test_text_of_all_three_has_no_finding(source):
    assert lint_source(source) == []
