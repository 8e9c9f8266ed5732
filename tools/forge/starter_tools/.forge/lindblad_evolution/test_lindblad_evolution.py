"""Decay, dephasing and detailed balance: what is known exactly."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from tools.dynamics.lindblad_evolution import LindbladEvolutionInput, lindblad_evolution

X = [[[0, 0], [1, 0]], [[1, 0], [0, 0]]]
Y = [[[0, 0], [0, -1]], [[0, 1], [0, 0]]]
Z = [[[1, 0], [0, 0]], [[0, 0], [-1, 0]]]
ZERO = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]
TIMES = [0.05 * k for k in range(81)]
OBSERVABLES = [{"label": name, "matrix": matrix} for name, matrix in (("X", X), ("Y", Y), ("Z", Z))]


def _times(matrix, factor):
    return [[[re * factor, im * factor] for re, im in row] for row in matrix]


LOWER = [[[0, 0], [0, 0]], [[1, 0], [0, 0]]]  # |1><0|, QuTiP's sigmam: from Z = +1 to Z = -1
RAISE = [[[0, 0], [1, 0]], [[0, 0], [0, 0]]]
UP = [[[1, 0], [0, 0]], [[0, 0], [0, 0]]]
PLUS = [[[0.5, 0], [0.5, 0]], [[0.5, 0], [0.5, 0]]]


def _given(hamiltonian=ZERO, collapse=(), start=UP, **more):
    fields = {"hamiltonian": hamiltonian, "collapse": list(collapse), "initial_state": start, "times": TIMES}
    return LindbladEvolutionInput(**(fields | {"observables": OBSERVABLES} | more))


def test_invariant_decay_from_z_plus_to_z_minus():
    made = lindblad_evolution(_given(collapse=[_times(LOWER, math.sqrt(0.4))]))
    assert made.expectations["Z"] == pytest.approx([2 * math.exp(-0.4 * t) - 1 for t in TIMES], abs=1e-6)
    assert made.times == TIMES


def test_invariant_relaxation_and_dephasing_give_t2():
    """1/T2 = rate/2 + 2 gamma for the collapse operators sqrt(rate) |1><0| and sqrt(gamma) Z."""
    jumps = [_times(LOWER, math.sqrt(0.4)), _times(Z, math.sqrt(0.3))]
    made = lindblad_evolution(_given(_times(Z, 1.0), jumps, PLUS))
    assert made.expectations["X"] == pytest.approx([math.exp(-0.8 * t) * math.cos(2 * t) for t in TIMES], abs=1e-6)
    assert made.expectations["Y"] == pytest.approx([math.exp(-0.8 * t) * math.sin(2 * t) for t in TIMES], abs=1e-6)


def test_invariant_detailed_balance():
    n, rate = 0.5, 2.0
    jumps = [_times(LOWER, math.sqrt(rate * (n + 1))), _times(RAISE, math.sqrt(rate * n))]
    made = lindblad_evolution(_given(collapse=jumps, times=[0.0, 5.0, 10.0]))
    assert made.expectations["Z"][-1] == pytest.approx(-1 / (2 * n + 1), abs=1e-6)
    assert made.expectations["Z"][1] == pytest.approx(-0.5 + 1.5 * math.exp(-rate * (2 * n + 1) * 5), abs=1e-6)


def test_invariant_trace_and_positivity():
    made = lindblad_evolution(_given(X, [_times(LOWER, 0.7)], PLUS, keep_states=True))
    assert made.trace_error < 1e-8
    assert made.lowest_eigenvalue > -1e-7
    states = np.array(made.states) @ [1, 1j]
    assert np.allclose(np.einsum("tii->t", states), 1)
    assert np.linalg.eigvalsh(states).min() == pytest.approx(made.lowest_eigenvalue)
    assert made.trace_error == np.abs(np.einsum("tii->t", states) - 1).max()
    assert np.allclose(made.states[-1], made.final_state)


def test_invariant_without_jumps_it_is_unitary():
    made = lindblad_evolution(_given(_times(X, 0.5)))
    assert made.expectations["Z"] == pytest.approx([math.cos(t) for t in TIMES], abs=1e-6)
    assert made.expectations["Y"] == pytest.approx([-math.sin(t) for t in TIMES], abs=1e-6)
    assert made.states == []


def test_slow_drive_begins_at_its_phase():
    """H = cos(w t + phi) X integrates to an angle of 2 (sin(w t + phi) - sin(phi)) / w."""
    for frequency, phase in ((0.8, 0.0), (0.8, 1.0), (-0.8, 0.3)):
        made = lindblad_evolution(_given(drives=[{"matrix": X, "frequency": frequency, "phase": phase}]))
        angles = [2 * (math.sin(frequency * t + phase) - math.sin(phase)) / frequency for t in TIMES]
        assert made.expectations["Z"] == pytest.approx([math.cos(angle) for angle in angles], abs=1e-6)


def test_fast_drive_is_not_jumped_over():
    """A transition that is out of resonance at first sight, driven at its own frequency, turns all the same."""
    drive = {"matrix": X, "frequency": 200.0}
    made = lindblad_evolution(_given(_times(Z, 100.0), drives=[drive]))
    assert made.expectations["Z"] == pytest.approx([math.cos(t) for t in TIMES], abs=0.01)


def test_a_complex_observable_and_its_sign():
    made = lindblad_evolution(_given(_times(Z, 0.5), start=[[[0.5, 0], [0, -0.5]], [[0, 0.5], [0.5, 0]]]))
    assert made.expectations["Y"][0] == pytest.approx(1.0)
    assert made.expectations["X"] == pytest.approx([-math.sin(t) for t in TIMES], abs=1e-6)


def test_error_hamiltonian_must_be_hermitian():
    with pytest.raises(ValidationError, match="hamiltonian is not Hermitian"):
        _given(LOWER)
    with pytest.raises(ValidationError, match="drive is not Hermitian"):
        _given(drives=[{"matrix": LOWER, "frequency": 1.0}])
    with pytest.raises(ValidationError, match="observable A is not Hermitian"):
        _given(observables=[{"label": "A", "matrix": LOWER}])


def test_error_small_departures_from_hermiticity_are_measured_against_the_largest_entry():
    almost = [[[1e6, 0], [1.0, 0]], [[1.0 + 1e-4, 0], [-1e6, 0]]]
    assert _given(almost).hamiltonian == almost
    for wrong in ([[[0.1, 0], [1.5e-9, 0]], [[0, 0], [0, 0]]], [[[0, 0.5], [0, 0]], [[0, 0], [0, 0]]]):
        with pytest.raises(ValidationError, match="hamiltonian is not Hermitian"):
            _given(wrong)


def test_error_shapes():
    for wrong in ([[[0, 0]]], [[[0, 0], [0, 0]]], [[[0], [0]], [[0], [0]]]):
        with pytest.raises(ValidationError, match="2 x 2 entries"):
            _given(collapse=[wrong])


def test_error_initial_state_must_be_a_density_matrix():
    negative = [[[1.5, 0], [0, 0]], [[0, 0], [-0.5, 0]]]
    for wrong in (Z, negative, _times(UP, 2.0)):
        with pytest.raises(ValidationError, match="density matrix"):
            _given(start=wrong)
    with pytest.raises(ValidationError, match="initial state is not Hermitian"):
        _given(start=[[[1, 0], [0.5, 0]], [[0, 0], [0, 0]]])


def test_error_times_and_labels():
    for times in ([0.0, 1.0, 1.0], [1.0, 0.0]):
        with pytest.raises(ValidationError, match="Times must rise"):
            _given(times=times)
    with pytest.raises(ValidationError, match="one label"):
        _given(observables=[OBSERVABLES[0], OBSERVABLES[0]])
