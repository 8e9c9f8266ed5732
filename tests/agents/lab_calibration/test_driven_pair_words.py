"""Hamiltonian tomography and simultaneous RB, asked for in words."""

from __future__ import annotations

import pytest

from labwright.agents.lab_calibration.translate import Library, Situation
from labwright.agents.rules import RulesMind
from labwright.evaluation import translation
from labwright.evaluation.translation_methods import METHODS, OURS, QUBITS, every_order
from labwright.tools.experiments.call import ExperimentCall


@pytest.fixture(scope="module")
def library() -> Library:
    return translation.shipped_library(RulesMind())


def asked(text: str, library: Library) -> tuple[str, tuple[ExperimentCall, ...]]:
    found = every_order(METHODS[OURS](), RulesMind(), text, library, Situation(qubits=list(QUBITS)))
    return found.outcome, found.calls


@pytest.mark.parametrize(
    ("text", "experiment", "arguments"),
    [
        ("Measure the crosstalk between Q1 and Q2 by simultaneous RB", "simultaneous_rb",
         {"qubit": "Q1", "partner": "Q2"}),
        ("Simultaneous randomized benchmarking of Q2 and Q8 with 12 random sequences", "simultaneous_rb",
         {"qubit": "Q2", "partner": "Q8", "kinds": 12}),
        ("Crosstalk RB on Q2 and Q8 with 4000 shots", "simultaneous_rb",
         {"qubit": "Q2", "partner": "Q8", "shots": 4000}),
        ("Hamiltonian tomography of Q2 and Q1", "hamiltonian_tomography", {"qubit": "Q2", "partner": "Q1"}),
        ("Do cross-resonance Hamiltonian tomography with Q2 as control and Q1 as target, amplitude 0.2, up to 10 us",
         "hamiltonian_tomography", {"qubit": "Q2", "partner": "Q1", "amplitude": 0.2, "stop": 10.0}),
        ("Measure the ZX rate of a cross-resonance drive from Q2 on Q1", "hamiltonian_tomography",
         {"qubit": "Q2", "partner": "Q1"}),
        ("Run two-qubit RB on Q1 and Q2", "two_qubit_rb", {"qubit": "Q1", "partner": "Q2"}),
        ("siZZle Hamiltonian tomography on Q1 and Q2 at 4752 MHz with amplitude 0.3", "conditional_stark_continuous",
         {"qubit": "Q1", "partner": "Q2", "frequency": 4752.0, "amplitude": 0.3}),
    ],
)  # fmt: skip
def test_each_is_reached_by_its_own_words(
    text: str, experiment: str, arguments: dict[str, object], library: Library
) -> None:
    outcome, calls = asked(text, library)
    assert outcome == "call"
    assert calls == (ExperimentCall(experiment, arguments),)


@pytest.mark.parametrize(
    "text",
    [
        "Measure crosstalk between Q1 and Q2",
        "Calibrate a cross-resonance gate between Q1 and Q2",
        "Simultaneous RB on Q1, Q2 and Q8",
    ],
)
def test_what_neither_of_them_does_is_refused(text: str, library: Library) -> None:
    assert asked(text, library)[0] == "refuse"
