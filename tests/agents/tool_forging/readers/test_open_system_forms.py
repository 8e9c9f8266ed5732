"""Forms in which people give jumps, starts, baths and sweeps of few-level systems."""

from __future__ import annotations

import math
from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.open_system import READER
from labwright.agents.tool_forging.readers.open_system.excited import excited_is_one
from labwright.agents.tool_forging.readers.open_system.ket_sums import state_near
from labwright.tools.forge.families.open_system import OpenSystemSpec
from labwright.tools.forge.families.open_system.report import written

RUN = "Use QuTiP and record <Z> from t = 0 to t = 10 us with 101 points."


def _read(text: str) -> Any:
    return READER.read(TaskText(text))


def _spec(text: str) -> OpenSystemSpec:
    reply = _read(text)
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, OpenSystemSpec)
    return reply.spec


def _jumps(spec: OpenSystemSpec, case: int = -1) -> list[str]:
    return [written(one) for one in spec.cases[case].collapse]


@pytest.mark.parametrize(
    ("words", "one"),
    [
        ("|0> is the upper level and decays to |1>.", False),
        ("|0> (Z = +1) is the excited state.", False),
        ("It falls from |1> to |0> with T1 = 3.", True),
        ("Take |1> as the excited state; sigma_- lowers.", True),
        ("the ground state |0> and T1 = 2", True),
        ("excited state: Z = -1", True),
        ("it decays from spin up to spin down", False),
    ],
)
def test_which_level_is_the_excited_one(words: str, one: bool) -> None:
    assert excited_is_one(words) is one


@pytest.mark.parametrize(
    ("text", "kets"),
    [
        ("(sqrt(2) |gg> + i |ee>)/2", {"gg": math.sqrt(0.5), "ee": 0.5j}),
        ("A: 0.6 |00> - 0.8 |11>", {"00": 0.6, "11": -0.8}),
        ("sqrt(3)/2 |0> + 0.5 |1>", {"0": math.sqrt(0.75), "1": 0.5}),
        ("|+> @ (|0> + |1>)/sqrt(2)", {"+,0": math.sqrt(0.5), "+,1": math.sqrt(0.5)}),
        ("(|0> + e^{i pi/2} |1>)", {"0": 1.0, "1": 1j}),
    ],
)
def test_sums_of_kets(text: str, kets: dict[str, complex]) -> None:
    near = state_near(text, 0, {})
    assert near is not None
    assert near[0] == pytest.approx(kets)


def test_a_sum_of_kets_with_an_unknown_factor_is_no_state() -> None:
    assert state_near("|0> + something |1>", 0, {}) is None


def test_jumps_by_arrows_and_verbs_with_a_swept_rate() -> None:
    spec = _spec(
        "An atom has three levels: the ground state g, the excited state e and the metastable state m. There is no "
        "Hamiltonian.\n\n- g -> e at the rate P;\n- e empties into m with a lifetime of 0.25 us and falls to g at "
        "1 per us;\n- m returns to g with a lifetime of 4 us.\n\nThree values of P, logarithmically spaced between "
        "0.01 and 1 per us. Give the stationary populations of g, e and m with QuTiP."
    )
    assert [case.labels["P"] for case in spec.cases] == pytest.approx([0.01, 0.1, 1.0])
    assert _jumps(spec, 0)[0] == "0.1 |1><0|"
    assert _jumps(spec) == ["1 |1><0|", "2 |2><1|", "1 |0><1|", "0.5 |0><2|"]
    assert "steady_state" in spec.wants


def test_a_table_of_jumps_has_the_unit_of_its_column() -> None:
    spec = _spec(
        "A four-level ion: 0 (ground), 1 (lower), 2 (upper), 3 (pump band). The Hamiltonian is zero.\n\n"
        "| jump | rate (1/ns) |\n|---|---|\n| 0 -> 3 | 4 |\n| 3 -> 2 | 9 |\n| 2 -> 1 | 1 |\n| 1 -> 0 | 16 |\n\n"
        "It starts in level 0. Follow the populations from 0 to 5 ns at 51 points."
    )
    assert _jumps(spec) == ["2 |3><0|", "3 |2><3|", "1 |1><2|", "4 |0><1|"]


