"""Detailed balance, optical Bloch equations, and what has no unique steady state."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from tools.open_systems.lindblad_steady_state import LindbladSteadyStateInput, lindblad_steady_state

X = [[[0, 0], [1, 0]], [[1, 0], [0, 0]]]
Y = [[[0, 0], [0, -1]], [[0, 1], [0, 0]]]
Z = [[[1, 0], [0, 0]], [[0, 0], [-1, 0]]]
ZERO = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]
LOWER = [[[0, 0], [0, 0]], [[1, 0], [0, 0]]]
RAISE = [[[0, 0], [1, 0]], [[0, 0], [0, 0]]]
OBSERVABLES = [{"label": name, "matrix": matrix} for name, matrix in (("X", X), ("Y", Y), ("Z", Z))]


def _times(matrix, factor):
    return [[[re * factor, im * factor] for re, im in row] for row in matrix]


def _made(hamiltonian, collapse, observables=OBSERVABLES):
    given = {"hamiltonian": hamiltonian, "collapse": collapse, "observables": observables}
    return lindblad_steady_state(LindbladSteadyStateInput(**given))


def test_invariant_detailed_balance_and_how_fast():
    n, rate = 0.25, 0.6
    jumps = [_times(LOWER, math.sqrt(rate * (n + 1))), _times(RAISE, math.sqrt(rate * n))]
    made = _made(_times(Z, 0.5), jumps)
    assert made.expectations["Z"] == pytest.approx(-1 / (2 * n + 1))
    assert made.expectations["X"] == pytest.approx(0, abs=1e-12)
    assert made.slowest_rate == pytest.approx(rate * (2 * n + 1) / 2)
    assert made.residual < 1e-12


def test_invariant_optical_bloch_equations():
    """Resonant drive: <Z> = -1 / (1 + 2 (Omega/gamma)^2), Im rho from <Y> = 2 Omega gamma / (gamma^2 + 2 Omega^2)."""
    gamma, rabi = 0.5, 0.8
    made = _made(_times(X, rabi / 2), [_times(LOWER, math.sqrt(gamma))])
    assert made.expectations["Z"] == pytest.approx(-1 / (1 + 2 * (rabi / gamma) ** 2))
    assert made.expectations["Y"] == pytest.approx(2 * rabi * gamma / (gamma**2 + 2 * rabi**2))
    state = np.array(made.state) @ [1, 1j]
    assert np.trace(state) == pytest.approx(1)
    assert np.allclose(state, state.conj().T)
    assert state[1, 0] == pytest.approx((made.expectations["X"] + 1j * made.expectations["Y"]) / 2)


def test_three_levels_end_in_the_lowest():
    down = np.zeros((2, 3, 3, 2))
    down[0, 1, 0, 0] = 1.0  # |1><0|
    down[1, 2, 1, 0] = 0.5  # |2><1|
    observables = [
        {"label": f"p{k}", "matrix": np.stack([np.diag(np.eye(3)[k]), np.zeros((3, 3))], -1).tolist()} for k in range(3)
    ]
    made = _made(np.zeros((3, 3, 2)).tolist(), down.tolist(), observables)
    assert [made.expectations[f"p{k}"] for k in range(3)] == pytest.approx([0, 0, 1], abs=1e-12)
    assert made.slowest_rate == pytest.approx(0.125)


def test_the_unit_of_time_does_not_matter():
    """A generator in slower units has the same limit, and is not taken for one without a limit."""
    for unit in (1e-9, 1e6):
        made = _made(_times(X, 0.4 * unit), [_times(LOWER, math.sqrt(0.5 * unit))])
        assert made.expectations["Z"] == pytest.approx(-1 / (1 + 2 * (0.8 / 0.5) ** 2))
        assert made.slowest_rate == pytest.approx(0.25 * unit)
        assert made.residual < 1e-12 * unit


def test_error_small_departures_from_hermiticity_are_measured_against_the_largest_entry():
    almost = [[[1e6, 0], [1.0, 0]], [[1.0 + 1e-4, 0], [-1e6, 0]]]
    assert _made(almost, [LOWER], []).expectations == {}
    for wrong in ([[[0.1, 0], [1.5e-9, 0]], [[0, 0], [0, 0]]], [[[0, 0.5], [0, 0]], [[0, 0], [0, 0]]]):
        with pytest.raises(ValidationError, match="hamiltonian is not Hermitian"):
            _made(wrong, [LOWER], [])


def test_forty_levels_are_allowed_and_weak_decay_is_still_decay():
    weak = _made(_times(Z, 50.0), [_times(LOWER, 1e-3)], OBSERVABLES)
    assert weak.expectations["Z"] == pytest.approx(-1)
    assert weak.slowest_rate == pytest.approx(0.5e-6)
    ladder = np.zeros((40, 40, 2))
    given = LindbladSteadyStateInput(hamiltonian=ladder.tolist(), collapse=[ladder.tolist()], observables=[])
    assert len(given.hamiltonian) == 40


def test_error_dephasing_alone_has_no_unique_steady_state():
    with pytest.raises(ValueError, match="not unique"):
        _made(_times(Z, 0.5), [Z])
    assert _made(_times(X, 0.5), [Z]).expectations["Z"] == pytest.approx(0, abs=1e-12)


def test_error_shapes_and_hermiticity():
    with pytest.raises(ValidationError, match="hamiltonian is not Hermitian"):
        _made(LOWER, [LOWER])
    with pytest.raises(ValidationError, match="observable A is not Hermitian"):
        _made(Z, [LOWER], [{"label": "A", "matrix": LOWER}])
    for wrong in ([[[0, 0]]], [[[0, 0], [0, 0]]], [[[0], [0]], [[0], [0]]]):
        with pytest.raises(ValidationError, match="2 x 2 entries"):
            _made(Z, [wrong])


def test_error_labels_jumps_and_size():
    with pytest.raises(ValidationError, match="one label"):
        _made(Z, [LOWER], [OBSERVABLES[0], OBSERVABLES[0]])
    with pytest.raises(ValidationError, match="collapse"):
        _made(Z, [])
    large = np.zeros((41, 41, 2)).tolist()
    with pytest.raises(ValidationError, match="At most 40"):
        _made(large, [large], [])
