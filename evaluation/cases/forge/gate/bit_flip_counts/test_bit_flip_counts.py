import numpy as np
import pytest
from pydantic import ValidationError

from tools.bit_flip_counts import BitFlipCountsInput, bit_flip_counts


def _run(counts, probabilities):
    return bit_flip_counts(BitFlipCountsInput(counts=counts, flip_probabilities=probabilities)).expected_counts


def test_two_bits_by_hand():
    out = _run({"00": 100, "10": 50}, [0.1, 0.2])
    assert list(out) == ["00", "01", "10", "11"]
    expected = {
        "00": 100 * 0.9 * 0.8 + 50 * 0.1 * 0.8,
        "01": 100 * 0.9 * 0.2 + 50 * 0.1 * 0.2,
        "10": 100 * 0.1 * 0.8 + 50 * 0.9 * 0.8,
        "11": 100 * 0.1 * 0.2 + 50 * 0.9 * 0.2,
    }
    assert out == pytest.approx(expected, rel=1e-13)


def test_invariant_product_matrix():
    counts = {"000": 7, "011": 120, "101": 33, "110": 1, "100": 60}
    p = [0.03, 0.3, 0.11]
    matrix = np.eye(1)
    for q in p:
        matrix = np.kron(matrix, [[1 - q, q], [q, 1 - q]])
    ideal = np.zeros(8)
    for word, count in counts.items():
        ideal[int(word, 2)] = count
    out = _run(counts, p)
    assert [out[format(i, "03b")] for i in range(8)] == pytest.approx((matrix @ ideal).tolist(), rel=1e-12)
    assert sum(out.values()) == pytest.approx(221, rel=1e-13)


def test_invariant_no_error_changes_nothing():
    assert _run({"01": 5, "11": 2}, [0.0, 0.0]) == {"00": 0.0, "01": 5.0, "10": 0.0, "11": 2.0}


def test_invariant_certain_flip_of_one_bit():
    assert _run({"011": 9}, [0.0, 1.0, 0.0])["001"] == 9.0


def test_invariant_parity_shrinks_by_its_factor():
    out = _run({"01": 30, "11": 70, "00": 11}, [0.1, 0.25])
    parity = sum((-1) ** word.count("1") * n for word, n in out.items())
    assert parity == pytest.approx((1 - 0.2) * (1 - 0.5) * (-30 + 70 + 11), rel=1e-12)


@pytest.mark.parametrize("word", ["0", "000", "0a", "02"])
def test_error_word(word):
    with pytest.raises(ValueError, match="not a word"):
        _run({"01": 1, word: 3}, [0.1, 0.2])


def test_error_negative_count():
    with pytest.raises(ValueError, match="negative"):
        _run({"0": 3, "1": -1}, [0.1])


@pytest.mark.parametrize("probabilities", [[0.2, 1.1], [-0.1, 0.2]])
def test_error_probability(probabilities):
    with pytest.raises(ValueError, match="between 0 and 1"):
        _run({"00": 3}, probabilities)


def test_error_no_bits():
    with pytest.raises(ValidationError, match="flip_probabilities"):
        _run({"": 3}, [])