def test_a_jump_whose_rate_has_no_value_is_asked_about() -> None:
    reply = _read(
        "An atom has three levels: the ground state g, the excited state e and the dark state d. There is no "
        "Hamiltonian. g is pumped to e at the rate Q; e decays to d at 2 per us. It starts in g. Populations "
        "from 0 to 5 us at 51 points."
    )
    assert isinstance(reply, Question)
    assert "Q" in reply.text


def test_listed_starts_keep_their_letters_and_mixtures_their_states() -> None:
    spec = _spec(
        "Two uncoupled qubits, |1> is the excited state, H = 0. T1 = 4 us for the first, T1 = 16 us for the second.\n\n"
        "Starts:\n A  (|00> + |11>)/sqrt(2)\n B  25 % (|01> - |10>)/sqrt(2), 75 % |00>\n\n"
        "Concurrence and purity from 0 to 8 us in steps of 0.1 us."
    )
    assert [case.labels for case in spec.cases] == [{"initial": "A"}, {"initial": "B"}]
    rows = spec.cases[1].initial.matrix
    assert [rows[k][k][0] for k in range(4)] == pytest.approx([0.75, 0.125, 0.125, 0.0])
    assert rows[1][2][0] == pytest.approx(-0.125)
    assert _jumps(spec) == ["0.5 P", "0.25 P_1"]
    assert spec.wants == ["purity", "concurrence"]


def test_shares_that_are_no_whole_are_asked_about() -> None:
    reply = _read(
        "Two uncoupled qubits, |1> is the excited state, H = 0, T1 = 4 us. They start in a mixture of 50 % |10> and "
        f"30 % |00>. {RUN}"
    )
    assert isinstance(reply, Question)
    assert "0.8" in reply.text


@pytest.mark.parametrize("own", ["T1 of A: 4 us\nT1 of B: 16 us\n", "T1_0 = 4 us, T1_1 = 16 us.\n"])
def test_each_body_keeps_its_own_time(own: str) -> None:
    spec = _spec(
        f"Two uncoupled qubits A and B. H = 0. |1> is the excited state.\n{own}\nInitial state: |11>. Concurrence, "
        "0 to 8 us, 81 points."
    )
    assert len(spec.cases) == 1
    assert _jumps(spec) == ["0.5 P", "0.25 P_1"]


def test_a_master_equation_with_dissipators_at_several_temperatures() -> None:
    spec = _spec(
        "A resonator of frequency 5 GHz obeys d rho/dt = kappa (nbar + 1) D[a] rho + kappa nbar D[a^dag] rho with "
        "1/kappa = 25 us, where D[L] rho = L rho L^dag - 0.5 {L^dag L, rho}, and no Hamiltonian. nbar is that of the "
        "bath at T = 10 mK and 240 mK. Keep 20 Fock states. It starts with two photons. Mean photon number from 0 to "
        "100 us, 101 points."
    )
    assert [case.labels["T"] for case in spec.cases] == [10.0, 240.0]
    warm = 1 / math.expm1(6.62607015e-34 * 5e9 / (1.380649e-23 * 0.24))
    down, up = (one.terms[0].coefficient[0] for one in spec.cases[1].collapse)
    assert (down**2, up**2) == pytest.approx((0.04 * (warm + 1), 0.04 * warm))


def test_temperatures_without_a_symbol_are_a_sweep() -> None:
    spec = _spec(
        "A cavity of frequency 5 GHz in its rotating frame, H = 0, 20 Fock states, loses photons at kappa = 0.04 per us "
        "into a bath at 50, 100 or 200 mK. It starts in the vacuum. Mean photon number from 0 to 100 us, 101 points."
    )
    assert [case.labels["T"] for case in spec.cases] == [50.0, 100.0, 200.0]


