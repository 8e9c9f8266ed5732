import pytest

from tools.reduced_density_matrix import ReducedDensityMatrixInput, reduced_density_matrix


S = 2**-0.5


def _made(state, first_dimension=2):
    return reduced_density_matrix(ReducedDensityMatrixInput(state=state, first_dimension=first_dimension))


def test_invariant_bell_state_is_mixed():
    made = _made([[S, 0], [0, 0], [0, 0], [S, 0]])
    assert made.purity == pytest.approx(0.5)
    assert made.rho[0][0] == pytest.approx([0.5, 0.0])
    assert made.rho[0][1] == pytest.approx([0.0, 0.0], abs=1e-15)


def test_product_state_keeps_its_phase():
    # (|0> + i|1>)/sqrt 2 times |1>
    made = _made([[0, 0], [S, 0], [0, 0], [0, S]])
    assert made.purity == pytest.approx(1.0)
    assert made.rho[1][0] == pytest.approx([0.0, 0.5], abs=1e-12)


def test_other_dimensions():
    made = _made([[0.6, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0.8, 0]], 3)
    assert [made.rho[i][i][0] for i in range(3)] == pytest.approx([0.36, 0.0, 0.64], abs=1e-12)


def test_error_sizes_and_norm():
    with pytest.raises(ValueError, match="do not divide"):
        _made([[1, 0], [0, 0], [0, 0]])
    with pytest.raises(ValueError, match="not normalised"):
        _made([[1, 0], [1, 0]])
