"""What the reader of control tasks understands, asks and leaves alone."""

from __future__ import annotations

import numpy as np
import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.control import READER
from labwright.tools.forge.families.control.spec import ControlSpec

CNOT = """# CNOT by optimal control
Two qubits interact with the drift Hamiltonian H0 = 0.5 * Z @ Z. The controls are H1 = X @ I, H2 = Y @ I, H3 = I @ X and H4 = I @ Y.
Use GRAPE (QuTiP) to find pulses that implement a CNOT gate in a total time T = 6 with 60 time slots. Amplitudes must lie between -2 and 2.
Report the gate fidelity (aim at a fidelity above 0.999), verify the pulses by evolving under them, and plot the pulses.
"""
LADDER = """A three-level ladder with levels |0>, |1>, |2> has the drift H0 = 0.3 |1><1| - 0.2 |2><2|. Control Hamiltonians: Hc1 = |0><1| + |1><0| and
Hc2 = |1><2| + |2><1|. Use optimal control with GRAPE to transfer |0> to (|0> + |2>)/sqrt(2) within T = 10 using 200 slots, amplitudes bounded by 1.
"""
LAMBDA = """Use GRAPE for a three-level Lambda system with levels |1>, |2>, |3>: Hc1 = |1><2| + |2><1|, Hc2 = |2><3| + |3><2|. Population goes from |1> to |3> while
the occupation of the level |2> is kept small. T = 20, 300 time slots.
"""


def _spec(text: str) -> ControlSpec:
    reply = READER.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, ControlSpec)
    return reply.spec


def test_a_gate_with_bounds_and_goal() -> None:
    spec = _spec(CNOT)
    assert (spec.goal, spec.target_name, spec.duration, spec.slots) == ("gate", "CNOT", 6.0, 60)
    assert (spec.lower, spec.upper, spec.fidelity_goal) == (-2.0, 2.0, 0.999)
    drift = np.array(spec.drift) @ [1, 1j]
    assert np.allclose(drift, np.diag([0.5, -0.5, -0.5, 0.5]))
    x = np.array([[0, 1], [1, 0]])
    assert np.allclose(np.array(spec.controls[0].matrix) @ [1, 1j], np.kron(x, np.eye(2)))
    assert np.allclose(np.array(spec.controls[2].matrix) @ [1, 1j], np.kron(np.eye(2), x))
    assert len(spec.controls) == 4
    assert not spec.penalties


def test_a_superposition_as_target_and_a_drift() -> None:
    spec = _spec(LADDER)
    assert spec.levels == ["0", "1", "2"]
    assert np.allclose(np.array(spec.target) @ [1, 1j], [[0.5**0.5], [0], [0.5**0.5]])
    assert np.allclose(np.diag(np.array(spec.drift) @ [1, 1j]), [0, 0.3, -0.2])
    assert (spec.lower, spec.upper, spec.slots) == (-1.0, 1.0, 200)


def test_a_level_to_keep_empty_and_a_shaped_start() -> None:
    spec = _spec(LAMBDA)
    assert [one.level for one in spec.penalties] == [1]
    assert spec.start == "random"
    shaped = _spec(LAMBDA + "Start from a counter-intuitive pair of pulses.\n")
    assert shaped.start == "counter_intuitive"


@pytest.mark.parametrize(
    "text",
    ["Use GRAPE to find a pulse on a transmon that is robust against noise, T = 20.",
     "Use the CRAB algorithm for optimal control of a qubit with H1 = X, T = 1, from |0> to |1>.",
     LAMBDA + "The level |2> decays at rate 0.1 (Lindblad collapse operators).",
     LAMBDA + "A static electric field of 3 V/m acts on all levels."],
)  # fmt: skip
def test_it_says_what_it_cannot_do(text: str) -> None:
    assert isinstance(READER.read(TaskText(text)), Unread)


@pytest.mark.parametrize(
    "text",
    [LAMBDA.replace("T = 20, ", ""), LAMBDA.replace("from |1> to |3>", "elsewhere"),
     "Use GRAPE for a qubit from |0> to |1> in T = 2 with 20 slots."],
)  # fmt: skip
def test_it_asks_for_what_is_missing(text: str) -> None:
    assert isinstance(READER.read(TaskText(text)), Question)


def test_other_tasks_are_left_alone() -> None:
    assert READER.read(TaskText("Measure the Bell state with 4096 shots.")) is None
