"""What is offered for words that were not read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plan_labs import QUBITS, catalogue, said

from labwright.tools.specifications.nearest_runnable_lines import Nearest, nearest

LINES = Path(__file__).parents[3] / "evaluation" / "cases" / "translation" / "sealed.jsonl"


def found(words: str) -> Nearest:
    return nearest(words, words, catalogue(), QUBITS)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("How long does Q2 stay excited?", "t1"),
        ("look for the readout cavity of Q1 again", "resonator_spectroscopy"),
        ("could somebody do error amplification for the pi pulse of Q3", "amplitude_pingpong"),
        ("two-qubit Clifford randomized benchmarking for Q1 and Q2 would be great", "two_qubit_rb"),
    ],
)
def test_the_right_experiment_is_among_three_lines(words: str, name: str) -> None:
    lines = found(words).lines
    assert len(lines) <= 3
    assert name in [line.partition(" ")[0] for line in lines]


def test_most_free_lines_of_others_have_their_experiment_among_three() -> None:
    cases = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    served = [case for case in cases if case["experiment"] and case["outcome"] != "ask"]
    right = [case["experiment"] in " ".join(found(case["instruction"]).lines) for case in served]
    assert len(served) > 40
    assert sum(right) > 0.75 * len(served)


@pytest.mark.parametrize("words", ["", "   ", "Q1", "Please book the meeting room", "…", "\x00"])
def test_nothing_is_offered_where_no_card_has_a_word_of_it(words: str) -> None:
    assert found(words).lines == ()


def test_lines_are_filled_with_what_is_exact_and_can_be_read() -> None:
    words = "perhaps a Ramsey measurement on Q2 with stop = 9 us and colour = 3, as in notes.md"
    near = found(words)
    assert near.files == ("notes.md",)
    line = next(line for line in near.lines if line.startswith("ramsey"))
    assert line == "ramsey Q2, stop = 9 us"
    for each in near.lines:
        assert not [problem for problem in said(each).problems if not problem.missing]


def test_files_are_named() -> None:
    assert found("calibrate as in plans/weekly.yaml please").files == ("plans/weekly.yaml",)
