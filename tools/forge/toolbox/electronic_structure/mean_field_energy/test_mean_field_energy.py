"""Tests of mean_field_energy: sum rules, limits, and numbers from elsewhere."""

import math

import pytest
from tools.mean_field_energy import MeanFieldEnergyInput, mean_field_energy

WATER = {
    "symbols": ["O", "H", "H"],
    "positions": [[0.0, 0.0, 0.0], [0.0, -0.757, 0.587], [0.0, 0.757, 0.587]],
    "charge": 0,
    "multiplicity": 1,
}


def _run(**changes):
    return mean_field_energy(MeanFieldEnergyInput(**{**WATER, "method": "HF", "basis": "STO-3G", **changes}))


def test_water_is_as_published():
    # RHF/STO-3G of water at this geometry: -74.9629 hartree, 1.71 to 1.73 debye (Szabo and Ostlund, tables 3.13, 3.20)
    water = _run()
    assert water.energy == pytest.approx(-74.9629, abs=2e-4)
    assert water.dipole_magnitude == pytest.approx(1.72, abs=0.03)
    assert water.dipole[2] == pytest.approx(water.dipole_magnitude, abs=1e-6)  # towards the hydrogens
    assert water.n_alpha == water.n_beta == 5
    assert water.n_basis == len(water.orbital_energies) == 7
    assert water.orbital_energies_beta == []
    assert water.homo == pytest.approx(water.orbital_energies[4])
    assert water.lumo == pytest.approx(water.orbital_energies[5])
    assert water.homo_lumo_gap == pytest.approx(water.lumo - water.homo)
    assert water.homo == pytest.approx(-0.391, abs=3e-3)  # table 3.18: -0.391
    assert water.spin_square == pytest.approx(0.0, abs=1e-8)


def test_hydrogen_atom_has_one_electron_and_an_exact_sto3g_energy():
    # Szabo and Ostlund (3.229): -0.46658 hartree
    atom = _run(symbols=["H"], positions=[[0.0, 0.0, 0.0]], multiplicity=2)
    assert atom.energy == pytest.approx(-0.46658, abs=1e-5)
    assert (atom.n_alpha, atom.n_beta) == (1, 0)
    assert atom.spin_square == pytest.approx(0.75)
    assert len(atom.orbital_energies_beta) == 1
    assert atom.homo == pytest.approx(-0.46658, abs=1e-5)
    assert atom.lumo == pytest.approx(atom.orbital_energies_beta[0])
    assert atom.nuclear_repulsion == 0.0


def test_without_an_empty_orbital_there_is_no_gap():
    atom = _run(symbols=["He"], positions=[[0.0, 0.0, 0.0]])
    assert atom.lumo is None
    assert atom.homo_lumo_gap is None
    assert atom.energy == pytest.approx(-2.8078, abs=1e-4)


def test_invariant_charges_add_up_and_nothing_depends_on_where_the_molecule_lies():
    here = _run(charge=1, multiplicity=2)
    there = _run(charge=1, multiplicity=2, positions=[[x + 3.0, y - 1.0, z + 2.0] for x, y, z in WATER["positions"]])
    assert sum(here.mulliken_charges) == pytest.approx(1.0, abs=1e-6)
    alpha, beta = here.orbital_energies, here.orbital_energies_beta
    assert here.homo == pytest.approx(max(alpha[here.n_alpha - 1], beta[here.n_beta - 1]))
    assert here.lumo == pytest.approx(min(alpha[here.n_alpha], beta[here.n_beta]))
    assert alpha[here.n_alpha - 1] != pytest.approx(beta[here.n_beta - 1], abs=1e-3)
    assert here.spin_square > 0.7505
    assert here.mulliken_charges[1] == pytest.approx(here.mulliken_charges[2], abs=1e-5)
    assert there.energy == pytest.approx(here.energy, abs=1e-8)
    assert there.dipole == pytest.approx(here.dipole, abs=1e-5)
    assert here.nuclear_repulsion == pytest.approx(there.nuclear_repulsion)


def test_invariant_nuclear_repulsion_is_coulomb():
    pair = _run(symbols=["H", "He"], positions=[[0.0, 0.0, 0.0], [0.0, 0.0, 2 * 0.529177210]], charge=1)
    assert pair.nuclear_repulsion == pytest.approx(1.0, abs=1e-7)


def test_functional_grid_and_fitting_reach_the_calculation():
    usual = _run(method="B3LYP", grid_level=1)
    assert usual.energy < _run().energy - 0.2
    assert 1e-9 < abs(_run(method="B3LYP", grid_level=0).energy - usual.energy) < 0.05
    fitted = _run(density_fitting=True)
    assert 1e-7 < abs(fitted.energy - _run().energy) < 1e-3


def test_a_solvent_binds_water_and_coarse_cavities_agree():
    gas = _run()
    fine = _run(solvent_model="CPCM", dielectric=78.4)
    coarse = _run(solvent_model="CPCM", dielectric=78.4, lebedev_order=11)
    assert -0.02 < fine.energy - gas.energy < -0.002
    assert 1e-9 < abs(coarse.energy - fine.energy) < 1e-3
    assert fine.energy < _run(solvent_model="CPCM", dielectric=4.0).energy
    smd = _run(solvent_model="SMD", solvent="water", lebedev_order=11)
    assert -0.03 < smd.energy - gas.energy < 0.0
    assert _run(solvent_model="IEFPCM", dielectric=78.4).energy == pytest.approx(fine.energy, abs=1e-3)


def test_newton_finds_the_same_minimum():
    assert _run(second_order=True).energy == pytest.approx(_run().energy, abs=1e-7)


def test_dispersion_lowers_the_energy():
    assert (
        -1e-2
        < _run(method="B3LYP", grid_level=0, dispersion="d3bj").energy - _run(method="B3LYP", grid_level=0).energy
        < 0
    )


def test_a_core_potential_takes_the_core_out():
    atom = {"symbols": ["Kr"], "positions": [[0.0, 0.0, 0.0]], "basis": "LANL2DZ"}
    assert _run(**atom, core_potential="LANL2DZ").energy > -30.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"multiplicity": 2}, "10 electrons, which cannot have multiplicity 2"),
        ({"charge": 10}, "leaves 0 electrons"),
        ({"charge": 9, "multiplicity": 4}, "cannot have multiplicity 4"),
        ({"method": "B9LYP"}, "knows no functional 'B9LYP'"),
        ({"positions": [[0.0, 0.0, 0.0]]}, "3 symbols need as many rows"),
        ({"positions": [[0.0, 0.0]] * 3}, "rows of 3 coordinates"),
        ({"solvent_model": "CPCM"}, "needs `dielectric`"),
        ({"solvent_model": "SMD", "solvent": "aqua"}, "SMD needs `solvent`"),
        ({"symbols": ["Rb", "H"], "positions": [[0, 0, 0], [0, 0, 2]], "basis": "def2-SVP"}, "beyond krypton"),
    ],
)
def test_error_names_what_does_not_fit(changes, words):
    with pytest.raises(ValueError, match=words):
        _run(**changes)


def test_error_of_too_few_iterations():
    with pytest.raises(RuntimeError, match="did not converge in 2 iterations: set `second_order`"):
        _run(max_cycles=2)


def test_fields_are_finite():
    assert all(math.isfinite(value) for value in (*_run().dipole, *_run().mulliken_charges))
