"""Tests of ring_strain_ladder."""

import pytest
from tools.ring_strain_ladder import RingStrainLadderInput, ring_strain_ladder


def _run(sizes, energies, reference):
    return ring_strain_ladder(RingStrainLadderInput(ring_sizes=sizes, reaction_energies=energies, reference=reference))


def test_invariant_the_ladder_gives_back_a_known_strain():
    known = {3: 27.5, 4: 26.3, 5: 6.2, 6: 0.1, 7: 6.2, 8: 9.7}
    sizes = [6, 4, 8, 5, 7]
    found = _run(sizes, [known[n - 1] - known[n] for n in sizes], 6)
    assert found.ring_sizes == [3, 4, 5, 6, 7, 8]
    assert found.strain == pytest.approx([known[n] - known[6] for n in range(3, 9)])


def test_invariant_the_reference_shifts_and_no_more():
    six, eight = _run([4, 5], [1.5, -2.0], 5), _run([4, 5], [1.5, -2.0], 3)
    assert six.strain == pytest.approx([-0.5, -2.0, 0.0])
    assert eight.strain == pytest.approx([0.0, -1.5, 0.5])


def test_error_ladders_with_gaps():
    with pytest.raises(ValueError, match="consecutive"):
        _run([4, 6], [1.0, 1.0], 4)
    with pytest.raises(ValueError, match="consecutive"):
        _run([4, 4], [1.0, 1.0], 4)
    with pytest.raises(ValueError, match="2 ring sizes need as many"):
        _run([4, 5], [1.0], 4)
    with pytest.raises(ValueError, match=r"reference 6 is not among the rings \[3, 4\]"):
        _run([4], [1.0], 6)
