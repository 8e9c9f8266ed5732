"""Rabi, precession, resonance: what is known exactly."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from tools.dynamics.unitary_evolution import UnitaryEvolutionInput, unitary_evolution

X = [[[0, 0], [1, 0]], [[1, 0], [0, 0]]]
Y = [[[0, 0], [0, -1]], [[0, 1], [0, 0]]]
Z = [[[1, 0], [0, 0]], [[0, 0], [-1, 0]]]
ZERO = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]
TIMES = [0.05 * k for k in range(81)]
OBSERVABLES = [{"label": name, "matrix": matrix} for name, matrix in (("X", X), ("Y", Y), ("Z", Z))]


def _times(matrix, factor):
    return [[[re * factor, im * factor] for re, im in row] for row in matrix]


UP, PLUS = [[1.0, 0.0], [0.0, 0.0]], [[math.sqrt(0.5), 0.0], [math.sqrt(0.5), 0.0]]


def _given(hamiltonian, start=UP, **more):
    fields = {"hamiltonian": hamiltonian, "initial_state": start, "times": TIMES, "observables": OBSERVABLES}
    return UnitaryEvolutionInput(**(fields | more))


def test_invariant_rabi_oscillation():
    made = unitary_evolution(_given(_times(X, 0.5)))
    assert made.expectations["Z"] == pytest.approx([math.cos(t) for t in TIMES], abs=1e-6)
    assert made.expectations["Y"] == pytest.approx([-math.sin(t) for t in TIMES], abs=1e-6)
    assert made.expectations["X"] == pytest.approx([0.0] * len(TIMES), abs=1e-6)
    assert made.times == TIMES


def test_invariant_precession_about_z():
    made = unitary_evolution(_given(_times(Z, 1.5), PLUS))
    assert made.expectations["X"] == pytest.approx([math.cos(3 * t) for t in TIMES], abs=1e-6)
    assert made.expectations["Y"] == pytest.approx([math.sin(3 * t) for t in TIMES], abs=1e-6)


def test_invariant_norm_energy_and_length_are_conserved():
    energy = [{"label": "H", "matrix": _times(X, 0.7)}, *OBSERVABLES]
    made = unitary_evolution(_given(_times(X, 0.7), [[0.6, 0.0], [0.0, 0.8]], observables=energy))
    assert made.norm_error < 1e-7
    assert np.ptp(made.expectations["H"]) < 1e-7
    lengths = sum(np.array(made.expectations[name]) ** 2 for name in "XYZ")
    assert lengths == pytest.approx(np.ones(len(TIMES)), abs=1e-6)


def test_invariant_resonant_drive_with_its_phase():
    """On resonance and far below it, the rotating-wave approximation is exact but for terms of Omega / omega."""
    omega, rabi = 200.0, 1.0
    for phase in (0.0, math.pi / 2):
        drive = {"matrix": _times(X, rabi), "frequency": omega, "phase": phase}
        made = unitary_evolution(_given(_times(Z, omega / 2), drives=[drive]))
        assert made.expectations["Z"] == pytest.approx([math.cos(rabi * t) for t in TIMES], abs=0.01)
    # the phase decides about which axis of the rotating frame the state turns
    final = np.array(made.final_state) @ [1, 1j]
    turned = final[0, 1] * np.exp(1j * omega * TIMES[-1])
    assert turned == pytest.approx(0.5 * math.sin(TIMES[-1]), abs=0.01)


def test_slow_drive_begins_at_its_phase():
    """H = cos(w t + phi) X integrates to an angle of 2 (sin(w t + phi) - sin(phi)) / w."""
    for frequency, phase in ((0.8, 0.0), (0.8, 1.0), (-0.8, 0.3)):
        made = unitary_evolution(_given(ZERO, drives=[{"matrix": X, "frequency": frequency, "phase": phase}]))
        angles = [2 * (math.sin(frequency * t + phase) - math.sin(phase)) / frequency for t in TIMES]
        assert made.expectations["Z"] == pytest.approx([math.cos(angle) for angle in angles], abs=1e-6)


def test_states_are_kept_if_asked_for():
    made = unitary_evolution(_given(_times(X, 0.5), keep_states=True))
    assert len(made.states) == len(TIMES)
    assert np.allclose(made.states[-1], made.final_state)
    assert np.allclose(made.states[0], [[[1, 0], [0, 0]], [[0, 0], [0, 0]]])
    middle = np.array(made.states[10]) @ [1, 1j]
    assert middle[0, 0].real == pytest.approx(math.cos(TIMES[10] / 2) ** 2, abs=1e-6)
    assert middle[1, 0] == pytest.approx(-0.5j * math.sin(TIMES[10]), abs=1e-6)
    assert unitary_evolution(_given(_times(X, 0.5))).states == []


def test_three_levels():
    hop = np.zeros((3, 3, 2))
    hop[0, 1, 0] = hop[1, 0, 0] = hop[1, 2, 0] = hop[2, 1, 0] = 1.0
    top = np.zeros((3, 3, 2))
    top[2, 2, 0] = 1.0
    given = _given(hop.tolist(), [[1, 0], [0, 0], [0, 0]], observables=[{"label": "p2", "matrix": top.tolist()}])
    expected = [((1 - math.cos(math.sqrt(2) * t)) / 2) ** 2 for t in TIMES]
    assert unitary_evolution(given).expectations["p2"] == pytest.approx(expected, abs=1e-6)


def test_error_hamiltonian_must_be_hermitian():
    wrong = [[[0, 0], [1, 0]], [[0, 0], [0, 0]]]
    with pytest.raises(ValidationError, match="hamiltonian is not Hermitian"):
        _given(wrong)
    with pytest.raises(ValidationError, match="drive is not Hermitian"):
        _given(X, drives=[{"matrix": wrong, "frequency": 1.0}])
    with pytest.raises(ValidationError, match="observable A is not Hermitian"):
        _given(X, observables=[{"label": "A", "matrix": wrong}])


def test_error_departures_from_hermiticity_are_measured_against_the_largest_entry():
    almost = [[[1e6, 0], [1.0, 0]], [[1.0 + 1e-4, 0], [0, 0]]]
    assert _given(almost).hamiltonian == almost
    for wrong in ([[[0.1, 0], [1.5e-9, 0]], [[0, 0], [0, 0]]], [[[0, 0.5], [0, 0]], [[0, 0], [0, 0]]]):
        with pytest.raises(ValidationError, match="hamiltonian is not Hermitian"):
            _given(wrong)


def test_error_shapes():
    for wrong in ([[[0, 0]]], [[[0, 0], [0, 0]]], [[[0], [0]], [[0], [0]]]):
        with pytest.raises(ValidationError, match="2 x 2 entries"):
            _given(X, drives=[{"matrix": wrong, "frequency": 1.0}])
    for start in ([[1, 0]], [[1, 0, 0], [0, 0, 0]]):
        with pytest.raises(ValidationError, match="2 amplitudes"):
            _given(X, start)


def test_error_norm_times_labels():
    with pytest.raises(ValidationError, match="not normalised"):
        _given(X, [[1, 0], [1, 0]])
    for times in ([0.0, 1.0, 1.0], [1.0, 0.0]):
        with pytest.raises(ValidationError, match="Times must rise"):
            _given(X, times=times)
    with pytest.raises(ValidationError, match="one label"):
        _given(X, observables=[OBSERVABLES[0], OBSERVABLES[0]])
