"""Precession, exchange, conservation, and the two methods against each other."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from tools.chain_exact_evolution import ChainExactEvolutionInput, chain_exact_evolution

TIMES = [0.25 * k for k in range(13)]


def _basis(n, bits):
    return [[float(k == int(bits, 2)), 0.0] for k in range(2**n)]


def _term(letters, *sites, coefficient=1.0):
    return {"coefficient": coefficient, "letters": letters, "sites": list(sites)}


def _observable(letters, *sites):
    return {"label": letters + "".join(map(str, sites)), "terms": [_term(letters, *sites)]}


def _made(n, hamiltonian, start, observables=(), **more):
    fields = {"n_qubits": n, "initial_state": start, "hamiltonian": hamiltonian, "observables": list(observables)}
    return chain_exact_evolution(ChainExactEvolutionInput(**(fields | {"times": TIMES} | more)))


def test_invariant_precession_of_one_spin():
    made = _made(1, [_term("X", 0, coefficient=0.5)], _basis(1, "0"), [_observable(letter, 0) for letter in "XYZ"])
    assert made.times == TIMES
    assert made.expectations["Z0"] == pytest.approx([math.cos(t) for t in TIMES], abs=1e-9)
    assert made.expectations["Y0"] == pytest.approx([-math.sin(t) for t in TIMES], abs=1e-9)
    assert made.expectations["X0"] == pytest.approx([0] * len(TIMES), abs=1e-9)
    assert made.return_probability == pytest.approx([math.cos(t / 2) ** 2 for t in TIMES], abs=1e-9)
    final = np.array(made.final_state) @ [1, 1j]
    assert final == pytest.approx([math.cos(1.5), -1j * math.sin(1.5)], abs=1e-9)


def test_invariant_an_excitation_swings_between_two_spins():
    exchange = [_term("XX", 0, 1, coefficient=0.5), _term("YY", 0, 1, coefficient=0.5)]
    made = _made(2, exchange, _basis(2, "10"), [_observable("Z", 0), _observable("Z", 1)], cuts=[1])
    assert made.expectations["Z0"] == pytest.approx([-math.cos(2 * t) for t in TIMES], abs=1e-9)
    assert made.expectations["Z1"] == pytest.approx([math.cos(2 * t) for t in TIMES], abs=1e-9)
    weights = math.cos(1.0) ** 2, math.sin(1.0) ** 2
    assert made.entropies[4] == pytest.approx([-sum(w * math.log(w) for w in weights)])


def test_invariant_energy_and_norm_are_conserved_whatever_the_method():
    n = 4
    chain = [_term("ZZ", k, k + 1, coefficient=-1.0) for k in range(n - 1)] + [
        _term("X", k, coefficient=0.7) for k in range(n)
    ]
    chain.append(_term("YX", 3, 0, coefficient=0.3))
    energy = {"label": "H", "terms": chain}
    dense = _made(n, chain, _basis(n, "0110"), [energy, _observable("Z", 2)], cuts=[1, 3])
    assert np.ptp(dense.expectations["H"]) < 1e-9
    assert dense.norm_error < 1e-9
    sparse = _made(n, chain, _basis(n, "0110"), [energy, _observable("Z", 2)], cuts=[1, 3], dense_up_to=3)
    assert sparse.expectations["Z2"] == pytest.approx(dense.expectations["Z2"], abs=1e-9)
    assert np.allclose(sparse.final_state, dense.final_state)
    assert np.allclose(sparse.entropies, dense.entropies)
    assert np.ptp(dense.expectations["Z2"]) > 0.1


def test_cuts_count_qubits_from_the_left():
    bell = [[math.sqrt(0.5) * (k in (0, 6)), 0.0] for k in range(8)]
    made = _made(3, [_term("Z", 0)], bell, cuts=[1, 2], times=[0.0])
    assert made.entropies == [pytest.approx([math.log(2), 0], abs=1e-9)]


def test_error_initial_state():
    for start in ([[1, 0]], [[1, 0, 0], [0, 0, 0]]):
        with pytest.raises(ValidationError, match="2 amplitudes"):
            _made(1, [_term("X", 0)], start)
    with pytest.raises(ValidationError, match="not normalised"):
        _made(1, [_term("X", 0)], [[1, 0], [1, 0]])


def test_error_strings():
    for term in (_term("XX", 0), _term("XX", 1, 1)):
        with pytest.raises(ValidationError, match="as many different sites"):
            _made(2, [term], _basis(2, "00"))
    for site in (2, -1):
        with pytest.raises(ValidationError, match="leaves the chain"):
            _made(2, [_term("X", 0)], _basis(2, "00"), [_observable("Z", site)])


def test_error_times_cuts_labels():
    for times in ([-0.1], [0.0, 1.0, 1.0], [1.0, 0.5]):
        with pytest.raises(ValidationError, match="Times must rise"):
            _made(1, [_term("X", 0)], _basis(1, "0"), times=times)
    for cut in (0, 2):
        with pytest.raises(ValidationError, match="between 1 and 1"):
            _made(2, [_term("X", 0)], _basis(2, "00"), cuts=[cut])
    with pytest.raises(ValidationError, match="one label"):
        _made(2, [_term("X", 0)], _basis(2, "00"), [_observable("Z", 0)] * 2)
