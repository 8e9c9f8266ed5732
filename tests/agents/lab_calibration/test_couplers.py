"""Which couplers a request for the chip names, and what may not be passed over."""

from __future__ import annotations

import pytest

from labwright.agents.call import Refusal
from labwright.agents.lab_calibration.read_scope import ScopeIn, ScopeOut, check_scope, scope_by_rules
from labwright.tools.qpu.starts import choose

TRUTH, _ = choose({"device": "grid:3"})
GRID = list(TRUTH.qubits)
COUPLERS = [f"{first}-{second}" for first, second, _ in TRUTH.couplings]


def asked(text: str, chosen: list[str] | None = None) -> ScopeIn:
    return ScopeIn(request=text, qubits=GRID, chosen=chosen or [], couplers=COUPLERS)


@pytest.mark.parametrize(
    ("text", "couplers"),
    [
        ("Bring up the chip", []),
        ("Bring up the chip and the couplers Q1-Q2, Q5-Q6", ["Q1-Q2", "Q5-Q6"]),
        ("Bring up the chip, then calibrate the couplers Q5-Q6 and Q2-Q1", ["Q1-Q2", "Q5-Q6"]),
        ("Bring up the chip. Couplers: Q1-Q2", ["Q1-Q2"]),
        ("Bring up the chip and all couplers of Q6", ["Q5-Q6", "Q6-Q7", "Q2-Q6", "Q6-Q10"]),
        ("Bring up the chip and the two-qubit gate between Q1 and Q2", ["Q1-Q2"]),
        ("Bring up the processor with its pairs (Q1, Q2) and (Q2, Q3)", ["Q1-Q2", "Q2-Q3"]),
        ("Bring up the chip including all couplers", COUPLERS),
        ("Bring up the chip and all couplers except Q1-Q2", COUPLERS[1:]),
        ("Bring up the chip but without couplers", []),
    ],
)
def test_couplers_are_those_that_are_named(text: str, couplers: list[str]) -> None:
    expected = ScopeOut(scope="chip", qubits=GRID, instruction="Bring up qubit 'dut'", couplers=couplers)
    assert scope_by_rules(asked(text)) == expected
    assert check_scope(asked(text), expected) == []


def test_couplers_of_qubits_that_are_left_out_are_left_out() -> None:
    found = scope_by_rules(asked("Bring up the chip except Q7 and all couplers"))
    assert isinstance(found, ScopeOut)
    assert found.couplers == [name for name in COUPLERS if "Q7" not in name.split("-")]
    few = scope_by_rules(asked("Bring up the chip and all couplers", ["Q1", "Q2", "Q6"]))
    assert isinstance(few, ScopeOut)
    assert few.couplers == ["Q1-Q2", "Q2-Q6"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Bring up the chip and the couplers Q1-Q3", "Q1 and Q3 are not coupled"),
        ("Bring up the chip except Q7 and the couplers Q3-Q7", "needs Q7, which the request leaves out"),
        ("Bring up the chip and the couplers Q1-Q2 at 4800 MHz", "'4800 mhz'"),
    ],
)
def test_what_cannot_be_is_refused(text: str, reason: str) -> None:
    found = scope_by_rules(asked(text))
    assert isinstance(found, Refusal)
    assert reason in found.reason


@pytest.mark.parametrize("text", ["Measure the residual ZZ of all pairs", "Calibrate the coupler Q1-Q2"])
def test_a_request_for_couplers_alone_is_for_steps(text: str) -> None:
    found = scope_by_rules(asked(text))
    assert isinstance(found, ScopeOut)
    assert found.scope == "steps"


def test_a_model_may_not_make_up_couplers() -> None:
    def answer(couplers: list[str], qubits: list[str] = GRID) -> ScopeOut:
        return ScopeOut(scope="chip", qubits=qubits, instruction="Bring up qubit 'dut'", couplers=couplers)

    given = asked("Bring up the chip and the coupler Q1-Q2")
    assert check_scope(given, answer(["Q1-Q2"])) == []
    assert any("no coupler 'Q1-Q3'" in fault for fault in check_scope(given, answer(["Q1-Q3"])))
    assert any("needs Q2" in fault for fault in check_scope(given, answer(["Q1-Q2"], ["Q1"])))
    assert any("asks for no couplers" in fault for fault in check_scope(asked("Bring up the chip"), answer(["Q1-Q2"])))
