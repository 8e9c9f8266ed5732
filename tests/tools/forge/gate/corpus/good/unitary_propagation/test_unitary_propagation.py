import pytest
import math

from tools.unitary_propagation import UnitaryPropagationInput, unitary_propagation


def _made(hamiltonian, start, times):
    return unitary_propagation(UnitaryPropagationInput(hamiltonian=hamiltonian, start=start, times=times)).populations


def test_invariant_rabi_formula():
    # P = g^2/(g^2 + d^2/4) sin^2(sqrt(g^2 + d^2/4) t)
    g, d, t = 0.7, 0.9, 1.3
    omega = math.sqrt(g * g + d * d / 4)
    rows = _made([[0.0, g], [g, d]], 0, [0.0, t])
    assert rows[0] == pytest.approx([1.0, 0.0], abs=1e-14)
    assert rows[1][1] == pytest.approx(g * g / omega**2 * math.sin(omega * t) ** 2, abs=1e-12)
    assert sum(rows[1]) == pytest.approx(1.0)


def test_start_elsewhere():
    assert _made([[0, 1, 0], [1, 0, 0], [0, 0, 5]], 2, [0.4])[0] == pytest.approx([0, 0, 1], abs=1e-12)


def test_error_hamiltonian():
    with pytest.raises(ValueError, match="symmetric"):
        _made([[0.0, 1.0], [2.0, 0.0]], 0, [0.0])
    with pytest.raises(ValueError, match="no level 2"):
        _made([[0.0, 1.0], [1.0, 0.0]], 2, [0.0])
