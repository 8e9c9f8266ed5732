"""What only says what for is passed over; a number, a symbol, a quantity or a condition in it is not."""

from __future__ import annotations

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers import read_task
from labwright.agents.tool_forging.readers.base import Reading, TaskText
from labwright.agents.tool_forging.readers.language.orders import about_telling
from labwright.agents.tool_forging.readers.language.purposes import tells_a_purpose
from labwright.agents.tool_forging.reading_task import NoRecipe

CHAIN = (
    "Use DMRG in TeNPy for H = J1 sum_i S_i . S_{i+1} + J2 sum_i S_i . S_{i+2} with S = sigma/2 on an open chain of "
    "10 sites, J1 = 1, bond dimension 100. The couplings to next-nearest neighbours are J2 = 0, 0.3 and 0.6. Compute "
    "the ground state energy per site for every J2."
)
QUENCH = (
    "Consider N = 6 spins one half in an open chain with H = -J sum_{i<j} \\frac{X_i X_j}{|i-j|^{5/2}} - B sum_i Z_i, "
    "J = 1, B = 0.8, Pauli matrices. All spins point down along z at t = 0. Simulate the exact time evolution until "
    "t = 3 with 31 points and plot the magnetisation along z averaged over the sites."
)
PULSE = (
    "GRAPE with QuTiP for a CNOT on two qubits. Drift H0 = 0.05 ZZ, controls X and Y on each qubit. The pulse lasts "
    "{length} ns in total and consists of 50 piecewise constant slices of 2 ns each. Amplitudes between -0.4 and 0.4. "
    "Give the pulses and the final fidelity."
)


@pytest.mark.parametrize(
    "text",
    [
        "I am preparing a poster about strange magnets and my supervisor wants to see the following first.",
        "This is for my thesis on random networks.",
        "We are two experimentalists and want to compare our pump-probe data with theory.",
    ],
)
def test_a_sentence_that_only_says_what_for_is_scenery(text: str) -> None:
    assert tells_a_purpose(text)


@pytest.mark.parametrize(
    "text",
    [
        "For my thesis on magnets the field is 0.3.",
        "For my thesis we look at a ring.",
        "For our paper we look at disordered chains.",
        "For my talk compute the entropy.",
        "For our lecture we need the fidelity as well.",
        "In our paper the bath is ohmic.",
        "For my talk on magnets ten sites will do.",
        "We want to compare our fluorescence spectra with theory.",
    ],
)
def test_a_condition_or_a_wish_in_it_is_none(text: str) -> None:
    assert not tells_a_purpose(text)


def test_a_method_in_such_a_sentence_is_still_read() -> None:
    text = "I am writing my thesis on strange magnets and should show the following with CASSCF.\n\n" + CHAIN
    assert isinstance(read_task(TaskText(text)), NoRecipe)
    assert isinstance(read_task(TaskText(text.replace("CASSCF", "DMRG"))), list)


@pytest.mark.parametrize("text", ["We ask for, in kJ/mol:", "I need two things.", "We need the following, in eV:"])
def test_a_wish_that_only_points_orders_nothing(text: str) -> None:
    assert about_telling(text)


@pytest.mark.parametrize("text", ["We ask for the dipole, in debye:", "I need two energies.", "I need the entropy."])
def test_a_wish_for_something_is_an_order(text: str) -> None:
    assert not about_telling(text)


def test_an_expected_energy_sets_nothing_and_another_number_beside_it_does() -> None:
    said = " I expect nice things (energy exactly -3/8 per site)."
    assert _one(CHAIN + said).spec == _one(CHAIN).spec
    assert isinstance(read_task(TaskText(CHAIN + " I expect a field of 0.7.")), NoRecipe | Question)


def test_a_fraction_over_a_distance_is_a_power_law() -> None:
    patterns = _one(QUENCH).spec.model_dump()["cases"][0]["patterns"]
    assert [(one["letters"], one["power"]) for one in patterns] == [("XX", 2.5), ("Z", None)]


def test_slices_that_do_not_fill_the_pulse_are_asked_about() -> None:
    asked = read_task(TaskText(PULSE.format(length=70)))
    assert isinstance(asked, Question)
    assert "50 slices of 2 last 100, not 70" in asked.text
    assert _one(PULSE.format(length=100)).spec.model_dump()["slots"] == 50


def test_the_number_of_the_next_item_is_no_temperature() -> None:
    text = (
        "The reaction is C2H4 + H2 -> C2H6 in the gas phase at 1 bar. PBE0/def2-SVP in PySCF, all molecules optimised, "
        "harmonic vibrations.\n\nWe ask for, in kJ/mol:\n\n(1) the reaction energy,\n(2) the reaction enthalpy at "
        "300 K and 450 K,\n(3) the Gibbs energy of reaction at the same two temperatures.\n"
    )
    assert _one(text).spec.model_dump()["temperatures"] == pytest.approx([300, 450])


ENTANGLER = (
    "A three-qubit circuit begins in |000>. Apply RY(0.7) on qubit 0, then a CNOT with control 0 and target 1, then a "
    "CNOT with control 1 and target 2. "
    "After each of the two-qubit gates both qubits of the gate undergo amplitude damping with gamma = 0.05. No readout "
    "error. No shots; exact density matrix with Qiskit Aer. In Pauli strings the leftmost letter belongs to qubit 0. "
    "Compute <ZZZ> and the purity.\n"
)


def test_noise_that_is_told_to_be_absent_is_none() -> None:
    case = _one(ENTANGLER).spec.model_dump()["cases"][0]
    assert [(one["name"], list(one["qubits"])) for one in case["gates"]] == [
        ("ry", [0]),
        ("cx", [0, 1]),
        ("cx", [1, 2]),
    ]
    assert [(one["kind"], one["place"]) for one in case["noise"]] == [("amplitude_damping", "two_qubit_gates")]
    readout = ENTANGLER.replace("No readout error.", "Readout errors happen with probability 0.02.")
    found = _one(readout).spec.model_dump()["cases"][0]["noise"]
    assert {one["kind"] for one in found} == {"amplitude_damping", "readout"}


def test_sites_are_called_as_the_task_calls_them() -> None:
    text = (
        "HEOM with QuTiP: three dyes P, Q, R with site energies P 200 cm^-1, Q 90 cm^-1, R 0 cm^-1. Couplings: P-Q 60 "
        "cm^-1, Q-R -40 cm^-1, P-R 10 cm^-1. Drude-Lorentz baths, reorganisation energy 30 cm^-1, correlation time "
        "50 fs, 300 K. 4 tiers, 1 Matsubara term. {start} From 0 until 500 fs, one point for every 10 fs. Compute the "
        "populations of P, Q and R."
    )
    spec = _one(text.format(start="The laser excites only dye P at time zero.")).spec.model_dump()
    assert spec["site_names"] == ["P", "Q", "R"]
    assert spec["n_times"] == 51
    assert spec["initial_name"] == "site P"
    driven = read_task(TaskText(text.format(start="Dye P is excited at time zero. The laser drives dye Q throughout.")))
    assert isinstance(driven, NoRecipe)


def _one(text: str) -> Reading:
    read = read_task(TaskText(text))
    assert isinstance(read, list), read
    assert len(read) == 1
    return read[0]
