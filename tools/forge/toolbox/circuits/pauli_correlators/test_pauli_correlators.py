"""Parities, errors, and what is refused."""

import pytest
from pydantic import ValidationError
from tools.pauli_correlators import PauliCorrelatorsInput, pauli_correlators

COUNTS = {"00": 10, "01": 20, "10": 30, "11": 40}


def _made(counts, subsets):
    return pauli_correlators(PauliCorrelatorsInput(counts=counts, subsets=subsets))


def test_invariant_even_minus_odd():
    made = _made(COUNTS, [[0], [1], [0, 1], [1, 0]])
    assert made.values == pytest.approx([-0.4, -0.2, 0.0, 0.0])
    assert made.shots == 100


def test_invariant_errors_are_binomial():
    made = _made(COUNTS, [[0], [0, 1]])
    assert made.errors == pytest.approx([((1 - 0.16) / 100) ** 0.5, 0.1])
    larger = _made({bits: 4 * count for bits, count in COUNTS.items()}, [[0], [0, 1]])
    assert larger.values == pytest.approx(made.values)
    assert larger.errors == pytest.approx([error / 2 for error in made.errors])


def test_agreeing_shots_have_no_spread():
    made = _made({"111": 7, "000": 0}, [[0, 1, 2], [0, 2]])
    assert made.values == [-1, 1]
    assert made.errors == [0, 0]


def test_error_outcomes_are_bitstrings_of_one_length():
    for counts in ({"0": 1, "00": 1}, {"02": 1}, {"ab": 3}):
        with pytest.raises(ValidationError, match="bitstrings"):
            _made(counts, [[0]])


def test_error_counts():
    for counts in ({"0": 0}, {"0": -1, "1": 5}):
        with pytest.raises(ValidationError, match="at least one shot"):
            _made(counts, [[0]])
    assert _made({"0": 1}, [[0]]).shots == 1


def test_error_subsets():
    for subset in ([], [0, 0], [2], [-1]):
        with pytest.raises(ValidationError, match="between 0 and 1"):
            _made(COUNTS, [subset])
    with pytest.raises(ValidationError):
        _made({}, [[0]])
