import numpy as np
import pytest
from pydantic import ValidationError
from scipy.special import j0

from tools.quasienergy_ladder import QuasienergyLadderInput, quasienergy_ladder


def _eps(splitting, amplitude, frequency):
    given = QuasienergyLadderInput(splitting=splitting, amplitude=amplitude, drive_frequency=frequency)
    return np.array(quasienergy_ladder(given).quasienergies)


def _shirley(splitting, amplitude, frequency, order=25):
    """Quasi-energies in the first zone from Shirley's time-independent matrix."""
    n = np.arange(-order, order + 1)
    static = splitting / 2 * np.kron(np.eye(n.size), np.diag([1.0, -1.0]))
    photons = np.kron(np.diag(n * frequency), np.eye(2))
    hop = np.eye(n.size, k=1) + np.eye(n.size, k=-1)
    levels = np.linalg.eigvalsh(static + photons + amplitude / 2 * np.kron(hop, np.array([[0.0, 1.0], [1.0, 0.0]])))
    return levels[(levels > -frequency / 2) & (levels <= frequency / 2)]


@pytest.mark.parametrize("case", [(1.3, 0.4, 0.9), (0.7, 1.1, 2.3), (2.9, 0.8, 1.7)])
def test_invariant_shirley_matrix(case):
    assert _eps(*case) == pytest.approx(_shirley(*case), abs=1e-7)


def test_invariant_no_drive_is_folded_splitting():
    assert _eps(0.6, 0.0, 1.0) == pytest.approx([-0.3, 0.3], abs=1e-8)
    assert _eps(2.6, 0.0, 1.0) == pytest.approx([-0.3, 0.3], abs=1e-8)
    assert _eps(3.0, 0.0, 2.0) == pytest.approx([-0.5, 0.5], abs=1e-8)


def test_invariant_fast_drive_is_bessel():
    a = 0.05 / 2 * j0(2 * 3.0 / 4.0)
    assert _eps(0.05, 3.0, 4.0) == pytest.approx([-a, a], abs=2e-6)


def test_invariant_both_at_the_upper_edge():
    assert _eps(1.5, 0.0, 1.5) == pytest.approx([0.75, 0.75], abs=1e-7)


def test_invariant_drive_alone_gives_zero():
    assert _eps(0.0, 0.8, 1.1) == pytest.approx([0.0, 0.0], abs=1e-8)


def test_weak_resonant_drive_splits_by_rabi_frequency():
    eps = _eps(2.0, 0.01, 2.0)
    # Near the edge: 1 - Rabi/2 above and -1 + Rabi/2 below, Rabi frequency equal to the amplitude
    assert eps == pytest.approx([-0.995, 0.995], abs=1e-4)


def test_error_frequency():
    with pytest.raises(ValidationError, match="drive_frequency"):
        _eps(1.0, 0.1, 0.0)
