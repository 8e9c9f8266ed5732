"""Requests as people write them late at night: several things, several times, wrong places, settings by hand."""

import pytest

from labwright.agents.call import Refusal
from labwright.agents.lab_calibration.plan import (
    ExtractIn,
    ExtractOut,
    RulesIn,
    RulesOut,
    check_extract,
    extract_by_rules,
    rules_by_rules,
)
from labwright.agents.lab_calibration.translate_code import COUNTED, CodeIn, check_code, translate_code_by_rules
from labwright.tools.experiments import registry
from labwright.tools.experiments.check_call import CheckContext, check

QUBITS = ["Q1", "Q2", "Q8"]
CARDS = {name: registry.card(kind) for name, kind in registry.experiments().items()}


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("T1 and echo of Q2 please", ["T1 of Q2 please", "echo of Q2 please"]),
        (
            "Calibrate Q1 and Q8 and benchmark them",
            [f"{do} {q}" for do in ("Calibrate", "benchmark") for q in ("Q1", "Q8")],
        ),
        ("measure T1 on Q1 twice", ["measure T1 on Q1"] * 2),
        ("measure T1 five times on Q1", ["measure T1 on Q1"] * 5),
        ("Measure T1 of Q1 with 4 times the stop time", ["Measure T1 of Q1 with 4 times the stop time"]),
        ("Measure T1 of Q1, at most 3 times", ["Measure T1 of Q1, at most 3 times"]),
        ("Measure T1 of Q1 900 times", ["Measure T1 of Q1 900 times"]),
        ("sweep Rabi amplitude 0.1, 0.2 on Q1", ["sweep Rabi amplitude 0.1 on Q1", "sweep Rabi amplitude 0.2 on Q1"]),
    ],
)
def test_an_order_for_several_things_or_times_becomes_several(text: str, orders: list[str]) -> None:
    given = ExtractIn(text=text, qubits=QUBITS)
    answer = extract_by_rules(given)
    assert isinstance(answer, ExtractOut)
    assert answer.instructions == orders
    assert check_extract(given, answer) == []


@pytest.mark.parametrize(
    ("instruction", "name", "why"),
    [
        ("set the drag of Q1 to 0.3", "drag_calibration", "sets a value by hand"),
        ("Please change the frequency of Q1 to 4.888 GHz.", "ramsey", "sets a value by hand"),
        ("Measure T1 of Q1 900 times", "t1", "not 900 times"),
    ],
)
def test_what_no_call_can_do_is_not_done_in_part(instruction: str, name: str, why: str) -> None:
    given = CodeIn(instruction=instruction, card=CARDS[name], variables={}, qubits=QUBITS)
    said = translate_code_by_rules(given)
    assert not said.suitable
    assert why in said.analysis


def test_setting_up_an_experiment_and_limiting_repeats_are_no_hindrance() -> None:
    text = "Set up a Ramsey on Q1 with stop time 3 us"
    given = CodeIn(instruction=text, card=CARDS["ramsey"], variables={}, qubits=QUBITS)
    assert translate_code_by_rules(given).code == "ramsey(qubit='Q1', stop=3.0)"
    assert not COUNTED.search("Repeat at most 3 times with four times the stop time")


def test_a_way_to_a_stage_that_is_not_there_is_refused_by_name() -> None:
    stages = ["Stage 1: Run T1 on Q1", "Stage 2: Run Ramsey on Q1"]
    text = "- Run T1 on Q1. If it fails, go to {}.\n- Run Ramsey on Q1."
    wrong = rules_by_rules(RulesIn(text=text.format("Stage 7"), stages=stages))
    assert isinstance(wrong, Refusal)
    assert "there is no Stage 7; the stages are Stage 1, Stage 2" in wrong.reason
    assert isinstance(rules_by_rules(RulesIn(text=text.format("stage 2"), stages=stages)), RulesOut)


def test_a_measured_number_brings_its_error_along() -> None:
    measured = {"t1": 120.0, "t1_error": 2.0, "t2_echo": 110.0, "t2_echo_error": 3.0}
    text = "Run single-qubit randomized benchmarking on Q1 using the measured t1 and t2_echo"
    given = CodeIn(instruction=text, card=CARDS["single_qubit_rb"], variables=measured, qubits=QUBITS)
    code = translate_code_by_rules(given).code
    assert "t1=t1, t2_echo=t2_echo, t1_error=t1_error, t2_echo_error=t2_echo_error" in code
    assert check_code(given, translate_code_by_rules(given)) == []


def test_a_frequency_where_a_detuning_belongs_is_explained_and_not_guessed_at() -> None:
    """The unit was said, so asking for another one would mislead; what the parameter is, helps."""
    text = "Qubit spectroscopy on Q1 from 4.7 to 4.9 GHz"
    context = CheckContext(text, CARDS, {}, tuple(QUBITS))
    first, *_ = check("ranges", "qubit_spectroscopy(qubit='Q1', start=4700.0, stop=4900.0)", context)
    assert "meant?" not in first.message
    assert "`start` is the lowest frequency, relative to the present drive frequency" in first.mend
