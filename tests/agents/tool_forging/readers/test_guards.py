"""Conditions and wishes in places where letters have their furniture: none of them is lost in silence."""

from __future__ import annotations

import pytest

from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import read_task

QUBIT = (
    "QuTiP. One qubit with H = 0.4 X (rad/us), T1 = 21 us and T2 = 17 us. It starts in |0>, the ground state. "
    "Follow <Z> from t = 0 to t = 50 us with 101 points."
)
RING = (
    "Exact evolution of a ring of 7 qubits under H = -sum_i Z_i Z_{i+1} - 0.6 sum_i X_i with hbar = 1. All spins start "
    "up. Record <Z> of each site from t = 0 to t = 4 with 41 points."
)


@pytest.mark.parametrize("task", [QUBIT, RING])
def test_the_tasks_themselves_are_read(task: str) -> None:
    assert isinstance(read_task(TaskText(task)), list)


@pytest.mark.parametrize("task", [QUBIT, RING])
@pytest.mark.parametrize(
    "added",
    [
        "Thanks, and keep in mind the disorder.",
        "P.S. A kerr term of 0.37 has to be added.",
        "Also the skewness.",
        "Plus the negativity.",
        "My supervisor wants the discord.",
        "I want to know how large the participation is.",
        "Please remember the crosstalk.",
        "The laser fluctuates, once with and once without jitter.",
        "Comments: squeezed reservoir",
        "Author: average over random realisations",
        "Let me know if the ergotropy grows.",
        "What is the largest value?",
        "Tell me at which time it is smallest.",
        "How long does it take?",
        "The clock runs backwards.",
        "The fridge is at 3 K.",
        "A comparison with the mean-field result is needed.",
        "Do it for three different seeds.",
        "Remarks: stay within the symmetric subspace",
    ],
)
def test_what_is_added_is_not_passed_over(task: str, added: str) -> None:
    for text in (f"{task} {added}", f"{added}\n\n{task}", f"{task}\n\n{added}\n"):
        assert not isinstance(read_task(TaskText(text)), list)


def test_a_block_of_sites_is_no_chain_and_its_entropy_only_that_of_a_half() -> None:
    task = (
        "DMRG in TeNPy, open chain of 12 spins, H = -sum_i Z_i Z_{i+1} - 0.5 sum_i X_i, bond dimension 60. Report the "
        "energy and the entanglement entropy of the first %s sites with the others."
    )
    read = read_task(TaskText(task % "six"))
    assert isinstance(read, list)
    assert read[0].spec.model_dump()["sizes"] == [12]
    assert not isinstance(read_task(TaskText(task % "five")), list)
