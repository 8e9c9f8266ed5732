"""Angles, symmetry, and the order of the error, against the exact exponential."""

import math
from collections import defaultdict

import numpy as np
import pytest
from pydantic import ValidationError
from tools.product_formula_step import ProductFormulaStepInput, product_formula_step

PAULI = {"I": np.eye(2), "X": np.array([[0, 1], [1, 0]]), "Y": np.array([[0, -1j], [1j, 0]]), "Z": np.diag([1, -1])}


def _term(letters, sites, coefficient=1.0):
    return {"letters": letters, "sites": sites, "coefficient": coefficient}


ISING = [_term("ZZ", [0, 1], -1.0), _term("ZZ", [1, 2], -1.2), *(_term("X", [k], 0.7) for k in range(3))]


def _made(terms, time_step=0.1, order=2):
    return product_formula_step(ProductFormulaStepInput(terms=terms, time_step=time_step, order=order))


def _matrix(letters, sites):
    made = np.eye(1)
    for site in range(3):
        made = np.kron(made, PAULI[letters[sites.index(site)] if site in sites else "I"])
    return made


def _unitary(made):
    total = np.eye(8, dtype=complex)
    for one in made.rotations:
        string = _matrix(one.letters, one.sites)
        total = (math.cos(one.angle) * np.eye(8) - 1j * math.sin(one.angle) * string) @ total
    return total


def _exact(terms, time):
    energies, vectors = np.linalg.eigh(sum(t["coefficient"] * _matrix(t["letters"], t["sites"]) for t in terms))
    return vectors @ np.diag(np.exp(-1j * energies * time)) @ vectors.conj().T


def _error(order, time_step):
    return np.abs(_unitary(_made(ISING, time_step, order)) - _exact(ISING, time_step)).max()


def test_invariant_angles_add_up():
    for order in (1, 2):
        total = defaultdict(float)
        for one in _made(ISING, 0.3, order).rotations:
            key = (one.letters, tuple(one.sites))
            total[key] += one.angle
        assert total == pytest.approx({(t["letters"], tuple(t["sites"])): 0.3 * t["coefficient"] for t in ISING})


def test_invariant_error_shrinks_with_the_power_of_the_step():
    assert _error(1, 0.1) / _error(1, 0.05) == pytest.approx(4, rel=0.1)
    assert _error(2, 0.1) / _error(2, 0.05) == pytest.approx(8, rel=0.1)
    assert _error(2, 0.05) < 0.2 * _error(1, 0.05)


def test_invariant_second_order_undone_by_its_reverse():
    there, back = _unitary(_made(ISING, 0.4)), _unitary(_made(ISING, -0.4))
    assert np.allclose(there @ back, np.eye(8))
    one_way = _unitary(_made(ISING, 0.4, 1)) @ _unitary(_made(ISING, -0.4, 1))
    assert not np.allclose(one_way, np.eye(8), atol=1e-3)


def test_layers_commute_within():
    made = _made(ISING)
    assert made.layers == 2
    assert [one.letters for one in made.rotations] == ["X"] * 3 + ["ZZ"] * 2 + ["X"] * 3
    assert [one.letters for one in _made(ISING, order=1).rotations] == ["X"] * 3 + ["ZZ"] * 2
    heisenberg = [_term(letter * 2, [0, 1]) for letter in "XYZ"]
    assert _made(heisenberg).layers == 1
    assert np.allclose(_unitary(_made(heisenberg, 0.7)), _exact(heisenberg, 0.7))
    assert _made([_term("XZ", [0, 1]), _term("X", [0]), _term("X", [1])]).layers == 2
    assert _made([_term("X", [0]), _term("Y", [0]), _term("Z", [0])]).layers == 3


def test_one_layer_is_exact_whatever_the_order():
    for order in (1, 2):
        assert np.allclose(_unitary(_made(ISING[:2], 2.0, order)), _exact(ISING[:2], 2.0))


def test_error_sites():
    for sites in ([0], [0, 0]):
        with pytest.raises(ValidationError, match="as many different sites"):
            _made([_term("ZZ", sites)])


def test_error_order_and_letters():
    for wrong in (lambda: _made(ISING, order=3), lambda: _made([_term("A", [0])]), lambda: _made([])):
        with pytest.raises(ValidationError):
            wrong()
