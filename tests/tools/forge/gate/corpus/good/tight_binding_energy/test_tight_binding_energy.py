import pytest
import math

from tools.tight_binding_energy import TightBindingEnergyInput, tight_binding_energy


def _made(sites, particles, hopping=1.0, flux=0.0):
    given = TightBindingEnergyInput(sites=sites, particles=particles, hopping=hopping, flux=flux)
    return tight_binding_energy(given)


def test_invariant_full_band_has_no_energy():
    assert _made(7, 7, 0.8, 0.3).energy == pytest.approx(0.0, abs=1e-12)


def test_square_ring():
    made = _made(4, 1, 1.5)
    assert made.levels == pytest.approx([-3.0, 0.0, 0.0, 3.0], abs=1e-12)
    assert made.energy == pytest.approx(-3.0)


def test_flux_quantum_does_nothing():
    assert _made(6, 2, 1.0, 2 * math.pi).energy == pytest.approx(_made(6, 2).energy)
    # at half a quantum, two levels at -2 cos(pi / 6)
    assert _made(6, 2, 1.0, math.pi).energy == pytest.approx(-4 * math.cos(math.pi / 6))


def test_error_too_many():
    with pytest.raises(ValueError, match="at most 4"):
        _made(4, 5)