def test_t1_counts_beside_a_written_operator_of_another_body() -> None:
    spec = _spec(
        "A qubit in a cavity: H = 3 (a^dag sigma_- + a sigma_+). The jump operator of the cavity is sqrt(kappa) a with "
        "kappa = 0.25 per us; the qubit has T1 = 4 us. 5 Fock states. At the beginning the qubit is in its upper state "
        "and there is no photon. Excited population and photon number from 0 to 2 us, 21 points."
    )
    assert _jumps(spec) == ["0.5 a_1", "0.5 M"]
    assert spec.cases[0].initial.amplitudes[0] == [1.0, 0.0]


def test_a_hamiltonian_in_labelled_parts() -> None:
    spec = _spec(
        "A qubit, hbar = 1.\n\n- tunnelling: 0.4 sigma_x\n- bias: (b/2) cos(2 t) sigma_z with b = 3\n"
        "- relaxation from spin up to spin down, T1 = 25\n- t = 0: spin down\n\nRecord <sigma_z>, t from 0 to 30 in "
        "steps of 0.5."
    )
    case = spec.cases[0]
    assert written(case.hamiltonian) == "0.4 X"
    assert [(written(one.operator), one.frequency) for one in case.drives] == [("1.5 Z", 2.0)]
    assert _jumps(spec) == ["0.2 M"]


def test_detunings_as_cycles_in_a_list_and_below_the_cavity() -> None:
    text = (
        "Jaynes-Cummings: an atom and one cavity mode, 6 Fock states.\n* coupling: 2 pi x 3 MHz\n* the atom is detuned "
        "{} the cavity by 2 pi x {{0, 2}} MHz\n* photon loss 1.5 / us\n* at the start: atom in its upper state, no "
        "photon\n* window 0 - 0.5 us, 51 times\n* wanted: excited-state population"
    )
    above, below = (_spec(text.format(word)) for word in ("above", "below"))
    assert [case.labels["Delta"] for case in above.cases] == pytest.approx([0.0, 4 * math.pi])
    assert [case.labels["Delta"] for case in below.cases] == pytest.approx([0.0, -4 * math.pi])
    assert above.cases[0].stop == 0.5


def test_a_second_start_in_a_comparison_is_a_case() -> None:
    spec = _spec(f"A qubit detuned by 0.2 MHz, T1 = 30 us, is prepared in |+>. {RUN} Compare |+> with |+i>.")
    assert [case.labels["initial"] for case in spec.cases] == ["plus", "plus_i"]


def test_a_measure_in_an_item_without_a_verb_is_wanted() -> None:
    spec = _spec(
        "A qubit with H = 0.3 X in rad/us and T1 = 5 us starts in |0>.\n\n1. <Z> from 0 to 10 us, 101 points\n"
        "2. purity at the same times\n\nNo entropy."
    )
    assert spec.wants == ["expectation", "purity"]


def test_an_atom_that_is_not_told_is_asked_about() -> None:
    reply = _read(
        "An atom in a cavity, H = 3 (a^dag sigma_- + a sigma_+), 5 Fock states, kappa = 0.2 per us. The cavity starts "
        "with two photons. Photon number from 0 to 2 us, 21 points."
    )
    assert isinstance(reply, Question | Unread)


def test_levels_with_words_for_names_and_jumps_in_a_table() -> None:
    spec = _spec(
        "Each centre has three levels, which we call low, middle and high. They do not have a Hamiltonian.\n\n"
        "| from | to | how fast |\n|---|---|---|\n| low | high | rate K |\n| high | middle | time constant 0.25 us |\n"
        "| middle | low | time constant 4 us |\n\nFor K take three values between 0.01 us^-1 and 1 us^-1 with equal "
        "distances on the logarithmic scale. The steady state: three populations for every K."
    )
    assert spec.levels == ["low", "middle", "high"]
    assert [case.labels["K"] for case in spec.cases] == pytest.approx([0.01, 0.1, 1.0])
    assert _jumps(spec) == ["1 |2><0|", "2 |1><2|", "0.5 |0><1|"]


