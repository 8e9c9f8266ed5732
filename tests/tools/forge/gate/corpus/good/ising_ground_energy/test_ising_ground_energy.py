import pytest
from pydantic import ValidationError

from tools.ising_ground_energy import IsingGroundEnergyInput, ising_ground_energy


def _made(sites, coupling, field):
    return ising_ground_energy(IsingGroundEnergyInput(sites=sites, coupling=coupling, field=field))


def test_invariant_free_spins():
    made = _made(5, 0.0, 0.4)
    assert made.energy == pytest.approx(-2.0)
    assert made.gap == pytest.approx(0.8)


def test_no_field():
    made = _made(5, 1.5, 0.0)
    assert made.energy == pytest.approx(-6.0)
    assert made.gap == pytest.approx(0.0, abs=1e-12)


def test_two_spins():
    # the even sector of two spins: E = -sqrt(J^2 + 4 h^2)
    made = _made(2, 1.0, 0.5)
    assert made.energy == pytest.approx(-(2**0.5))
    assert made.gap == pytest.approx(2**0.5 - 1)


def test_error_too_many():
    with pytest.raises(ValidationError, match="sites"):
        _made(11, 1.0, 1.0)
