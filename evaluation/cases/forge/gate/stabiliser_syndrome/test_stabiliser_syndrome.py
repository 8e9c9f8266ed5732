from functools import reduce
from itertools import product

import numpy as np
import pytest
from pydantic import ValidationError

from tools.stabiliser_syndrome import StabiliserSyndromeInput, stabiliser_syndrome

_FIVE = ["XZZXI", "IXZZX", "XIXZZ", "ZXIXZ"]
_STEANE = ["IIIXXXX", "IXXIIXX", "XIXIXIX", "IIIZZZZ", "IZZIIZZ", "ZIZIZIZ"]


def _run(error, stabilisers):
    return stabiliser_syndrome(StabiliserSyndromeInput(error=error, stabilisers=stabilisers)).syndrome


def test_invariant_five_qubit_code_tells_all_single_errors_apart():
    errors = ["I" * q + letter + "I" * (4 - q) for q in range(5) for letter in "XYZ"]
    syndromes = {tuple(_run(error, _FIVE)) for error in errors}
    assert len(syndromes) == 15
    assert (0, 0, 0, 0) not in syndromes


def test_known_syndromes():
    assert _run("XIIII", _FIVE) == [0, 0, 0, 1]
    assert _run("IIZII", _FIVE) == [0, 0, 1, 0]
    assert _run("IYIII", _FIVE) == [1, 1, 0, 1]
    assert _run("IXI", ["ZZI", "IZZ"]) == [1, 1]
    assert _run("IIX", ["ZZI", "IZZ"]) == [0, 1]


def test_steane_counts_the_place_in_binary():
    assert _run("IIIIXII", _STEANE) == [0, 0, 0, 1, 0, 1]
    assert _run("IIIIIZI", _STEANE) == [1, 1, 0, 0, 0, 0]


def test_invariant_matrices_commute_or_anticommute():
    single = {"I": np.eye(2), "X": np.array([[0, 1], [1, 0]]), "Y": np.array([[0, -1j], [1j, 0]]), "Z": np.diag([1, -1])}
    stabilisers = ["XX", "ZZ", "YY"]
    for word in product("IXYZ", repeat=2):
        error = np.kron(single[word[0]], single[word[1]])
        expected = []
        for name in stabilisers:
            matrix = reduce(np.kron, [single[letter] for letter in name])
            expected.append(0 if np.allclose(matrix @ error, error @ matrix) else 1)
        assert _run("".join(word), stabilisers) == expected


def test_invariant_stabilisers_and_logical_operators_have_no_syndrome():
    for word in [*_FIVE, "XXXXX", "ZZZZZ", "IIIII"]:
        assert _run(word, _FIVE) == [0, 0, 0, 0]


def test_error_letter():
    with pytest.raises(ValueError, match="letters"):
        _run("IXx", ["ZZI"])
    with pytest.raises(ValueError, match="letters"):
        _run("IXX", ["ZZ1"])


def test_error_length():
    with pytest.raises(ValueError, match="length"):
        _run("IX", ["ZZI"])
    with pytest.raises(ValueError, match="length"):
        _run("IXX", ["ZZI", "ZZ"])


def test_error_stabilisers_do_not_commute():
    with pytest.raises(ValueError, match="do not commute"):
        _run("III", ["ZZI", "IZZ", "XII"])


def test_error_empty():
    with pytest.raises(ValidationError, match="error"):
        _run("", ["Z"])
