"""Kernels: equal to PennyLane's, and the laws that every quantum kernel keeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_circuits import circuit_of_all_gates, circuits, gates, pennylane_states, samples_of
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import InputError, MemoryLimitError
from labwright.tools.experiments.base import Bench
from labwright.tools.feature_maps import kernel as module
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.kernel import kernel_matrix, plan_memory
from labwright.tools.feature_maps.kernel_statistics import statistics
from labwright.tools.feature_maps.native_gates import Native
from labwright.tools.feature_maps.noise import GateErrors
from labwright.tools.feature_maps.processor_kernel import Chip, run_on_processor, slots_of
from labwright.tools.feature_maps.recipe import circuit_of
from labwright.tools.feature_maps.simulate import Engine, Precision, Simulator
from labwright.tools.qpu.joint_program import Turn
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated

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
    limits = np.geomspace(0.01, 200, 1000)
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
    ours = kernel_matrix(circuit, samples, precision="complex128", engine="numpy", memory_mb=limit)
    np.testing.assert_allclose(ours, whole, atol=1e-14)
    assert np.array_equal(ours, ours.T)
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


def by_definition(K, y):
    n = len(y)
    Y = np.equal.outer(y, y).astype(float)
    H = np.eye(n) - 1 / n
    Kc, Yc = H @ K @ H, H @ Y @ H
    off = K[~np.eye(n, dtype=bool)]
    centred = np.sum(Kc * Yc) / (np.linalg.norm(Kc) * np.linalg.norm(Yc))
    return centred, off.mean(), off.std()


@given(n=st.integers(4, 40), classes=st.integers(2, 4), seed=st.integers(0, 1000), narrow=st.booleans())
def test_statistics_are_those_of_the_definition(n, classes, seed, narrow):
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), random.integers(0, classes, n - classes)]) if n > classes else np.arange(n)
    X = random.normal(size=(n, 3))
    K = np.exp(-(10.0 if narrow else 0.3) * ((X[:, None] - X[None]) ** 2).sum(-1))
    found = statistics(K, y)
    expected = by_definition(K, y)
    got = (found.alignment, found.mean, found.std)
    assert got == pytest.approx(expected, abs=1e-7)


def test_the_kernel_of_the_labels_is_perfectly_aligned():
    y = np.repeat([0, 1, 2], 5)
    found = statistics(np.equal.outer(y, y).astype(float), y)
    assert found.alignment == pytest.approx(1.0)


def test_a_concentrated_kernel_is_seen():
    y = np.repeat([0, 1], 300)  # more rows than are summed at a time
    found = statistics(np.eye(600, dtype=np.float32), y)
    assert (found.mean, found.std) == pytest.approx((0.0, 0.0), abs=1e-12)
    constant = statistics(np.ones((600, 600), dtype=np.float32), y)
    assert (constant.alignment, constant.mean, constant.std) == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)


def test_single_precision_is_summed_in_double():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(900, 4)), random.integers(0, 3, 900)
    K = np.exp(-0.05 * ((X[:, None] - X[None]) ** 2).sum(-1))
    single, double = statistics(K.astype(np.float32), y), statistics(K, y)
    assert single.std == pytest.approx(double.std, rel=1e-5)
    assert single.alignment == pytest.approx(double.alignment, abs=1e-5)


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (4,)])
def test_another_shape_is_refused(shape):
    with pytest.raises(InputError, match=r"need a kernel of shape \(4, 4\)"):
        statistics(np.ones(shape), np.array([0, 1, 0, 1]))


CALIBRATED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


@pytest.fixture
def device(tmp_path: Path):
    opened: SimulatedProcessor = open_simulated(tmp_path, 0, CALIBRATED)
    yield opened
    opened.close()


def test_the_chip_gives_the_kernel_that_its_gate_errors_predict(device: SimulatedProcessor) -> None:
    circuit = circuit_of(plain_recipe(axes=["RX", "RY"], entangler="none", scale=2.0), 2, 4)
    random = np.random.default_rng(0)
    y = np.arange(10) % 2
    X = 0.4 * random.random((10, 4)) + 0.5 * y[:, None]
    chip = Chip(device, ("Q1", "Q2"), "test")
    found = run_on_processor(circuit, chip, (X[:6], y[:6]), (X[6:], y[6:]), GateErrors(3e-4, 0.01), 2000)
    assert len(found.measured) == 6 * 5 // 2 + 6 * 4
    pulls = (np.array(found.measured) - np.array(found.predicted)) / np.array(found.error)
    assert np.abs(pulls).max() < 4.5
    assert found.predicted_deviation < 1.5 * found.shot_error
    assert found.measured_accuracy == found.exact_accuracy == 1.0
    assert found.cz_gates == 0
    again = run_on_processor(circuit, chip, (X[:6], y[:6]), (X[6:], y[6:]), GateErrors(3e-4, 0.01), 2000)
    assert again.measured == found.measured  # the same key plays nothing again


def test_gates_without_a_calibrated_coupling_are_refused(device: SimulatedProcessor) -> None:
    circuit = circuit_of(plain_recipe(axes=["RX", "RY"], entangler="CZ", pattern="line"), 2, 4)
    X, y = np.random.default_rng(0).random((4, 4)), np.arange(4) % 2
    with pytest.raises(InputError, match="No couplings join"):
        run_on_processor(circuit, Chip(device, ("Q1", "Q2"), "k"), (X[:2], y[:2]), (X[2:], y[2:]), GateErrors(), 100)
    with pytest.raises(InputError, match="Name as many"):
        run_on_processor(circuit, Chip(device, ("Q1",), "k"), (X[:2], y[:2]), (X[2:], y[2:]), GateErrors(), 100)


def test_turns_and_pulses_stand_in_slots_of_their_own(device: SimulatedProcessor) -> None:
    chip = Chip(device, ("Q1", "Q2"), "k")
    gates = [Native("turn", (0,), 0.3), Native("x90", (0,)), Native("x90", (1,)), Native("turn", (1,), 0.2)]
    slots = slots_of(gates, chip, Bench(device, "k"))
    kinds = [[None if each is None else isinstance(each, Turn) for each in slot] for slot in slots]
    assert kinds == [[True, None], [False, False], [None, True]]
