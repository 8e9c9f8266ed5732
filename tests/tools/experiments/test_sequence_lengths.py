"""Lengths of benchmarking sequences."""

import pytest

from labwright.tools.experiments.single_qubit_rb import sequence_lengths


@pytest.mark.parametrize("longest", [8, 9, 31, 64, 2048, 8192])
@pytest.mark.parametrize("number", [4, 12, 40])
def test_lengths_grow_from_one_to_the_longest(longest: int, number: int) -> None:
    lengths = sequence_lengths(longest, number)
    assert (lengths[0], lengths[-1]) == (1, longest)
    assert (lengths[1:] > lengths[:-1]).all()
