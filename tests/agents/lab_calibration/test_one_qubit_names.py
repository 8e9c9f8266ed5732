"""Every one-qubit experiment that a lab expects answers to the names that people use for it."""

import pytest

from labwright.agents.call import Question
from labwright.agents.lab_calibration.select import choose
from labwright.agents.lab_calibration.translate import Situation, build_library, candidates
from labwright.agents.rules import RulesMind
from labwright.tools.experiments import registry
from labwright.tools.experiments.call import parse_call
from labwright.tools.knowledge.procedures import load_procedures

QUBITS = ["Q1", "Q2", "Q8"]
NAMES = {
    # the one-qubit experiments of the k-agents paper
    "drag_calibration": "DRAG on Q1 | Calibrate the DRAG parameter of Q1 | Optimise DRAG of Q1",
    "amplitude_pingpong": "Run amplitude ping-pong on Q1 | pingpong Q1 | Fine-tune the pi pulse amplitude of Q1",
    "rabi": "Rabi on Q1 | Measure Rabi oscillations of Q1 | Find the pi pulse amplitude of Q1 roughly",
    "ramsey": "Ramsey on Q1 | Calibrate the frequency of Q1 | Find the qubit frequency of Q1 precisely",
    "readout_calibration": "Fit a GMM to the readout of Q1 | readout GMM on Q1 | Calibrate the readout of Q1",
    "single_qubit_rb": "Run single-qubit RB on Q1 | Randomized benchmarking on Q1",
    "t1": "Measure T1 of Q1 | Energy relaxation time of Q1 | lifetime of Q1",
    "spin_echo": "Echo on Q1 | Hahn echo of Q1 | Measure T2 echo of Q1",
    # what a lab expects besides
    "qubit_spectroscopy": "Find the qubit line of Q1 | two-tone spectroscopy on Q1",
    "resonator_spectroscopy": "Find the readout frequency of Q1 | scan the cavity of Q1",
    "ef_spectroscopy": "Measure the anharmonicity of Q1 | Run f12 spectroscopy on Q1 | Find the ef transition of Q1"
    " | Find the frequency of the ef transition of Q1 | Calibrate the anharmonicity of Q1",
    "all_xy": "Run AllXY on Q1 | Do an all XY on Q1 | Play the XY staircase on Q1 | Diagnose the gate errors of Q1",
    "readout_mitigation": "Measure the assignment matrix of Q1 | Take the confusion matrix of Q1"
    " | Run readout error mitigation on Q1 | Calibrate the measurement error mitigation of Q1",
    "resonator_power_sweep": "Do a punch-out on Q1 | Punchout measurement on Q1 | Sweep the readout power on Q1"
    " | Find the best readout amplitude of Q1 | Do resonator spectroscopy versus power on Q1"
    " | Measure the power dependence of the resonator of Q1 | Calibrate the readout amplitude of Q1",
}


@pytest.fixture(scope="module")
def library():
    cards = {name: registry.card(kind) for name, kind in registry.experiments().items()}
    return build_library(RulesMind(), cards, load_procedures())


def translated(instruction, library):
    """The call, or the question that is asked instead of one."""
    situation = Situation({}, QUBITS)
    for n_k in (3, 5, 7, 9):
        found = candidates(RulesMind(), instruction, library, situation, n_k)
        chosen = choose(RulesMind(), instruction, found, situation) if isinstance(found, list) and found else found
        if isinstance(chosen, Question):
            return chosen
        if chosen:
            return parse_call(chosen.code, library.cards, {})
    return None


@pytest.mark.parametrize(
    ("name", "instruction"), [(name, said.strip()) for name, all_said in NAMES.items() for said in all_said.split("|")]
)
def test_a_name_of_the_field_leads_to_its_experiment(library, name, instruction):
    call = translated(instruction, library)
    assert (call.experiment, call.arguments) == (name, {"qubit": "Q1"})


@pytest.mark.parametrize(
    ("instruction", "arguments"),
    [
        ("Do ef spectroscopy on Q1 from -50 to 50 MHz", {"start": -50.0, "stop": 50.0}),
        ("Measure the anharmonicity of Q1 without updating", {"update": False}),
        ("Run a resonator power sweep on Q1 with amplitudes from 0.05 to 0.9", {"start": 0.05, "stop": 0.9}),
        ("Punch-out on Q1 over a span of 20 MHz with 30 points", {"span": 20.0, "points": 30}),
        ("AllXY on Q1 with 5000 shots", {"shots": 5000}),
    ],
)
def test_values_go_where_they_belong(library, instruction, arguments):
    assert translated(instruction, library).arguments == {"qubit": "Q1", **arguments}


def test_a_word_that_two_experiments_share_is_asked_about(library):
    asked = translated("Measure the T2 time of Q1", library)
    assert isinstance(asked, Question)
    assert {"t2_ramsey", "spin_echo"} == set(asked.options)
