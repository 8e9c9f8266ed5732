import pytest

from tools.interatomic_distances import InteratomicDistancesInput, interatomic_distances


def _made(positions):
    return interatomic_distances(InteratomicDistancesInput(positions=positions))


def test_invariant_symmetric_and_zero_on_the_diagonal():
    rows = _made([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 12.0]]).distances
    assert [rows[i][i] for i in range(3)] == [0.0, 0.0, 0.0]
    assert rows[0][1] == rows[1][0] == pytest.approx(5.0)
    assert rows[1][2] == pytest.approx(13.0)


def test_shortest():
    assert _made([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 12.0]]).shortest == pytest.approx(5.0)


def test_error_flat():
    with pytest.raises(ValueError, match="n x 3"):
        _made([[0.0, 0.0], [1.0, 1.0]])
