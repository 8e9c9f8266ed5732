"""Short answers, as people type them, are read like sentences of the task."""

from __future__ import annotations

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.answers import as_told, asked_again
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import read_task

QUBIT = "A qubit with H = 0.5 X and T1 = 5 starts in |0>. Compute <Z> for t = 0 to 10 in 101 points."
DIMER = (
    "Excitons by HEOM: two sites with energies 0 and 100 1/cm and a coupling of 50 1/cm. Each has a Drude-Lorentz bath"
    " with reorganization energy 35 1/cm and cutoff time 100 fs at 300 K. It begins on site 1."
    " Compute the populations for 500 fs."
)
CHAIN = (
    "Evolve the Ising chain H = -sum Z_i Z_{i+1} - 0.5 sum X_i on 6 spins exactly from all spins up for t = 0 to 5 in"
    " 51 points. Compute the magnetisation along z at all sites."
)
GROUND = (
    "Find the ground state of H = -sum Z_i Z_{i+1} - 0.5 sum X_i on 20 sites with DMRG. Compute the energy per site."
)
VQE = "Compute the ground-state energy of H2 by VQE with UCCSD in STO-3G at 0.74 angstrom."
NOISY = (
    "Prepare a GHZ state of 3 qubits with a Hadamard and CNOTs in Qiskit with depolarising noise of 0.02 after each"
    " gate and give the counts in the computational basis with 1000 shots."
)
PULSE = (
    "Use GRAPE to find a pulse of duration 10 on a qubit without drift with control Hamiltonian X/2 that makes an X"
    " gate, with 50 slices."
)


@pytest.mark.parametrize(
    ("whole", "words", "asked", "answer"),
    [
        (QUBIT, " starts in |0>", "which state", "|0>"),
        (QUBIT, " starts in |0>", "which state", "It starts in |1>."),
        (QUBIT, " for t = 0 to 10 in 101 points", "which time", "10"),
        (QUBIT.replace("0.5 X", "w X with w = 0.5"), " with w = 0.5", "value of w", "1.3"),
        (DIMER, "reorganization energy 35 1/cm and ", "reorganization energy", "35"),
        (DIMER, " at 300 K", "temperature", "77 K"),
        (DIMER, " It begins on site 1.", "which site", "site 2"),
        (DIMER, " for 500 fs", "how long", "1 ps"),
        (CHAIN, " for t = 0 to 5 in 51 points", "total time", "5"),
        (CHAIN, " from all spins up", "which state", "000111"),
        (CHAIN, " from all spins up", "which state", "Neel state"),
        (GROUND, " on 20 sites", "how many sites", "20"),
        (VQE, " of H2", "which molecule", "LiH"),
        (VQE, " at 0.74 angstrom", "bond distance", "0.8 angstrom"),
        (NOISY, " of 0.02", "which probability", "0.05"),
        (PULSE, " of duration 10", "how long", "12"),
    ],
)
def test_a_short_answer_to_a_question_is_read(whole: str, words: str, asked: str, answer: str) -> None:
    assert words in whole
    text = whole.replace(words, "", 1)
    question = read_task(TaskText(text))
    assert isinstance(question, Question), question
    assert asked in question.text.lower()
    read = read_task(TaskText(as_told(f"{text}\n\n## Clarifications\n\n- {question.text} {answer}\n")))
    assert isinstance(read, list), read
    assert len(read) == 1


def test_the_last_of_several_answers_counts() -> None:
    first, again = "In which state does the system begin?", 'That answer is not understood: "no idea". '
    text = f"{QUBIT.replace(' starts in |0>', '')}\n\n## Clarifications\n\n- {first} no idea\n"
    assert asked_again(first, text) == again + first
    assert asked_again("How many qubits does the chain have?", text).startswith("How many")
    told = as_told(f"{text}- {again}{first} |1>\n")
    assert "no idea" not in told
    assert told.endswith("Initial state: |1>.\n")
    assert asked_again(first, f'{text}- {again}{first} the "other" one\n').startswith(
        "That answer is not understood: \"the 'other' one\". In which"
    )


def test_what_answers_no_known_question_stays_below_its_heading() -> None:
    told = as_told("Do it.\n\n## Clarifications\n\n- Which Rabi frequency holds, 1.3 or 2 rad/us? 2\n")
    assert told == "Do it.\n\n## Clarifications\n\n- Which Rabi frequency holds, 1.3 or 2 rad/us? 2\n"
    assert as_told("Nothing was asked.") == "Nothing was asked."


def test_an_answer_may_have_several_lines() -> None:
    told = as_told(
        "Do it.\n\n## Clarifications\n\n- What is the Hamiltonian? 1 2\n2 1\n- How many qubits does it have? 2\n"
    )
    assert told == "Do it.\n\nH = 1 2\n2 1.\n\nThere are 2 qubits.\n"
