import pytest

from tools.sampled_counts import SampledCountsInput, sampled_counts


def _made(probabilities, shots, seed=3):
    return sampled_counts(SampledCountsInput(probabilities=probabilities, shots=shots, seed=seed)).counts


def test_invariant_counts_add_up():
    counts = _made([0.2, 0.0, 0.8], 20000)
    assert sum(counts) == 20000
    assert counts[1] == 0
    assert counts[0] / 20000 == pytest.approx(0.2, abs=0.012)


def test_seeds_differ():
    assert _made([0.5, 0.5], 1000, 1) != _made([0.5, 0.5], 1000, 2)


def test_error_not_normalised():
    with pytest.raises(ValueError, match="add up to 0.9"):
        _made([0.5, 0.4], 10)
    with pytest.raises(ValueError, match="positive"):
        _made([1.5, -0.5], 10)
