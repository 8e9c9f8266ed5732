"""Kernels: equal to PennyLane's, and the laws that every quantum kernel keeps."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_circuits import circuit_of_all_gates, circuits, gates, pennylane_states, samples_of
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import InputError, MemoryLimitError
from labwright.tools.feature_maps import kernel as module
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.kernel import kernel_matrix, plan_memory
from labwright.tools.feature_maps.simulate import Engine, Precision, Simulator

ENGINES: tuple[Engine, ...] = ("numpy", "lightning")
TOLERANCES: dict[Precision, float] = {"complex128": 1e-12, "complex64": 1e-5}
SIZES = [2, 3, 4, 5, 6, 7, 8] * 6 + [9, 10] * 3 + [11, 12]  # 50 maps; some by default


@pytest.mark.parametrize(
    ("seed", "n_qubits"), [pytest.param(*one, marks=pytest.mark.slow if one[0] > 5 else ()) for one in enumerate(SIZES)]
)
def test_50_maps_of_all_gates_have_pennylanes_kernel(seed: int, n_qubits: int) -> None:
    circuit, samples = circuit_of_all_gates(n_qubits, seed), samples_of(seed, 3)
    psi = pennylane_states(circuit, samples)
    theirs = np.abs(psi @ psi.conj().T) ** 2
    for precision, tolerance in TOLERANCES.items():
        for others in (None, samples):
            ours = kernel_matrix(circuit, samples, others, precision=precision, engine="numpy")
            np.testing.assert_allclose(ours, theirs, atol=tolerance)


@given(circuit=circuits(most=4), seed=st.integers(0, 99))
def test_a_kernel_is_symmetric_positive_and_one_on_the_diagonal(circuit: Circuit, seed: int) -> None:
    kernel = kernel_matrix(circuit, samples_of(seed, 9), precision="complex128", engine="numpy")
    assert np.array_equal(kernel, kernel.T)
    assert np.array_equal(np.diag(kernel), np.ones(9))
    assert kernel.min() >= 0
    assert kernel.max() <= 1
    assert np.linalg.eigvalsh(kernel).min() > -1e-12


@given(data=st.data(), circuit=circuits(most=4), seed=st.integers(0, 99))
def test_gates_at_the_end_that_ignore_the_data_change_nothing(data: st.DataObject, circuit: Circuit, seed: int) -> None:
    more = data.draw(st.lists(gates(circuit.n_qubits, list(GATES), of_data=False), min_size=1, max_size=5))
    longer = Circuit(circuit.n_qubits, circuit.n_features, (*circuit.gates, *more))
    first, second = (
        kernel_matrix(one, samples_of(seed, 5), precision="complex128", engine="numpy") for one in (circuit, longer)
    )
    np.testing.assert_allclose(first, second, atol=1e-13)


@pytest.mark.parametrize("precision", ["complex128", pytest.param("complex64", marks=pytest.mark.slow)])
def test_both_engines_have_one_result(precision: Precision) -> None:
    for seed, n_qubits in enumerate((2, 3, 5, 9)):
        circuit, samples = circuit_of_all_gates(n_qubits, seed), samples_of(seed, 7)
        first, second = (kernel_matrix(circuit, samples, precision=precision, engine=e) for e in ENGINES)
        np.testing.assert_allclose(first, second, atol={"complex128": 1e-14, "complex64": 3e-6}[precision])


def _limit_for(circuit: Circuit, n: int, strips: int) -> float:
    """The memory, MB, in which a symmetric kernel of n samples takes so many strips of rows."""
    simulator = Simulator(circuit, "complex128", "numpy")
    limits = np.linspace(0.001, 200, 20000)
    for limit in limits:
        try:
            layout = plan_memory(simulator, n, n, float(limit))
        except MemoryLimitError:
            continue
        if -(-n // layout.strip) == strips:
            return float(limit)
    raise AssertionError(f"no limit gives {strips} strips")


@pytest.mark.parametrize("strips", [1, 2, 3, 5])
def test_blocks_and_strips_give_the_same_kernel(strips: int, monkeypatch: pytest.MonkeyPatch) -> None:
    circuit, samples, others = circuit_of_all_gates(10, 5), samples_of(5, 150), samples_of(6, 70)
    whole = kernel_matrix(circuit, samples, precision="complex128", engine="numpy")
    beside = kernel_matrix(circuit, samples, others, precision="complex128", engine="numpy")
    monkeypatch.setattr(module, "TILE", 32)
    limit = _limit_for(circuit, len(samples), strips)
    heard: list[float] = []
    ours = kernel_matrix(
        circuit, samples, precision="complex128", engine="numpy", memory_mb=limit, progress=heard.append
    )
    np.testing.assert_allclose(ours, whole, atol=1e-14)
    assert np.array_equal(ours, ours.T)
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1.0)
    aside = kernel_matrix(circuit, samples, others, precision="complex128", engine="numpy", memory_mb=limit)
    np.testing.assert_allclose(aside, beside, atol=1e-14)


def test_too_little_memory_is_said_before_anything_is_allocated() -> None:
    circuit = circuit_of_all_gates(4, 0)
    with pytest.raises(MemoryLimitError, match="may use 500 MB") as caught:
        kernel_matrix(circuit, np.zeros((200_000, 3)), memory_mb=500)
    assert caught.value.needed_mb > 200_000**2 * 4 / 1e6


def test_no_samples_give_an_empty_kernel() -> None:
    assert kernel_matrix(circuit_of_all_gates(3, 0), np.empty((0, 3))).shape == (0, 0)


def test_samples_with_another_number_of_features_are_refused() -> None:
    with pytest.raises(InputError, match="as many components"):
        kernel_matrix(circuit_of_all_gates(3, 0), np.zeros((4, 2)))
