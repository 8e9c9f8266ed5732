"""Tests of stretched_bond."""

import numpy as np
import pytest
from tools.stretched_bond import StretchedBondInput, stretched_bond

WATER = [[0.0, 0.0, 0.0], [0.0, -0.757, 0.587], [0.0, 0.757, 0.587]]
PEROXIDE = [[0.0, 0.7, 0.0], [0.0, -0.7, 0.0], [0.8, 0.9, 0.4], [-0.8, -0.9, 0.4]]


def _run(symbols, positions, i, j, distances):
    given = StretchedBondInput(symbols=symbols, positions=positions, fixed_atom=i, moved_atom=j, distances=distances)
    return stretched_bond(given)


def test_invariant_the_two_atoms_are_at_the_distance_and_both_sides_rigid():
    found = _run(["O", "O", "H", "H"], PEROXIDE, 0, 1, [1.2, 1.4, 3.0])
    assert found.moved == [1, 3]
    for distance, structure in zip([1.2, 1.4, 3.0], np.array(found.structures), strict=True):
        assert np.linalg.norm(structure[0] - structure[1]) == pytest.approx(distance)
        assert structure[[0, 2]].tolist() == [PEROXIDE[0], PEROXIDE[2]]
        assert structure[3] - structure[1] == pytest.approx(np.subtract(PEROXIDE[3], PEROXIDE[1]))
    assert np.array(found.structures[1]) == pytest.approx(np.array(PEROXIDE))


def test_only_one_side_moves():
    found = _run(["O", "H", "H"], WATER, 0, 2, [2.0])
    assert found.moved == [2]
    assert np.linalg.norm(found.structures[0][2]) == pytest.approx(2.0)


def test_far_atoms_are_no_neighbours():
    assert _run(["H", "H", "He"], [[0, 0, 0], [0, 0, 0.74], [0, 0, 3.0]], 0, 1, [1.0]).moved == [1]


def test_error_rings_shapes_and_distances():
    ring = [[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.75, 1.3, 0.0]]
    with pytest.raises(ValueError, match="lie in a ring"):
        _run(["C", "C", "C"], ring, 0, 1, [1.6])
    with pytest.raises(ValueError, match="two different atoms below 3"):
        _run(["O", "H", "H"], WATER, 1, 1, [1.0])
    with pytest.raises(ValueError, match="two different atoms below 3"):
        _run(["O", "H", "H"], WATER, 0, 3, [1.0])
    with pytest.raises(ValueError, match="3 symbols need 3 rows"):
        _run(["O", "H", "H"], WATER[:2], 0, 1, [1.0])
    with pytest.raises(ValueError, match="must be positive"):
        _run(["O", "H", "H"], WATER, 0, 1, [1.0, 0.0])
