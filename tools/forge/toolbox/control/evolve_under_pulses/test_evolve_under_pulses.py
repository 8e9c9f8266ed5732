"""Pulses whose effect is known: pi pulses, two steps in a row, gates and their average fidelity."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.linalg import expm

from tools.evolve_under_pulses import EvolveUnderPulsesInput, evolve_under_pulses

X = [[[0, 0], [1, 0]], [[1, 0], [0, 0]]]
Y = [[[0, 0], [0, -1]], [[0, 1], [0, 0]]]
Z = [[[1, 0], [0, 0]], [[0, 0], [-1, 0]]]
ZERO = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]
UP, DOWN = [[1, 0], [0, 0]], [[[0, 0]], [[1, 0]]]


def _given(amplitudes, **more):
    fields = {"drift": ZERO, "controls": [X], "amplitudes": amplitudes, "duration": 2.0, "goal": "state",
              "initial": UP, "target": DOWN}  # fmt: skip
    return EvolveUnderPulsesInput(**(fields | more))


def test_invariant_populations_follow_the_pulse_area():
    slots = [[0.3], [0.9], [-0.2], [0.5]]
    made = evolve_under_pulses(_given(slots))
    areas = np.concatenate([[0], np.cumsum([0.5 * row[0] for row in slots])])
    assert made.times == pytest.approx([0, 0.5, 1.0, 1.5, 2.0])
    assert np.allclose(made.populations, np.array([np.cos(areas) ** 2, np.sin(areas) ** 2]).T, atol=1e-6)
    assert made.fidelity == pytest.approx(math.sin(areas[-1]) ** 2, abs=1e-6)
    assert made.norm_error < 1e-6
    assert made.average_gate_fidelity is None
    assert np.allclose(made.final_state, [[math.cos(areas[-1]), 0], [0, -math.sin(areas[-1])]], atol=1e-6)


def test_invariant_order_of_slots_and_drift():
    """exp(-i B) exp(-i A) and not the other way round."""
    made = evolve_under_pulses(_given([[0.7, 0.0], [0.0, 0.4]], drift=Z, controls=[X, Y]))
    x, y, z = (np.array(one) @ [1, 1j] for one in (X, Y, Z))
    end = expm(-1j * (z + 0.4 * y)) @ expm(-1j * (z + 0.7 * x)) @ [1, 0]
    assert np.allclose(np.array(made.final_state) @ [1, 1j], end, atol=1e-6)
    assert made.populations[0] == pytest.approx([1, 0])


def test_invariant_gate_fidelities():
    made = evolve_under_pulses(_given([[math.pi / 4]], goal="gate", target=X))
    assert made.fidelity == pytest.approx(1, abs=1e-6)
    assert made.average_gate_fidelity == pytest.approx(1, abs=1e-6)
    angle = 0.3
    less = evolve_under_pulses(_given([[math.pi / 4 - angle / 2]], goal="gate", target=X))
    assert less.fidelity == pytest.approx(math.cos(angle) ** 2, abs=1e-6)
    assert less.average_gate_fidelity == pytest.approx((2 * math.cos(angle) ** 2 + 1) / 3, abs=1e-6)
    assert less.populations[-1][1] == pytest.approx(math.cos(angle) ** 2, abs=1e-6)


def test_invariant_a_gate_on_some_levels_counts_what_leaks():
    """Levels 0 and 1 are left alone; level 1 leaks to 2 with sin(a)^2, so M = diag(1, cos a)."""
    leak = [[[0, 0]] * 3, [[0, 0], [0, 0], [1, 0]], [[0, 0], [1, 0], [0, 0]]]
    target, a = [[[1, 0], [0, 0]], [[0, 0], [1, 0]], [[0, 0], [0, 0]]], 0.4
    more = {"drift": [[[0, 0]] * 3] * 3, "controls": [leak], "initial": [[1, 0], [0, 0], [0, 0]], "goal": "gate"}
    made = evolve_under_pulses(_given([[a / 2]], **more, target=target, subspace=[0, 1]))
    overlap = (1 + math.cos(a)) / 2
    assert made.fidelity == pytest.approx(overlap**2, abs=1e-6)
    average = (1 + math.cos(a) ** 2 + (2 * overlap) ** 2) / 6
    assert made.average_gate_fidelity == pytest.approx(average, abs=1e-6)
    with pytest.raises(ValidationError, match="different levels below 3"):
        _given([[a / 2]], **more, target=target, subspace=[0, 3])


def test_global_phase_does_not_count():
    target = [[[0, 0]], [[0, 1]]]
    assert evolve_under_pulses(_given([[math.pi / 4]], target=target)).fidelity == pytest.approx(1, abs=1e-6)


def test_error_shapes():
    for wrong, words in (
        ({"drift": DOWN}, "drift must be a Hermitian"),
        ({"controls": [ZERO, [[[0, 0], [1, 0]], [[0, 0], [0, 0]]]]}, "control must be a Hermitian"),
        ({"target": X}, "target must be 2 x 1"),
        ({"goal": "gate"}, "target must be 2 x 2"),
        ({"initial": [[1, 0], [1, 0]]}, "norm 1"),
        ({"initial": [[1, 0]]}, "needs 2 amplitudes"),
        ({"amplitudes": [[1.0, 2.0]]}, "needs 1 amplitudes"),
        ({"drift": [[[0], [0]], [[0], [0]]]}, r"\[re, im\] entries"),
    ):
        with pytest.raises(ValidationError, match=words):
            _given(**({"amplitudes": [[1.0]]} | wrong))
