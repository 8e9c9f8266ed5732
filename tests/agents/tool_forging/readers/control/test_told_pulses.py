"""Roles and names of operators, states told apart, levels to keep empty, units, numbered items and forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe, read_task
from labwright.tools.forge.families.control.spec import ControlSpec, Pairs

X, Y, Z = np.array([[0, 1], [1, 0]]), np.array([[0, -1j], [1j, 0]]), np.diag([1, -1])
ONE = np.eye(2)
DRIFT = "The drift is 0.3 (X1 X2 + Y1 Y2), always there."
CONTROLS = "Controls: Z/2 on qubit 1, Z/2 on qubit 2, X/2 on qubit 1, X/2 on qubit 2."
GOAL = "Take |00> to |11>."
BOUND = "Every amplitude lies between -2 and 2."


def _pair(drift: str = DRIFT, controls: str = CONTROLS, goal: str = GOAL, bound: str = BOUND, more: str = "") -> object:
    return read_task(
        TaskText(
            f"Pulse optimisation with GRAPE for two spins.\n{drift}\n{controls}\n{goal} The pulse lasts 8 ns, cut into 40 "
            f"slices. {bound} {more}\nReport the pulses and the fidelity with a plot."
        )
    )


def _ladder(goal: str = "Take |0> to |3>.", more: str = "") -> object:
    return read_task(
        TaskText(
            "GRAPE for a four-level ladder |0>, |1>, |2>, |3>. Drift: 0.4 |2><2| + 1.2 |3><3|. One control: |0><1| + |1><0| "
            "+ 1.4 (|1><2| + |2><1|) + 1.7 (|2><3| + |3><2|), amplitude within -2 and 2. "
            f"{goal} T = 12, 60 pieces. {more} Give the pulse and the final fidelity."
        )
    )


def _spec(reply: object) -> ControlSpec:
    assert isinstance(reply, list), reply
    assert isinstance(reply[0].spec, ControlSpec)
    return reply[0].spec


def _matrix(pairs: Pairs) -> np.ndarray:
    return np.array(pairs) @ [1, 1j]


def _controls(spec: ControlSpec) -> dict[str, np.ndarray]:
    return {one.label: _matrix(one.matrix) for one in spec.controls}


def test_bare_products_stand_on_all_qubits_and_interactions_are_drift() -> None:
    spec = _spec(_pair(drift="They interact through 0.3 sigma_x sigma_x, which never stops."))
    assert np.allclose(_matrix(spec.drift), 0.3 * np.kron(X, X))
    assert list(_controls(spec)) == ["Z1", "Z2", "X1", "X2"]


@pytest.mark.parametrize(
    "drift", ["They are coupled by 0.3 XX (always on).", "The spins are always coupled by 0.3 XX."]
)
def test_what_is_always_there_is_drift(drift: str) -> None:
    assert np.allclose(_matrix(_spec(_pair(drift=drift)).drift), 0.3 * np.kron(X, X))


def test_an_operator_without_a_role_is_asked_about() -> None:
    assert isinstance(_pair(drift="There is 0.3 ZZ."), Question)


def test_names_in_brackets_and_the_same_on_the_other() -> None:
    told = "We can drive sigma_x/2 and sigma_y/2 on the first spin (named A and B) and the same on the other (C, D)."
    found = _controls(_spec(_pair(controls=told)))
    expected = {"A": np.kron(X, ONE), "B": np.kron(Y, ONE), "C": np.kron(ONE, X), "D": np.kron(ONE, Y)}
    assert found.keys() == expected.keys()
    assert all(np.allclose(found[name], matrix / 2) for name, matrix in expected.items())


def test_a_form_whose_keys_are_names_and_words_that_a_formula_writes_out() -> None:
    text = (
        "task: pulses for a gate with GRAPE\nqubits: 2\ndrift: 0.2 Z1 Z2\ncontrol P1: X on qubit 1, halved (X1/2)\n"
        "control P2: X2/2\ntarget: CZ\ntime: 9\nslices: 45\nlimit: every amplitude between -4 and 4\nseed: 5\nnoise: none\n"
        "deliver: the pulses with a plot and the fidelity reached\n"
    )
    spec = _spec(read_task(TaskText(text)))
    found = _controls(spec)
    assert np.allclose(found["P1"], np.kron(X, ONE) / 2)
    assert np.allclose(found["P2"], np.kron(ONE, X) / 2)
    assert (spec.duration, spec.slots, spec.lower, spec.upper, spec.seed) == (9.0, 45, -4.0, 4.0, 5)
    assert np.allclose(_matrix(spec.drift), 0.2 * np.kron(Z, Z))


def test_numbers_of_items_are_no_factors() -> None:
    text = (
        "GRAPE for 2 qubits\n\n(1) Drift: 0.4 XX\n(2) Controls: A = 0.5 ZI, B = 0.5 IZ\n(3) From: |01>\n"
        "(4) To: (|01> + |10>)/sqrt 2\n(5) Total time 6; 30 slices\n(6) Wanted fidelity: 0.997\n(7) Seed 2\n\n"
        "Output\n - control pulses\n - fidelity\n"
    )
    spec = _spec(read_task(TaskText(text)))
    assert np.allclose(_controls(spec)["B"], np.kron(ONE, Z) / 2)
    assert (spec.duration, spec.slots, spec.fidelity_goal, spec.seed) == (6.0, 30, 0.997, 2)
    assert np.allclose(_matrix(spec.target).ravel(), [0, 0.5**0.5, 0.5**0.5, 0])


@pytest.mark.parametrize(
    ("goal", "first", "last"),
    [
        ("Start: |00>. Target: (|01> - i|10>)/sqrt(2).", [1, 0, 0, 0], [0, 0.5**0.5, -1j * 0.5**0.5, 0]),
        ("At the beginning the state is |01>; at the end we want 0.6|01> + 0.8|10>.", [0, 1, 0, 0], [0, 0.6, 0.8, 0]),
        ("We begin in |10> and wish to end with |01>.", [0, 0, 1, 0], [0, 1, 0, 0]),
        ("Start: |00>. Target: 0.6|00> + 0.8i|11>.", [1, 0, 0, 0], [0.6, 0, 0, 0.8j]),
        ("Prepare (|00> + |11>)/sqrt(2) from |01>.", [0, 1, 0, 0], [0.5**0.5, 0, 0, 0.5**0.5]),
        ("From |00> a Bell state shall be made.", [1, 0, 0, 0], [0.5**0.5, 0, 0, 0.5**0.5]),
    ],
)
def test_states(goal: str, first: list[complex], last: list[complex]) -> None:
    spec = _spec(_pair(goal=goal))
    assert np.allclose(np.array(spec.initial) @ [1, 1j], first)
    assert np.allclose(_matrix(spec.target).ravel(), last)


def test_two_bounds_are_asked_about() -> None:
    assert isinstance(_pair(bound="|u| <= 3 on the first and |u| <= 5 on the second."), Question)


def test_two_targets_are_asked_about() -> None:
    assert isinstance(_pair(goal="Initially |00>, finally |01> or |10>."), Question)


def test_a_state_that_is_read_in_part_is_asked_about() -> None:
    assert isinstance(_pair(goal="Start: |00>. Target: 0.6|00> + cos(0.2) |11>."), Question)


def test_levels_by_name_are_states() -> None:
    spec = _spec(_ladder(goal="Bring the population from level 0 to level 3."))
    assert (spec.initial_name, spec.target_name, spec.upper) == ("|0>", "|3>", 2.0)


@pytest.mark.parametrize(
    ("more", "levels"),
    [
        ("Level 2 is to be left empty.", [2]),
        ("|2> must remain unpopulated.", [2]),
        ("Level to keep empty: |1>.", [1]),
        ("Penalise any population of |1>.", [1]),
        ("The population of |3> at the end counts; avoid population in |2>, as that level decays badly.", [2]),
        ("Do not care about level 1.", []),
    ],
)
def test_levels_to_keep_empty(more: str, levels: list[int]) -> None:
    assert [one.level for one in _spec(_ladder(more=more)).penalties] == levels


def test_levels_that_are_not_named_are_asked_about() -> None:
    assert isinstance(_ladder(more="The auxiliary ones should stay empty."), Question)


def test_units_of_couplings_and_bounds() -> None:
    drift = "Both spins always feel J = 5 MHz: the drift is (J/2) ZZ, with J = 5 MHz."
    spec = _spec(_pair(drift=drift, bound="|u| <= 300 rad/us."))
    assert np.allclose(_matrix(spec.drift), math.pi * 5e-3 * np.kron(Z, Z))
    assert spec.upper == pytest.approx(0.3)
    longer = (
        "GRAPE, one qubit: drift 0.5 w Z with w = 3 rad/us, control X with amplitudes up to 40 rad/us. Take |0> to |1>. "
        "We have 0.5 us for it; the amplitude changes every 20 ns. Report the pulse."
    )
    spec = _spec(read_task(TaskText(longer)))
    assert (spec.duration, spec.time_unit, spec.slots, spec.upper) == (0.5, "us", 25, 40.0)
    assert np.allclose(_matrix(spec.drift), 1.5 * Z)


def test_matrices_behind_a_role_and_a_unit_of_time_in_words() -> None:
    text = (
        "Optimal control with GRAPE of a 3-level system, basis |0>, |1>, |2>; ns and rad/ns.\n\nDrift:\n"
        "[[0, 0, 0], [0, 0, 0], [0, 0, -1.1]]\n\nControl p:\n[[0, 0.5, 0], [0.5, 0, 0.7], [0, 0.7, 0]]\n\nControl q:\n"
        "[[0, -0.5i, 0], [0.5i, 0, -0.7i], [0, 0.7i, 0]]\n\nInitial state: |0>\nTarget state: |1>\nDuration: 25\n"
        "Number of time slices: 50\nAmplitude bound: 0.8 for either control\n\nReport: the amplitudes, the fidelity."
    )
    spec = _spec(read_task(TaskText(text)))
    assert (spec.duration, spec.time_unit, list(_controls(spec))) == (25.0, "ns", ["p", "q"])


def test_a_ladder_operator_that_is_written_out() -> None:
    text = (
        "GRAPE. Three levels 0, 1, 2 of an anharmonic oscillator, a = |0><1| + {root} |1><2|. Drift H0 = -0.9 |2><2|.\n"
        "x: Hx = (a + a^dagger)/2\ny: Hy = i (a^dagger - a)/2\n"
        "Start in |0>, target |1>, total time 20, 40 slices, |u| at most 0.5. Report the pulses and the fidelity."
    )
    spec = _spec(read_task(TaskText(text.format(root="sqrt(2)"))))
    assert list(_controls(spec)) == ["x", "y"]
    assert np.allclose(_controls(spec)["y"][0, 1], -0.5j)
    assert isinstance(read_task(TaskText(text.format(root="1.2"))), Question)


@pytest.mark.parametrize(
    "more",
    [
        "Decoherence with T1 = 30 us acts meanwhile.",
        "It has to be robust against drifts of J.",
        "Minimise the pulse energy as well.",
        "The pulses should be smooth.",
        "Try five random seeds and keep the best.",
        "The amplitudes start and end at zero.",
    ],
)
def test_what_is_not_done_is_refused(more: str) -> None:
    assert isinstance(_pair(more=more), NoRecipe)


@pytest.mark.parametrize("more", ["No decoherence.", "Please ignore decoherence.", "Losses: none."])
def test_what_is_left_out_is_no_refusal(more: str) -> None:
    assert _spec(_pair(more=more)).slots == 40


def test_one_formula_of_time() -> None:
    text = (
        "A closed register of three qubits, GRAPE.\n\\[ H(t) = \\frac g2 \\sum_{j=1}^{LIMIT} X_j X_{j+1} + \\sum_{j=1}^{3} "
        "\\frac{\\delta_j(t)}{2} Z_j, \\qquad g = 8\\ \\mathrm{rad}/\\mu\\mathrm{s}. \\]\nThe detunings (controls D1, D2, D3) are "
        "bounded by $|\\delta_j| \\le 30\\ \\mathrm{rad}/\\mu\\mathrm{s}$. Turn $|100\\rangle$ into $|001\\rangle$ in 1 us, 50 intervals. "
        "Report the detunings and the final fidelity."
    )
    spec = _spec(read_task(TaskText(text.replace("LIMIT", "2"))))
    found = _controls(spec)
    assert np.allclose(found["D2"], np.kron(np.kron(ONE, Z), ONE) / 2)
    assert np.allclose(_matrix(spec.drift), 4 * (np.kron(np.kron(X, X), ONE) + np.kron(ONE, np.kron(X, X))))
    assert (spec.upper, spec.duration, spec.slots) == (30.0, 1.0, 50)
    assert not isinstance(read_task(TaskText(text.replace("LIMIT", "1"))), list)


def test_amplitudes_with_names_in_a_formula_and_a_matrix_with_roots() -> None:
    text = (
        "Gate synthesis by GRAPE for two qubits: H(t) = (1/2) Z(x)Z + (1/2)[u_{a}(t) X(x)1 + u_{b}(t) 1(x)X + v(t) Y(x)Y], total time 7, "
        "35 intervals, |u| <= 3. The unitary is "
        r"U = \begin{pmatrix}1&0&0&0\\0&1/\sqrt2&i/\sqrt2&0\\0&i/\sqrt2&1/\sqrt2&0\\0&0&0&1\end{pmatrix}."
        " Report the pulses and the fidelity."
    )
    spec = _spec(read_task(TaskText(text)))
    assert list(_controls(spec)) == ["a", "b", "v"]
    assert np.allclose(_controls(spec)["v"], np.kron(Y, Y) / 2)
    assert np.allclose(_matrix(spec.target)[1, 2], 1j * 0.5**0.5)


def test_an_unusual_root_of_a_gate_is_asked_about() -> None:
    assert isinstance(_pair(goal="Target gate: fourth root of iSWAP."), Question)
    assert _spec(_pair(goal="Target gate: the root of iSWAP.")).target_name == "sqrt(iSWAP)"


def test_levels_told_by_where_they_lie_and_amplitudes_times_operators() -> None:
    text = (
        "An atom has three levels |0>, |1>, |2>; use GRAPE. Level 1 lies at 0.2 rad/ns and level 2 at -0.7 rad/ns. The drive is ux(t) times "
        "(a + a^dagger)/2 and uy(t) times i (a^dagger - a)/2, where a lowers the oscillator (matrix elements 1, sqrt 2). Neither may leave "
        "the interval from -0.5 to 0.5 rad/ns. A pulse of 20 ns, changed every half nanosecond, shall take |0> to |2>. Report the pulses."
    )
    spec = _spec(read_task(TaskText(text)))
    assert list(_controls(spec)) == ["x", "y"]
    assert np.allclose(np.diag(_matrix(spec.drift)), [0, 0.2, -0.7])
    assert (spec.duration, spec.slots, spec.lower) == (20.0, 40, -0.5)
