"""What comes out of the sandbox is read as if an enemy had written it."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import RuleError
from labwright.tools.feature_maps.rules import MAX_GATES, RULES, finding
from labwright.tools.feature_maps.sandbox_reply import read_reply

N_QUBITS, N_PROBES, LENIENT = 3, 5, 2


def packed(*rows):
    return base64.b64encode(np.array(rows, dtype=np.float64).tobytes()).decode()


def honest(**changes):
    reply = {
        "class_name": "Map",
        "hyperparameters": {"scale": 0.5, "weights": [1, 2.5], "axis": "Y"},
        "gates": [["RX", [0], 1, 9], ["CNOT", [0, 2], 0, 10], ["CRot", [1, 0], 3, 11]],
        "angles": packed(*np.arange(4.0 * N_PROBES).reshape(N_PROBES, 4)),
        "skipped": [],
        "works_at": [4, 6],
    }
    return {**reply, **changes}


def read(reply):
    return read_reply(reply, N_QUBITS, N_PROBES, LENIENT)


def test_honest_reply_is_read():
    seen = read(honest())
    assert seen.gates == (("RX", (0,), 1, 9), ("CNOT", (0, 2), 0, 10), ("CRot", (1, 0), 3, 11))
    assert seen.angles.shape == (N_PROBES, 4)
    assert seen.gate_of(0) == {"gate": "RX", "line": 9}
    assert seen.gate_of(3) == {"gate": "CRot", "line": 11}


@pytest.mark.parametrize(
    "changes",
    [
        {"class_name": 3},
        {"class_name": "a b"},
        {"class_name": "x" * 1000},
        {"hyperparameters": []},
        {"hyperparameters": {"a": None}},
        {"hyperparameters": {"a": {"b": 1}}},
        {"hyperparameters": {"a": float("nan")}},
        {"hyperparameters": {"a": [[[[[1]]]]]}},
        {"hyperparameters": {"a": "x" * 10_000}},
        {"hyperparameters": {str(k): 1 for k in range(1000)}},
        {"gates": "RX"},
        {"gates": [["RX", [0], 1]]},
        {"gates": [["Oracle", [0], 1, 9]]},
        {"gates": [[["RX"], [0], 1, 9]]},
        {"gates": [["RX", [3], 1, 9]]},
        {"gates": [["RX", [-1], 1, 9]]},
        {"gates": [["RX", [True], 1, 9]]},
        {"gates": [["RX", [0.0], 1, 9]]},
        {"gates": [["RX", [0, 1], 1, 9]]},
        {"gates": [["RX", [0], 2, 9]]},
        {"gates": [["CNOT", [1, 1], 0, 9]]},
        {"gates": [["MultiRZ", [], 1, 9]]},
        {"gates": [["RX", [0], 1, "9"]]},
        {"gates": [["CNOT", [0, 1], 0, 9]] * (MAX_GATES + 1)},
        {"angles": 3},
        {"angles": "not base64 !"},
        {"angles": packed([1.0])},
        {"angles": "A" * 10_000_000},
        {"skipped": [0]},
        {"skipped": [4, 4]},
        {"skipped": [3, 4, 4]},
        {"works_at": ["4"]},
        {"works_at": list(range(1, 60))},
    ],
)
def test_what_is_no_circuit_is_refused(changes):
    with pytest.raises(RuleError) as refused:
        read(honest(**changes))
    assert refused.value.findings[0]["rule"] == "not_a_circuit"


@pytest.mark.parametrize("gone", ["class_name", "hyperparameters", "gates", "angles", "skipped", "works_at"])
def test_a_reply_without_a_field_is_refused(gone):
    reply = honest()
    del reply[gone]
    with pytest.raises(RuleError):
        read(reply)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = ["class_name", "hyperparameters", "gates", "angles", "skipped", "works_at", "broken"]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON) | JSON, st.booleans())
def test_no_reply_does_more_than_be_refused(reply, among_honest):
    """Anything at all is either a circuit or a `RuleError`; nothing else is raised."""
    whole = honest(**reply) if among_honest and isinstance(reply, dict) else reply
    try:
        seen = read(whole)
    except RuleError:
        return
    assert np.isfinite(seen.angles).all()


def test_told_facts_are_cut_and_printable():
    told = finding("crashed", {"line": 3, "error": "\x1b[31m\nred" + "x" * 10_000})
    assert told["message"].isprintable()
    assert len(told["message"]) < 600


def test_facts_cannot_reach_into_the_program():
    told = finding("crashed", {"line": "{finding.__globals__}", "error": "{0} {error}"})
    assert "{finding.__globals__}" in told["message"]


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_can_be_told_without_any_fact(rule):
    told = finding(rule)
    assert "{" not in told["message"] + told["mend"]
