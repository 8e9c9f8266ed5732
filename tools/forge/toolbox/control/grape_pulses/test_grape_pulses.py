"""Transfers and gates whose best fidelity is known, gradients against differences, penalties, bounds."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.linalg import expm

from tools.grape_pulses import GrapePulsesInput, grape_pulses

X = [[[0, 0], [1, 0]], [[1, 0], [0, 0]]]
Y = [[[0, 0], [0, -1]], [[0, 1], [0, 0]]]
Z = [[[1, 0], [0, 0]], [[0, 0], [-1, 0]]]
ZERO = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]
UP, DOWN = [[1, 0], [0, 0]], [[[0, 0]], [[1, 0]]]


def _pairs(matrix):
    return [[[float(np.real(v)), float(np.imag(v))] for v in row] for row in np.atleast_2d(matrix)]


LADDER = {
    "drift": _pairs(np.zeros((3, 3))),
    "controls": [_pairs([[0, 1, 0], [1, 0, 0], [0, 0, 0]]), _pairs([[0, 0, 0], [0, 0, 1], [0, 1, 0]])],
    "goal": "state",
    "initial": [[1, 0], [0, 0], [0, 0]],
    "target": [[[0, 0]], [[0, 0]], [[1, 0]]],
    "duration": 12.0,
    "slots": 40,
}


def _given(**more):
    fields = {"drift": ZERO, "controls": [X], "goal": "state", "initial": UP, "target": DOWN, "duration": 2.0,
              "slots": 8, "start_scale": 0.3, "seed": 1, "lower": None, "upper": None, "infidelity_target": 1e-8,
              "max_iterations": 100}  # fmt: skip
    return GrapePulsesInput(**(fields | more))


def _propagated(made, given):
    """The end of the evolution by matrix exponentials, and each level's mean occupation."""
    to = lambda rows: np.array(rows) @ [1, 1j]  # noqa: E731
    state = np.eye(len(given.drift)) if given.goal == "gate" else (np.array(given.initial) @ [1, 1j])[:, None]
    step, seen = given.duration / given.slots, []
    for row in made.amplitudes:
        h = to(given.drift) + sum(u * to(c) for u, c in zip(row, given.controls))
        state = expm(-1j * step * h) @ state
        seen.append((np.abs(state) ** 2).mean(axis=1))
    return state, np.mean(seen, axis=0)


def test_invariant_flip_has_area_pi_half():
    made = grape_pulses(_given())
    assert made.fidelity > 1 - 1e-7
    area = sum(row[0] for row in made.amplitudes) * 2.0 / 8
    assert abs(math.sin(area)) == pytest.approx(1, abs=1e-6)
    assert made.slot_starts == pytest.approx([0.25 * k for k in range(8)])
    assert made.start_fidelity < 0.999


def test_invariant_fidelity_is_that_of_matrix_exponentials():
    given = _given(drift=Z, controls=[X, Y], goal="gate", initial=[], target=X, slots=12, max_iterations=6)
    made = grape_pulses(given)
    end, occupied = _propagated(made, given)
    overlap = np.trace(np.array([[0, 1], [1, 0]]) @ end) / 2
    assert made.fidelity == pytest.approx(abs(overlap) ** 2, abs=1e-10)
    assert made.mean_occupations == pytest.approx(occupied, abs=1e-10)


def test_invariant_gate_with_drift_is_reached():
    given = _given(drift=Z, controls=[X, Y], goal="gate", initial=[], target=_pairs(np.array([[1, 1], [1, -1]]) / 2**0.5),
                   slots=16, duration=3.0, start_scale=1.0)  # fmt: skip
    made = grape_pulses(given)
    assert made.fidelity > 1 - 1e-7
    assert made.iterations >= 1
    end, _ = _propagated(made, given)
    assert abs(np.trace(np.array([[1, 1], [1, -1]]) / 2**0.5 @ end) / 2) ** 2 == pytest.approx(made.fidelity, abs=1e-9)


