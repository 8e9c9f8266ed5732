"""Whether a request is for the chip, for its upkeep, or a row of steps; and what each qubit gets."""

from __future__ import annotations

import pytest

from labwright.agents.call import Question, Refusal
from labwright.agents.lab_calibration.read_scope import READ_SCOPE, ScopeIn, ScopeOut, check_scope, scope_by_rules
from labwright.agents.rules import RulesMind

GRID = [f"Q{n}" for n in range(1, 17)]


def scope(request: str, qubits: list[str] | None = None, chosen: list[str] | None = None) -> ScopeOut:
    given = ScopeIn(request=request, qubits=qubits or GRID, chosen=chosen or [])
    answer = scope_by_rules(given)
    assert not isinstance(answer, Question | Refusal)
    assert check_scope(given, answer) == []
    return answer


@pytest.mark.parametrize(
    ("request_text", "instruction"),
    [
        ("Bring up the chip", "Bring up qubit 'dut'"),
        ("Bring the whole chip up.", "Bring up qubit 'dut'"),
        ("Please bring up all qubits", "Bring up qubit 'dut'"),
        ("Get the processor ready for use", "Bring up qubit 'dut'"),
        ("Set up this device from scratch", "Bring up qubit 'dut'"),
        ("Calibrate all qubits", "Calibrate qubit 'dut'"),
        ("Calibrate every qubit of the chip", "Calibrate qubit 'dut'"),
        ("Calibrate the whole device", "Calibrate qubit 'dut'"),
        ("Calibrate all qubits and benchmark them", "Calibrate qubit 'dut' and benchmark it"),
        ("Tune up all the qubits in parallel", "Tune up qubit 'dut'"),
        ("Measure T1 of all qubits", "Measure T1 of qubit 'dut'"),
        ("Measure T1 up to 300 us on every qubit at the same time", "Measure T1 up to 300 us on qubit 'dut'"),
    ],
)
def test_the_chip_is_every_qubit_alike(request_text: str, instruction: str) -> None:
    assert scope(request_text) == ScopeOut(scope="chip", qubits=GRID, instruction=instruction)


@pytest.mark.parametrize(
    ("request_text", "qubits", "instruction"),
    [
        ("Calibrate Q1, Q6 and Q11 in parallel", ["Q1", "Q6", "Q11"], "Calibrate qubit 'dut'"),
        ("Simultaneously calibrate qubits Q3 and Q1", ["Q1", "Q3"], "calibrate qubit 'dut'"),
        ("Calibrate all qubits except Q7 and Q9", [q for q in GRID if q not in ("Q7", "Q9")], "Calibrate qubit 'dut'"),
        ("Bring up the chip, but not Q16", GRID[:-1], "Bring up qubit 'dut'"),
    ],
)
def test_some_qubits_may_be_chosen(request_text: str, qubits: list[str], instruction: str) -> None:
    found = scope(request_text)
    assert (found.scope, found.qubits) == ("chip", qubits)
    assert found.instruction.strip(" ,").lower() == instruction.lower()


def test_qubits_may_be_chosen_beside_the_text() -> None:
    assert scope("Bring up the chip", chosen=["Q2", "Q5"]).qubits == ["Q2", "Q5"]


@pytest.mark.parametrize(
    "request_text",
    [
        "Calibrate qubit Q1 and benchmark it",
        "Calibrate Q1 and Q2",
        "Measure T1 of Q2",
        "Calibrate all qubits and then measure T1 of Q3",
        "Measure T1",
        "Find siZZle gate parameters for Q1 and Q2",
        "Prepare a three-qubit GHZ state on Q2, Q1, Q8 and do tomography",
        "Calibrate all qubits. If Q3 fails, run spectroscopy on Q3.",
        "Run a Ramsey experiment on Q1 with the device at rest",
        "Run Ramsey on Q1 and only go on if the frequency has not drifted",
        "Tell me whether the moon is still up to date",
    ],
)
def test_everything_else_is_done_step_by_step(request_text: str) -> None:
    assert scope(request_text) == ScopeOut(scope="steps", qubits=[], instruction="")


def test_the_only_qubit_is_no_chip() -> None:
    assert scope("Calibrate all qubits", ["Q1"]).scope == "steps"


@pytest.mark.parametrize(
    "request_text",
    [
        "Keep the chip calibrated",
        "Maintain the calibration of the chip",
        "Recalibrate only what has drifted",
        "Check whether all qubits are still in spec",
        "Measure again whatever has gone stale",
        "Bring the calibration up to date",
        "Refresh the chip",
        "Keep all qubits in tune",
    ],
)
def test_upkeep_measures_only_what_went_stale(request_text: str) -> None:
    assert scope(request_text) == ScopeOut(scope="maintain", qubits=GRID, instruction="")


def test_upkeep_may_be_for_some() -> None:
    assert scope("Keep Q3 and Q4 calibrated").qubits == ["Q3", "Q4"]
    assert scope("Maintain all qubits except Q2", ["Q1", "Q2", "Q3"]).qubits == ["Q1", "Q3"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (ScopeOut(scope="chip", qubits=["Q1"], instruction="Calibrate Q1"), "'dut'"),
        (ScopeOut(scope="chip", qubits=["Q1", "Q99"], instruction="Calibrate 'dut'"), "no qubit 'Q99'"),
        (ScopeOut(scope="chip", qubits=[], instruction="Calibrate 'dut'"), "At least one"),
        (ScopeOut(scope="chip", qubits=["Q1"], instruction="Calibrate 'dut' with 5000 shots"), "5000"),
        (ScopeOut(scope="steps", qubits=["Q1"], instruction=""), "empty"),
        (ScopeOut(scope="maintain", qubits=["Q1", "Q1"], instruction=""), "twice"),
    ],
)
def test_a_wrong_answer_is_sent_back_with_what_is_wrong(answer: ScopeOut, says: str) -> None:
    given = ScopeIn(request="Calibrate all qubits", qubits=GRID, chosen=[])
    assert any(says in line for line in check_scope(given, answer))


def test_the_policy_is_the_calls_own() -> None:
    given = ScopeIn(request="Bring up the chip", qubits=GRID, chosen=[])
    assert RulesMind().answer(READ_SCOPE, given) == scope("Bring up the chip")
