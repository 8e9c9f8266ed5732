"""Algebra of the elementary operators."""

import numpy as np
import pytest
from pydantic import ValidationError
from tools.operator_from_terms import OperatorFromTermsInput, operator_from_terms


def _term(*factors, coefficient=(1.0, 0.0)):
    return {"coefficient": list(coefficient), "factors": [{"op": op, "site": site} for op, site in factors]}


def _made(dims, *terms):
    return operator_from_terms(OperatorFromTermsInput(dims=dims, terms=list(terms)))


def _matrix(dims, *terms):
    return np.array(_made(dims, *terms).matrix) @ [1, 1j]


def test_invariant_pauli_algebra():
    x, y, z = (_matrix([2], _term((op, 0))) for op in "XYZ")
    for one in (x, y, z):
        assert np.allclose(one @ one, np.eye(2))
    assert np.allclose(x @ y, 1j * z)
    assert np.allclose(y @ z, 1j * x)
    assert np.allclose(z, [[1, 0], [0, -1]])
    lowering = _matrix([2], _term(("M", 0)))
    assert np.allclose(lowering, (x - 1j * y) / 2)
    assert np.allclose(_matrix([2], _term(("P", 0))), lowering.T)


def test_invariant_oscillator_algebra():
    a, adag, n = (_matrix([4], _term((op, 0))) for op in ("a", "adag", "n"))
    assert np.allclose(adag @ a, n)
    assert np.allclose(np.diag(n), [0, 1, 2, 3])
    assert np.allclose((a @ adag - adag @ a)[:3, :3], np.eye(4)[:3, :3])
    assert np.allclose(a @ [0, 0, 1, 0], [0, np.sqrt(2), 0, 0])


def test_invariant_different_sites_commute_and_site_0_is_leftmost():
    x, z = _matrix([2, 3], _term(("X", 0))), _matrix([2, 3], _term(("n", 1)))
    assert np.allclose(x @ z, z @ x)
    assert np.allclose(x @ z, _matrix([2, 3], _term(("X", 0), ("n", 1))))
    assert np.allclose(np.diag(z), [0, 1, 2, 0, 1, 2])
    assert np.allclose(np.diag(_matrix([2, 2, 2], _term(("Z", 1)))), [1, 1, -1, -1, 1, 1, -1, -1])


def test_products_and_sums_have_their_order_and_coefficients():
    made = _matrix([2], _term(("X", 0), ("Y", 0), coefficient=(0.0, 2.0)), _term(coefficient=(0.5, 0.0)))
    assert np.allclose(made, 2j * 1j * np.diag([1, -1]) + 0.5 * np.eye(2))
    assert np.allclose(_matrix([2]), 0)
    assert np.allclose(_matrix([3], _term(("I", 0))), np.eye(3))


def test_transitions_between_levels():
    made = _matrix([3], _term(("|2><0|", 0)))
    assert made[2, 0] == 1
    assert np.abs(made).sum() == 1


def test_hermitian_or_not():
    asked = [
        [_term(("X", 0)), _term(("Y", 0))],
        [_term(("M", 0))],
        [_term(("X", 0), coefficient=(1.0, 1e-9))],
        [_term(("X", 0), coefficient=(1.0, 1e-13))],
    ]
    assert [_made([2], *terms).hermitian for terms in asked] == [True, False, False, True]


def test_error_unknown_operator():
    with pytest.raises(ValidationError, match="not known"):
        _made([2], _term(("Q", 0)))


def test_error_levels_must_fit():
    with pytest.raises(ValidationError, match="needs two levels"):
        _made([3], _term(("X", 0)))
    for op in ("|3><0|", "|0><3|"):
        with pytest.raises(ValidationError, match="lacks"):
            _made([3], _term((op, 0)))
    with pytest.raises(ValidationError, match="there are 1 sites"):
        _made([2], _term(("X", 1)))


def test_error_dimensions():
    for dims in ([0], [64, 65]):
        with pytest.raises(ValidationError, match="at most 4096"):
            _made(dims)
    with pytest.raises(ValidationError):
        _made([])
