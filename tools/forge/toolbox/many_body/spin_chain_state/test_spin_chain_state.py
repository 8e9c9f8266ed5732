"""Norm, order, randomness."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from tools.spin_chain_state import SpinChainStateInput, spin_chain_state


def _made(**given):
    return spin_chain_state(SpinChainStateInput(**given))


def _psi(made):
    return np.array(made.amplitudes) @ [1, 1j]


def test_invariant_haar_states_are_normalised_and_made_again_from_their_seed():
    one, again, other = (_made(n_qubits=5, kind="haar", seed=seed) for seed in (1, 1, 2))
    assert np.linalg.norm(_psi(one)) == pytest.approx(1)
    assert one == again
    assert abs(np.vdot(_psi(one), _psi(other))) < 0.6


def test_invariant_moments_of_haar_states():
    """E|c|^4 = 2 / (d (d + 1)); Z has mean 0 and variance 1 / (d + 1)."""
    drawn = [_made(n_qubits=3, kind="haar", seed=seed) for seed in range(400)]
    psi = np.array([_psi(one) for one in drawn])
    assert (np.abs(psi) ** 4).mean() == pytest.approx(2 / (8 * 9), rel=0.1)
    assert abs((psi**2).mean()) < 0.01
    assert np.abs(psi.real).std() == pytest.approx(np.abs(psi.imag).std(), rel=0.1)
    z = np.array([one.magnetisation for one in drawn])
    assert abs(z.mean()) < 0.05
    assert z.var() == pytest.approx(1 / 9, rel=0.2)


def test_bits_have_qubit_0_on_the_left_and_0_up():
    made = _made(n_qubits=3, kind="bits", bits="100")
    assert made.magnetisation == [-1, 1, 1]
    assert made.amplitudes[4] == [1, 0]
    assert np.abs(_psi(made)).sum() == 1


def test_invariant_products_point_where_they_should():
    directions = [[0.4, 0.0], [math.pi / 2, math.pi / 2], [math.pi, 0.0]]
    made = _made(n_qubits=3, kind="product", directions=directions)
    assert made.magnetisation == pytest.approx([math.cos(0.4), 0, -1], abs=1e-12)
    state = _psi(made).reshape(2, 2, 2)
    assert state[0, 1, 1] == pytest.approx(math.cos(0.2) * 1j * math.sqrt(0.5))
    assert state[1, 0, 1] == pytest.approx(math.sin(0.2) * math.sqrt(0.5))


def test_error_incomplete():
    with pytest.raises(ValidationError, match="needs a seed"):
        _made(n_qubits=2, kind="haar")
    for bits in ("0", "02", ""):
        with pytest.raises(ValidationError, match="2 of 0 and 1"):
            _made(n_qubits=2, kind="bits", bits=bits)
    for directions in ([[0.0, 0.0]], [[0.0], [0.0]]):
        with pytest.raises(ValidationError, match="2 directions"):
            _made(n_qubits=2, kind="product", directions=directions)


def test_error_size():
    for size in (0, 21):
        with pytest.raises(ValidationError, match="n_qubits"):
            _made(n_qubits=size, kind="haar", seed=1)
