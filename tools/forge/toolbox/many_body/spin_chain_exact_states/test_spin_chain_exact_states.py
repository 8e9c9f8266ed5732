"""Singlets and triplets, free fermions, cluster states, and both ways to diagonalise."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from tools.spin_chain_exact_states import SpinChainExactStatesInput, spin_chain_exact_states


def _string(letters, *sites, weight=1.0):
    return {"letters": letters, "sites": list(sites), "weight": weight}


def _exchange(n, ring=False):
    bonds = [(k, (k + 1) % n) for k in range(n if ring else n - 1)]
    return [_string(a + a, i, j, weight=0.25) for i, j in bonds for a in "XYZ"]


def _ising(n, field):
    return [_string("ZZ", k, k + 1, weight=-1.0) for k in range(n - 1)] + [
        _string("X", k, weight=-field) for k in range(n)
    ]


def _free_fermions(n, field):
    """Ground energy of the open transverse Ising chain: minus half the singular values' sum, Pfeuty 1970."""
    return -np.linalg.svd(np.diag([field] * n) + np.diag([1.0] * (n - 1), 1), compute_uv=False).sum()


def _made(n, hamiltonian, **more):
    return spin_chain_exact_states(
        SpinChainExactStatesInput(**({"n_sites": n, "hamiltonian": hamiltonian, "n_states": 1, "dense": n < 8} | more))
    )


def test_invariant_singlet_and_triplets():
    made = _made(
        2, _exchange(2), n_states=3, cuts=[0], observables=[_string("ZZ", 0, 1), _string("XX", 1, 0, weight=2.0)]
    )
    assert made.energies == pytest.approx([-0.75, 0.25, 0.25])
    assert made.entropies[0] == pytest.approx([math.log(2)])
    assert made.expectations[0] == pytest.approx([-1, -2])


@pytest.mark.parametrize("n", [6, 9])
def test_invariant_ising_chain_is_free_fermions(n):
    assert _made(n, _ising(n, 0.7)).energies[0] == pytest.approx(_free_fermions(n, 0.7), abs=1e-9)


def test_invariant_cluster_state():
    n = 5
    ring = [_string("ZXZ", (k - 1) % n, k, (k + 1) % n, weight=-1.0) for k in range(n)]
    made = _made(n, ring, cuts=[0, 1], observables=[_string("ZXXZ", 0, 1, 3, 4), _string("ZXZ", 0, 1, 2)])
    assert made.energies == pytest.approx([-5])
    assert made.expectations[0] == pytest.approx([1, 1])
    assert made.entropies[0] == pytest.approx([math.log(2), 2 * math.log(2)])


def test_entropies_belong_to_their_cuts_and_states_to_their_energies():
    """A singlet on sites 0 and 1 beside a spin in a field, whole and by Lanczos."""
    strings = [*_exchange(2), _string("Z", 2, weight=3.0), _string("Z", 3, weight=0.1)]
    for dense in (True, False):
        made = _made(
            4, strings, n_states=2, cuts=[0, 1, 2], dense=dense, observables=[_string("Z", 3), _string("Y", 3)]
        )
        assert made.energies == pytest.approx([-3.85, -3.65])
        assert made.entropies[1] == pytest.approx([math.log(2), 0, 0], abs=1e-9)
        assert np.allclose(made.expectations, [[-1, 0], [1, 0]], atol=1e-9)
    assert len(_made(2, _exchange(2), n_states=4, dense=True).energies) == 4
    everything = _made(11, [_string("Z", 0)], n_states=1, dense=False, cuts=[9])
    assert everything.energies == pytest.approx([-1])


def test_order_of_sites_and_signs():
    made = _made(3, [_string("Z", 0, weight=1.0), _string("X", 2, weight=-2.0), _string("Y", 1, weight=-0.5)],
                 observables=[_string("Z", 0), _string("Y", 1), _string("X", 2), _string("XY", 2, 1)], cuts=[0, 1])  # fmt: skip
    assert made.energies == pytest.approx([-3.5])
    assert made.expectations[0] == pytest.approx([-1, 1, 1, 1])
    assert made.entropies[0] == pytest.approx([0, 0], abs=1e-12)


def test_error_inputs():
    good = [_string("Z", 0)]
    for more, words in (
        ({"hamiltonian": [_string("ZZ", 0)]}, "as many different sites"),
        ({"hamiltonian": [_string("ZZ", 0, 0)]}, "as many different sites"),
        ({"hamiltonian": [_string("Z", 2)]}, "must lie in 0..1"),
        ({"observables": [_string("Z", -1)]}, "must lie in 0..1"),
        ({"n_states": 5}, "At most 4 states"),
        ({"n_states": 3, "dense": False}, "At most 2 states"),
        ({"n_sites": 12, "dense": True}, "does not fit"),
        ({"cuts": [1]}, "must lie in 0..0"),
    ):
        with pytest.raises(ValidationError, match=words):
            _made(2, **({"hamiltonian": good} | more))