def test_a_clause_carries_on_the_rate_of_the_one_before() -> None:
    spec = _spec(
        "A pair of emitters with no energy in the rotating frame; each is in g (lower) or e (upper). The first one "
        "emits with a rate of 0.04 per ns, the second with 1/25 per ns. As initial state there are two cases:\n\n"
        "Case A is |ee>.\nCase B is not pure. With probability 30 % the pair is in (|ge> + |eg>)/sqrt(2) and with "
        "probability 70 % in |gg>.\n\nConcurrence during the first 20 ns, one point for each ns."
    )
    assert _jumps(spec) == ["0.2 M", "0.2 M_1"]
    assert [case.labels["initial"] for case in spec.cases] == ["A", "B"]
    assert spec.cases[1].initial.matrix[3][3][0] == pytest.approx(0.7)


def test_an_operator_told_as_multiplied_and_states_by_their_signs() -> None:
    spec = _spec(
        "1. Model. A spin with the Hamiltonian sigma_x / 4, to which is added: the operator sigma_z multiplied by "
        "B cos(2 t).\n\n2. Environment. The state with sigma_z = +1 is the excited one, T1 = 25.\n\n3. Initial state. The "
        "state with sigma_z = -1.\n\n4. B takes the values 1 and 3. Record <sigma_z> from t = 0 to 20, 41 points."
    )
    assert [case.labels["B"] for case in spec.cases] == [1.0, 3.0]
    assert written(spec.cases[1].drives[0].operator) == "3 Z"
    assert spec.cases[0].initial.amplitudes == [[0.0, 0.0], [1.0, 0.0]]
    assert _jumps(spec) == ["0.2 M"]


def test_one_coherence_by_its_levels() -> None:
    spec = _spec(
        "Levels |1>, |2> and |3>; H = 0.5 (|1><3| + |3><1|) in rad/us; 3 -> 1 at 4 per us, 3 -> 2 at 1 per us. It starts "
        "in |1>. Modulus of the coherence between |1> and |3>, 0 to 5 us, 101 points."
    )
    assert spec.coherence_of == [0, 2]


def test_steady_states_that_no_recipe_gives_are_refused() -> None:
    driven = "A qubit, H = 0.5 Z + 0.2 cos(t) X, T1 = 10, starts in |0>. <Z> from t = 0 to 30, 61 points, and its steady state."
    assert isinstance(_read(driven), Unread)
    assert isinstance(_read("A qubit, H = 0.2 X, T1 = 10. The purity of its steady state."), Unread | Question)


def test_a_list_of_values_that_nothing_reads_is_refused() -> None:
    reply = _read(
        "A qubit with H = 0.3 X in rad/us and T1 = 5 us starts in |0>, for stray values of 3 MHz, 7 MHz and 9 MHz. "
        "<Z> from 0 to 10 us, 101 points."
    )
    assert isinstance(reply, Unread | Question)


def test_t1_of_a_cold_bath_is_warmed() -> None:
    spec = _spec(
        "A two-level system with |1> as excited state has T1 = 4 us at zero temperature; the bath holds nbar = 0.5. "
        "No drive, rotating frame. Start from |1>. Excited-state population within 10 us, 101 points."
    )
    rates: dict[str, float] = {}
    for one in spec.cases[0].collapse:
        op = one.terms[0].factors[0].op
        rates[op] = rates.get(op, 0.0) + one.terms[0].coefficient[0] ** 2
    assert rates == pytest.approx({"P": 0.375, "M": 0.125})
