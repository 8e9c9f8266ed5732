"""Checks of a call right before it is measured: facts of its card and of the device, nothing about words."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.tools.experiments.call import ExperimentCall, ExperimentCard, ParameterCard
from labwright.tools.experiments.check_call import CHECKS, check

CARD = ExperimentCard(
    "ramsey",
    "Ramsey.",
    "Ramsey.",
    (
        ParameterCard("qubit", "str", True, None, "", None, None, ""),
        ParameterCard("start", "float", False, 0.0, "us", 0.0, 100.0, ""),
        ParameterCard("stop", "float", False, 1.0, "us", 0.05, 300.0, ""),
        ParameterCard("points", "int", False, 101, "", 5, 401, ""),
        ParameterCard("window", "float", False, None, "us", 0.0, 1.0, ""),
        ParameterCard("update", "bool", False, True, "", None, None, ""),
    ),
)
PAIR = ExperimentCard(
    "residual_zz",
    "Residual ZZ.",
    "Residual ZZ.",
    (
        ParameterCard("qubit", "str", True, None, "", None, None, ""),
        ParameterCard("partner", "str", True, None, "", None, None, ""),
    ),
)
GROUP = ExperimentCard(
    "simultaneous_rb", "RB.", "RB.", (ParameterCard("qubits", "str", True, None, "", None, None, ""),)
)
QUBITS = ("Q1", "Q2")


def found(arguments: dict[str, Any], card: ExperimentCard = CARD) -> dict[str, str]:
    """Check -> its messages and fixes, of every check that finds something."""
    call = ExperimentCall(card.name, arguments)
    every = {name: check(name, call, card, QUBITS) for name in CHECKS}
    return {name: " ".join(f"{message} {fix}" for message, fix in each) for name, each in every.items() if each}


@pytest.mark.parametrize(
    ("arguments", "card"),
    [
        ({"qubit": "Q1"}, CARD),
        ({"qubit": "Q1", "start": 1, "stop": 20.0, "points": 39}, CARD),
        ({"qubit": "Q1", "window": None, "update": False}, CARD),
        ({"qubit": "Q1", "partner": "Q2"}, PAIR),
        ({"qubits": "Q1, Q2"}, GROUP),
    ],
)
def test_a_sound_call_has_no_finding(arguments: dict[str, Any], card: ExperimentCard) -> None:
    assert found(arguments, card) == {}


@pytest.mark.parametrize(
    ("arguments", "name", "says"),
    [
        ({"qubit": "Q1", "ofset": 3.0}, "argument_names", "no parameter `ofset`. It has qubit, start, stop"),
        ({"qubit": "Q1", "point": 3}, "argument_names", "Did you mean `points`?"),
        ({"stop": 2.0}, "argument_names", "needs `qubit`, which has no default"),
        ({"qubit": "Q1", "points": "many"}, "types", "must be int, but is 'many'"),
        ({"qubit": "Q1", "points": True}, "types", "must be int"),
        ({"qubit": "Q1", "points": 41.5}, "types", "must be int, but is 41.5"),
        ({"qubit": "Q1", "update": 1}, "types", "must be bool"),
        ({"qubit": "Q1", "stop": None}, "types", "must be float"),
        ({"qubit": "Q1", "stop": 500}, "ranges", "between 0.05 and 300 us, but is 500"),
        ({"qubit": "Q1", "start": 2.0, "stop": 1.0}, "order", "2 is not below 1"),
        ({"qubit": "Q1", "start": 1.0}, "order", "1 is not below 1"),  # of the default
        ({"qubit": "Q7"}, "qubit", "no qubit 'Q7'. It has: Q1, Q2"),
        ({"qubit": "q1"}, "qubit", "no qubit 'q1'"),
    ],
)
def test_each_fault_is_found_by_its_check_alone(arguments: dict[str, Any], name: str, says: str) -> None:
    every = found(arguments)
    assert set(every) == {name}
    assert says in every[name]


def test_both_qubits_of_a_pair_and_all_of_a_group_are_looked_at() -> None:
    assert "'Q9'" in found({"qubit": "Q1", "partner": "Q9"}, PAIR)["qubit"]
    assert "'Q9'" in found({"qubits": "Q1, Q9"}, GROUP)["qubit"]
