"""Bonds, rings, disorder, power laws."""

import pytest
from pydantic import ValidationError
from tools.pauli_chain_terms import PauliChainTermsInput, pauli_chain_terms


def _pattern(letters, offsets, coefficient=1.0, **more):
    return {"letters": letters, "offsets": offsets, "coefficient": coefficient, **more}


def _made(n, boundary, *patterns):
    return pauli_chain_terms(PauliChainTermsInput(n_qubits=n, boundary=boundary, patterns=list(patterns)))


def _found(made):
    return {(term.letters, tuple(term.sites)): term.coefficient for term in made.terms}


def test_invariant_bonds_of_chain_and_ring():
    chain = _found(_made(4, "open", _pattern("ZZ", [0, 1], -2.0), _pattern("X", [0], 0.5)))
    assert chain == {("ZZ", (k, k + 1)): -2.0 for k in range(3)} | {("X", (k,)): 0.5 for k in range(4)}
    ring = _found(_made(4, "periodic", _pattern("ZZ", [0, 1])))
    assert ring == {("ZZ", (0, 1)): 1, ("ZZ", (1, 2)): 1, ("ZZ", (2, 3)): 1, ("ZZ", (0, 3)): 1}


def test_invariant_trace_of_the_square():
    assert _made(5, "open", _pattern("ZZ", [0, 1], 3.0), _pattern("X", [0], 2.0)).trace_of_square == 4 * 9 + 5 * 4


def test_letters_stay_with_their_sites_around_the_ring():
    ring = _found(_made(3, "periodic", _pattern("XZ", [0, 1])))
    assert ring == {("XZ", (0, 1)): 1, ("XZ", (1, 2)): 1, ("ZX", (0, 2)): 1}
    far = _found(_made(4, "open", _pattern("ZXZ", [0, 1, 2]), _pattern("YY", [0, 3], 0.1)))
    assert far == {("ZXZ", (0, 1, 2)): 1, ("ZXZ", (1, 2, 3)): 1, ("YY", (0, 3)): 0.1}


def test_equal_strings_are_added_up():
    assert _found(_made(2, "periodic", _pattern("ZZ", [0, 1]))) == {("ZZ", (0, 1)): 2.0}
    assert _found(_made(2, "open", _pattern("Z", [0], 1.0), _pattern("Z", [0], 0.5))) == {
        ("Z", (0,)): 1.5,
        ("Z", (1,)): 1.5,
    }


def test_disorder():
    found = _found(_made(3, "open", _pattern("Z", [0], 2.0, per_site=[0.1, -0.2, 0.3])))
    assert found == pytest.approx({("Z", (0,)): 0.2, ("Z", (1,)): -0.4, ("Z", (2,)): 0.6})


def test_power_law():
    chain = _found(_made(4, "open", _pattern("XX", [0, 1], 8.0, power=3.0)))
    assert chain[("XX", (0, 1))] == 8
    assert chain[("XX", (1, 3))] == 1
    assert chain[("XX", (0, 3))] == pytest.approx(8 / 27)
    assert len(chain) == 6
    ring = _found(_made(4, "periodic", _pattern("XX", [0, 1], 8.0, power=3.0)))
    assert ring[("XX", (0, 3))] == 8
    assert ring[("XX", (0, 2))] == 1


def test_error_offsets():
    for offsets in ([0], [1, 2], [0, 0], [0, 2, 1]):
        with pytest.raises(ValidationError, match="rising from 0"):
            _made(4, "open", _pattern("ZZ" if len(offsets) < 3 else "ZZZ", offsets))
    with pytest.raises(ValidationError, match="longer than the chain"):
        _made(3, "open", _pattern("ZZ", [0, 3]))
    with pytest.raises(ValidationError, match="letters"):
        _made(3, "open", _pattern("A", [0]))


def test_error_factors_and_powers():
    with pytest.raises(ValidationError, match="2 places, but 3 factors"):
        _made(3, "open", _pattern("ZZ", [0, 1], per_site=[1.0, 1.0, 1.0]))
    for wrong in (_pattern("Z", [0], power=1.0), _pattern("ZZ", [0, 1], power=1.0, per_site=[1.0, 1.0])):
        with pytest.raises(ValidationError, match="power law"):
            _made(3, "open", wrong)