def test_a_penalty_keeps_the_middle_level_emptier():
    plain = grape_pulses(_given(**LADDER, seed=0))
    shy = grape_pulses(_given(**LADDER, seed=0, penalties=[{"level": 1, "weight": 0.5}]))
    assert plain.fidelity > 0.999
    assert shy.fidelity > 0.99
    assert shy.mean_occupations[1] < 0.5 * plain.mean_occupations[1]
    assert _propagated(shy, _given(**LADDER))[1] == pytest.approx(shy.mean_occupations, abs=1e-10)


def test_the_optimum_of_the_penalised_goal_is_stationary():
    """Moving any amplitude of the end neither way improves infidelity + weight x occupation by first order."""
    given = _given(**LADDER | {"slots": 4, "duration": 3.0}, seed=2, penalties=[{"level": 1, "weight": 0.4}],
                   infidelity_target=1e-14, max_iterations=400)  # fmt: skip
    made = grape_pulses(given)

    best = _objective(given, made.amplitudes)
    for slot in range(4):
        for control in range(2):
            moved = np.array(made.amplitudes)
            moved[slot, control] += 1e-3
            other = np.array(made.amplitudes)
            other[slot, control] -= 1e-3
            assert abs(_objective(given, moved) - _objective(given, other)) / 2e-3 < 2e-4
            assert _objective(given, moved) > best - 1e-9


def _objective(given, amplitudes):
    """Infidelity with penalties of amplitudes, by matrix exponentials."""
    end, seen = _propagated(type("Made", (), {"amplitudes": amplitudes}), given)
    target = np.array(given.target) @ [1, 1j]
    overlap = abs(np.trace(target.conj().T @ end)) / target.shape[1]
    return 1 - overlap + sum(one.weight * seen[one.level] for one in given.penalties)


@pytest.mark.parametrize("goal", ["state", "gate"])
def test_invariant_the_first_step_goes_down_the_gradient(goal):
    """The first step of the optimiser is along minus the gradient, which differences of the objective give as well."""
    drift = np.array([[0.3, 0.2, 0], [0.2, -0.1, 0.1j], [0, -0.1j, 0.5]])
    cycle = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    more = {"goal": "gate", "initial": [], "target": _pairs(cycle)} if goal == "gate" else {}
    start = [[0.4, -0.3], [0.9, 0.2], [-0.5, 0.7], [0.1, 0.6]]
    shy = (
        [{"level": 1, "weight": 0.8}, {"level": 2, "weight": 0.3}, {"level": 1, "weight": 0.4}]
        if goal == "state"
        else []
    )
    given = _given(**LADDER | {"slots": 4, "duration": 3.0, "drift": _pairs(drift)} | more, start=start, max_iterations=1,
                   penalties=shy)  # fmt: skip
    step = np.array(grape_pulses(given).amplitudes) - start
    gradient = np.zeros_like(step)
    for place in np.ndindex(*step.shape):
        away = np.zeros_like(step)
        away[place] = 1e-5
        gradient[place] = (_objective(given, start + away) - _objective(given, start - away)) / 2e-5
    cosine = -(step * gradient).sum() / np.linalg.norm(step) / np.linalg.norm(gradient)
    assert cosine == pytest.approx(1, abs=1e-6)


def test_invariant_a_gate_on_two_of_three_levels_leaves_the_third_alone():
    """A NOT of the outer levels of a ladder, which only the middle one couples; the middle one is kept emptier."""
    target = _pairs([[0, 1], [0, 0], [1, 0]])
    more = LADDER | {"goal": "gate", "initial": [], "target": target, "subspace": [0, 2]}
    made = grape_pulses(_given(**more, seed=3))
    end, _ = _propagated(made, _given(**more))
    overlap = (end[2, 0] + end[0, 2]) / 2
    assert made.fidelity == pytest.approx(abs(overlap) ** 2, abs=1e-9)
    assert made.fidelity > 0.999
    shy = grape_pulses(_given(**more, seed=3, penalties=[{"level": 1, "weight": 0.3}]))
    assert shy.mean_occupations[1] < made.mean_occupations[1]
    for wrong in ([0, 0], [0, 3], [0, 1, 2]):
        with pytest.raises(ValidationError, match="subspace|3 x 3"):
            _given(**more | {"subspace": wrong})


