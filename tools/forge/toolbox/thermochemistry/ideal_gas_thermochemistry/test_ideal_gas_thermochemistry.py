"""Tests of ideal_gas_thermochemistry: measured entropies, thermodynamic identities, limits."""

import math

import pytest
from tools.ideal_gas_thermochemistry import IdealGasThermochemistryInput, ideal_gas_thermochemistry

J_PER_MOL = 4.3597447222071e-18 * 6.02214076e23  # of one hartree
WATER = {
    "energy": -76.4,
    "masses": [15.999, 1.008, 1.008],
    "positions": [[0.0, 0.0, 0.0], [0.7572, 0.5865, 0.0], [-0.7572, 0.5865, 0.0]],
    "frequencies": [1594.7, 3657.1, 3755.9],
    "multiplicity": 1,
    "symmetry_number": 2,
    "temperature": 298.15,
    "pressure": 1e5,
}
NITROGEN = {"masses": [14.007, 14.007], "positions": [[0, 0, 0], [0, 0, 1.0977]], "frequencies": [2330.0]}
ARGON = {"masses": [39.948], "positions": [[1.0, 2.0, 3.0]], "frequencies": [], "symmetry_number": 1}


def _run(**changes):
    return ideal_gas_thermochemistry(IdealGasThermochemistryInput(**{**WATER, **changes}))


@pytest.mark.parametrize(
    ("molecule", "rotor", "entropy", "heat_capacity", "content"),
    [
        # measured at 298.15 K and 1 bar: S, Cp (J/mol/K), H(298)-H(0) (kJ/mol); CODATA and NIST-JANAF
        ({}, "general", 188.83, 33.59, 9.904),
        (NITROGEN, "linear", 191.61, 29.12, 8.670),
        (ARGON, "atom", 154.85, 20.79, 6.197),
    ],
)
def test_measured_entropies_and_heats(molecule, rotor, entropy, heat_capacity, content):
    found = _run(**molecule)
    assert found.rotor == rotor
    assert found.entropy * J_PER_MOL == pytest.approx(entropy, abs=0.25)
    assert found.heat_capacity * J_PER_MOL == pytest.approx(heat_capacity, abs=0.15)
    assert (found.enthalpy - found.energy_at_zero) * J_PER_MOL / 1000 == pytest.approx(content, abs=0.03)
    assert found.n_left_out == 0


def test_invariant_entropy_is_the_slope_of_gibbs():
    here, warmer, colder = _run(), _run(temperature=298.65), _run(temperature=297.65)
    assert -(warmer.gibbs - colder.gibbs) == pytest.approx(here.entropy, rel=1e-5)
    assert warmer.enthalpy - colder.enthalpy == pytest.approx(here.heat_capacity, rel=1e-5)
    assert here.gibbs == pytest.approx(here.enthalpy - 298.15 * here.entropy)
    parts = here.entropy_translation + here.entropy_rotation + here.entropy_vibration
    assert here.entropy == pytest.approx(parts)
    k = 3.166811563e-6
    assert here.enthalpy - here.internal_energy == pytest.approx(k * 298.15, rel=1e-6)


def test_invariant_pressure_spin_and_symmetry_enter_as_logarithms():
    kt = 3.166811563e-6 * 298.15
    here = _run()
    assert _run(pressure=2e5).gibbs - here.gibbs == pytest.approx(kt * math.log(2), rel=1e-6)
    assert _run(symmetry_number=1).gibbs - here.gibbs == pytest.approx(-kt * math.log(2), rel=1e-6)
    assert _run(multiplicity=3).gibbs - here.gibbs == pytest.approx(-kt * math.log(3), rel=1e-6)
    assert _run(multiplicity=3).enthalpy == here.enthalpy


def test_zero_point_energy_is_half_the_sum_and_imaginary_ones_are_left_out():
    found = _run(frequencies=[-300.0, 3657.1, 3755.9])
    assert found.n_left_out == 1
    assert found.zero_point_energy == pytest.approx((3657.1 + 3755.9) / 2 / 219474.6313632, rel=1e-9)
    assert found.energy_at_zero == pytest.approx(-76.4 + found.zero_point_energy)
    assert _run(temperature=20.0).internal_energy == pytest.approx(_run().energy_at_zero, abs=3e-4)


def test_a_floor_lifts_soft_modes_but_not_the_zero_point():
    soft = {"frequencies": [20.0, 3657.1, 3755.9]}
    usual, lifted = _run(**soft), _run(**soft, low_frequency_floor=100.0)
    assert lifted.gibbs > usual.gibbs + 1e-3
    assert lifted.zero_point_energy == usual.zero_point_energy
    assert lifted.entropy_vibration == pytest.approx(_run(frequencies=[100.0, 3657.1, 3755.9]).entropy_vibration)


def test_error_counts_do_not_fit():
    with pytest.raises(ValueError, match=r"3 atoms \(general\) have 3 vibrations, but 2"):
        _run(frequencies=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"2 atoms \(linear\) have 1 vibrations, but 0"):
        _run(**{**NITROGEN, "frequencies": []})
    with pytest.raises(ValueError, match="3 masses need 3 rows"):
        _run(positions=[[0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="temperature"):
        _run(temperature=0.0)
