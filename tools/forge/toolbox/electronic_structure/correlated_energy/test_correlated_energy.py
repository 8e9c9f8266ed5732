"""Tests of correlated_energy: exactness for two electrons, order of the methods, published numbers."""

import pytest
from tools.correlated_energy import CorrelatedEnergyInput, correlated_energy

H2 = {"symbols": ["H", "H"], "positions": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.7414]]}
LIH = {"symbols": ["Li", "H"], "positions": [[0.0, 0.0, 0.0], [0.0, 0.0, 1.6]]}


def _run(treatment, molecule=LIH, **changes):
    usual = {"charge": 0, "multiplicity": 1, "method": "HF", "basis": "STO-3G", "treatment": treatment}
    return correlated_energy(CorrelatedEnergyInput(**{**molecule, **usual, **changes}))


def test_hydrogen_is_as_published():
    # full CI of H2 in STO-3G at 0.7414 angstrom: -1.13727 hartree (Szabo and Ostlund, section 4.1)
    found = _run("FCI", H2)
    assert found.energy == pytest.approx(-1.13727, abs=2e-5)
    assert found.reference_energy == pytest.approx(-1.11668, abs=2e-5)
    assert found.correlation_energy == pytest.approx(found.energy - found.reference_energy)


def test_invariant_coupled_clusters_are_exact_for_two_electrons():
    exact = _run("FCI", H2, basis="6-31G").energy
    assert _run("CCSD", H2, basis="6-31G").energy == pytest.approx(exact, abs=1e-6)
    assert _run("CCSD(T)", H2, basis="6-31G").energy == pytest.approx(exact, abs=1e-6)
    assert _run("MP2", H2, basis="6-31G").energy > exact + 1e-3


def test_invariant_methods_come_nearer_to_the_exact_energy():
    energies = [_run(one).energy for one in ("MP2", "CCSD", "CCSD(T)", "FCI")]
    exact = energies[3]
    distances = [abs(one - exact) for one in energies]
    assert distances[0] > distances[1] > distances[2]
    assert exact < _run("MP2").reference_energy


def test_frozen_orbitals_take_correlation_away():
    for treatment in ("MP2", "CCSD", "FCI"):
        all_of_them, valence = _run(treatment), _run(treatment, frozen=1)
        assert all_of_them.energy < valence.energy < valence.reference_energy
    # the two valence electrons of LiH: coupled clusters are exact again
    assert _run("CCSD", frozen=1).energy == pytest.approx(_run("FCI", frozen=1).energy, abs=1e-6)


def test_open_shells_can_be_frozen_too():
    doublet = {"symbols": ["Li"], "positions": [[0.0, 0.0, 0.0]]}
    found = _run("FCI", doublet, multiplicity=2, frozen=1)
    assert found.energy == pytest.approx(found.reference_energy, abs=1e-6)
    assert _run("FCI", doublet, multiplicity=2).energy < found.energy


def test_grids_solvents_and_potentials_reach_the_reference():
    fitted = _run("MP2", density_fitting=True)
    assert 1e-8 < abs(fitted.reference_energy - _run("MP2").reference_energy) < 1e-3
    atom = {"symbols": ["Kr"], "positions": [[0, 0, 0]]}
    assert _run("MP2", atom, basis="LANL2DZ", core_potential="LANL2DZ").energy > -30.0


@pytest.mark.parametrize(
    ("treatment", "changes", "words"),
    [
        ("MP2", {"method": "B3LYP"}, "gas-phase HF reference, not B3LYP"),
        ("MP2", {"solvent_model": "SMD", "solvent": "water"}, "not HF in SMD"),
        ("MP2", {"frozen": 3}, "3 frozen orbitals are more than the 2"),
        ("MP2", {"charge": 1}, "cannot have multiplicity 1"),
        ("MP2", {"charge": 4}, "leaves 0 electrons"),
        ("MP2", {"positions": [[0, 0, 0]]}, "2 symbols need"),
        ("MP2", {"symbols": ["Rb", "H"], "basis": "def2-SVP"}, "beyond krypton"),
    ],
)
def test_error_names_what_does_not_fit(treatment, changes, words):
    with pytest.raises(ValueError, match=words):
        _run(treatment, **changes)


def test_error_too_many_determinants_and_no_convergence():
    with pytest.raises(ValueError, match="determinants, above 5000000"):
        _run("FCI", {"symbols": ["Ne"], "positions": [[0, 0, 0]]}, basis="aug-cc-pVDZ")
    with pytest.raises(RuntimeError, match="did not converge in 1 iterations"):
        _run("MP2", max_cycles=1)