def test_bounds_hold_and_can_be_too_tight():
    made = grape_pulses(_given(lower=-0.5, upper=0.5, start_scale=3.0))
    assert max(abs(row[0]) for row in made.amplitudes) <= 0.5
    assert made.fidelity == pytest.approx(math.sin(0.5 * 2.0) ** 2, abs=1e-6)
    one_sided = grape_pulses(_given(lower=0.2, upper=None))
    assert min(row[0] for row in one_sided.amplitudes) >= 0.2
    assert one_sided.fidelity > 1 - 1e-6


def test_a_given_start_is_taken():
    start = [[math.pi / 4]] * 8
    made = grape_pulses(_given(start=start))
    assert made.start_fidelity == pytest.approx(1)
    assert np.allclose(made.amplitudes, start)
    half = grape_pulses(_given(start=[[math.pi / 8]] * 8, max_iterations=1))
    assert half.start_fidelity == pytest.approx(0.5)


def test_it_stops_where_the_goal_is_met():
    half = grape_pulses(_given(start=[[math.pi / 8]] * 8, infidelity_target=0.3))
    assert half.stopped_because == "Goal achieved"
    assert half.iterations <= 1
    kept = grape_pulses(_given(**LADDER, start=[[0.1, 0.1]] * 40, infidelity_target=1e-9, max_iterations=2))
    assert kept.iterations == 2
    assert "limit" in kept.stopped_because


def test_drawn_pulses_have_their_scale():
    """Before any step towards a goal that is met, the amplitudes are the drawn ones: smooth, zero at both ends."""
    drawn = [
        grape_pulses(_given(infidelity_target=2.0, slots=200, seed=s, start_scale=0.3)).amplitudes for s in range(12)
    ]
    values = np.array(drawn)[:, :, 0]
    assert 0.2 < values.std() < 0.4
    assert np.abs(np.diff(values, axis=1)).max() < 0.1
    assert np.abs(values[:, 0]).max() < 0.05


def test_seeds_differ_and_repeat():
    first, again, other = (grape_pulses(_given(**LADDER, seed=seed, max_iterations=2)) for seed in (3, 3, 4))
    assert first == again
    assert not np.allclose(first.amplitudes, other.amplitudes)


def test_error_shapes_and_bounds():
    for wrong, words in (
        ({"drift": [[[0, 0], [1, 0]], [[0, 0], [0, 0]]]}, "drift must be a Hermitian"),
        ({"controls": [_pairs(np.eye(3))]}, "control must be a Hermitian"),
        ({"target": [[[0, 0]], [[2, 0]]]}, "orthonormal"),
        ({"goal": "gate"}, "target must be 2 x 2"),
        ({"initial": [[1, 0]]}, "needs 2 amplitudes"),
        ({"initial": [[1, 0], [1, 0]]}, "norm 1"),
        ({"start": [[0.0]]}, "8 rows of 1"),
        ({"penalties": [{"level": 2, "weight": 1.0}]}, "below 2"),
        ({"lower": 1.0, "upper": 1.0}, "`lower` must be below"),
        ({"goal": "gate", "target": X, "penalties": [{"level": 1, "weight": 1.0}]}, "for state transfers"),
        ({"drift": [[[0], [0]], [[0], [0]]]}, r"\[re, im\] entries"),
    ):
        with pytest.raises(ValidationError, match=words):
            _given(**wrong)
