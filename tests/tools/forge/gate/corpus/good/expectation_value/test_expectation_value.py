import pytest

from tools.expectation_value import ExpectationValueInput, expectation_value


X = [[[0, 0], [1, 0]], [[1, 0], [0, 0]]]
Y = [[[0, 0], [0, -1]], [[0, 1], [0, 0]]]
LOWER = [[[0, 0], [1, 0]], [[0, 0], [0, 0]]]


def _made(state, operator):
    return expectation_value(ExpectationValueInput(state=state, operator=operator))


def test_invariant_hermitian_is_real():
    made = _made([[0.6, 0.0], [0.0, 0.8]], Y)
    assert made.value == pytest.approx([0.96, 0.0], abs=1e-14)
    assert made.norm == pytest.approx(1.0)


def test_order_of_bra_and_ket():
    # <psi|lower|psi> = conj(a) b
    assert _made([[0.6, 0.0], [0.0, 0.8]], LOWER).value == pytest.approx([0.0, 0.48], abs=1e-14)


def test_not_normalised():
    made = _made([[1.0, 0.0], [1.0, 0.0]], X)
    assert made.value == pytest.approx([2.0, 0.0])
    assert made.norm == pytest.approx(2**0.5)


def test_error_sizes():
    with pytest.raises(ValueError, match="acts on 2 levels"):
        _made([[1.0, 0.0]], X)
    with pytest.raises(ValueError, match="n x n x 2"):
        _made([[1.0, 0.0]], [[[1.0]]])
