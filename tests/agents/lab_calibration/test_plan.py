"""Orders and rules from plain words, by policy; and what the checks catch in a model's answers."""

import pytest

from labwright.agents.call import Refusal
from labwright.agents.lab_calibration.plan import (
    DEFAULT_RULE,
    ExtractIn,
    ExtractOut,
    RulesIn,
    RulesOut,
    check_extract,
    check_rules,
    extract_by_rules,
    rules_by_rules,
)

QUBITS = ["Q1", "Q2", "Q8"]
PROCEDURE = """- Measure the lifetime of 'Q2' with stop 250 us.
  If the decay does not fit in, repeat with twice the time, at most 2 times.
- Tune the amplitude of 'Q2'. Use 2000 shots. If it does not converge, go to FAILED."""


def extracted(text: str) -> list[str]:
    answer = extract_by_rules(ExtractIn(text=text, qubits=QUBITS))
    assert isinstance(answer, ExtractOut)
    return answer.instructions


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("Tune up qubit Q2 and verify it", ["Tune up qubit Q2", "verify qubit Q2"]),
        ("Find the frequency and amplitude of Q8", ["Find the frequency of Q8", "Find amplitude of Q8"]),
        (
            "Measure T1, T2* and the echo time of Q2",
            ["Measure T1 of Q2", "Measure T2* of Q2", "Measure the echo time of Q2"],
        ),
        ("Run a Rabi with amplitude 0.2 and 50 points on Q1", ["Run a Rabi with amplitude 0.2 and 50 points on Q1"]),
        ("T1 of all qubits", ["T1 of Q1", "T1 of Q2", "T1 of Q8"]),
        ("Calibrate everything", ["Calibrate Q1", "Calibrate Q2", "Calibrate Q8"]),
        ("Measure T1 and T2* on Q1 and Q2", [f"Measure {what} on {q}" for what in ("T1", "T2*") for q in ("Q1", "Q2")]),
        ("Measure T1 on Q1 and Q2", ["Measure T1 on Q1", "Measure T1 on Q2"]),
        ("Do a Rabi on Q1, then run a Ramsey", ["Do a Rabi on Q1", "run a Ramsey on qubit Q1"]),
        ("Scan 4.7 to 4.9 GHz on Q1. Use 500 shots.", ["Scan 4.7 to 4.9 GHz on Q1. Use 500 shots"]),
        ("Make me a sandwich", ["Make me a sandwich"]),
    ],
)
def test_orders_of_a_sentence(text: str, orders: list[str]) -> None:
    assert extracted(text) == orders


def test_flow_sentences_become_rules() -> None:
    orders = extracted(PROCEDURE)
    assert orders == [
        "Measure the lifetime of 'Q2' with stop 250 us",
        "Tune the amplitude of 'Q2'. Use 2000 shots",
    ]
    stages = [f"Stage {n}: {order}" for n, order in enumerate(orders, 1)]
    assert rules_by_rules(RulesIn(text=PROCEDURE, stages=stages)).rules == [
        "If the decay does not fit in, repeat with twice the time, at most 2 times.",
        "If it does not converge, go to FAILED.",
    ]


def test_a_stage_without_flow_gets_the_default_rule() -> None:
    assert rules_by_rules(RulesIn(text="Run T1 on Q1", stages=["Stage 1: Run T1 on Q1"])).rules == [DEFAULT_RULE]


def test_a_text_without_orders_is_refused() -> None:
    assert isinstance(extract_by_rules(ExtractIn(text="- If it fails, go to FAILED.", qubits=QUBITS)), Refusal)


@pytest.mark.parametrize(
    ("instructions", "complaint"),
    [
        ([], "at least one"),
        (["Measure the lifetime of 'Q2' with stop 400 us"], "400"),
        (["Measure the lifetime of 'Q2' after cooling the fridge and warming amplifiers"], "says more than the text"),
        (["Measure the lifetime of 'Q2'. If the decay does not fit in, repeat"], "what to do next"),
    ],
)
def test_wrong_orders_of_a_model_are_caught(instructions: list[str], complaint: str) -> None:
    findings = check_extract(ExtractIn(text=PROCEDURE, qubits=QUBITS), ExtractOut(instructions=instructions))
    assert complaint in " ".join(findings)


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        (["Go on."], "must be 2 rules"),
        (["Go on.", "On success go to Stage 7."], "'stage 7', which does not exist"),
        (["Repeat at most 25 times.", "Go on."], "25"),
        (["Repeat at most 5 times.", "Go on."], "counts 5 times"),
    ],
)
def test_wrong_rules_of_a_model_are_caught(rules: list[str], complaint: str) -> None:
    given = RulesIn(text=PROCEDURE, stages=["Stage 1: a", "Stage 2: b"])
    assert complaint in " ".join(check_rules(given, RulesOut(rules=rules)))


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("Measure T1 of Q1. Then measure T1 of Q2.", ["Measure T1 of Q1", "measure T1 of Q2"]),
        ("- Measure T1 of Q1.\n- Once calibrated, benchmark Q1.", ["Measure T1 of Q1", "benchmark Q1"]),
        ("- When the qubit is found, measure T1 of Q1.", ["measure T1 of Q1"]),
        ("- Run Ramsey on Q1.\n- After the Ramsey, run a Rabi on Q1.", ["Run Ramsey on Q1", "run a Rabi on Q1"]),
        (
            "- Measure T1 of Q1. Repeat the T1 with more shots if it is noisy.\n- Repeat the Ramsey on Q1.",
            ["Measure T1 of Q1", "Run the Ramsey on Q1"],
        ),
    ],
)
def test_no_order_is_lost_or_made_up(text: str, orders: list[str]) -> None:
    answer = extract_by_rules(ExtractIn(text=text, qubits=["Q1", "Q2"]))
    assert isinstance(answer, ExtractOut)
    assert answer.instructions == orders


def test_a_measurement_under_a_condition_is_refused_and_not_dropped() -> None:
    text = "- Measure T1 of Q1.\n- If Q1 is lost, run qubit spectroscopy on Q1."
    answer = extract_by_rules(ExtractIn(text=text, qubits=["Q1", "Q2"]))
    assert isinstance(answer, Refusal)
    assert "run qubit spectroscopy" in answer.reason


@pytest.mark.parametrize("wrong", ["Run a Ramsey on Q2 with an offset of 3 MHz", "Run a Ramsey on Q1, offset 8 MHz"])
def test_another_qubit_and_another_small_number_are_noticed(wrong: str) -> None:
    given = ExtractIn(text="Run a Ramsey on Q1 with an offset of 3 MHz.", qubits=["Q1", "Q2"])
    assert check_extract(given, ExtractOut(instructions=[wrong]))
