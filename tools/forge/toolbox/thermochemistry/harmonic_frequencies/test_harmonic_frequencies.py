"""Tests of harmonic_frequencies: a diatomic by finite differences, counts of modes, and isotropy."""

import numpy as np
import pytest
from tools.harmonic_frequencies import HarmonicFrequenciesInput, harmonic_frequencies

# the RHF/STO-3G minimum of water: 1.8700 bohr and 100.03 degrees
WATER = [[0.0, 0.0, 0.0], [0.0, 0.7580863, 0.6357913], [0.0, -0.7580863, 0.6357913]]


def _run(symbols, positions, **changes):
    usual = {"charge": 0, "multiplicity": 1, "method": "HF", "basis": "STO-3G"}
    return harmonic_frequencies(HarmonicFrequenciesInput(symbols=symbols, positions=positions, **{**usual, **changes}))


def test_hydrogen_agrees_with_the_curvature_of_its_energy():
    # independent: five energies around the minimum, k = E'', omega = sqrt(k / mu)
    bohr, step, at = 0.529177210903, 0.02, 1.34596
    energies = [_run(["H", "H"], [[0, 0, 0], [0, 0, (at + k * step) * bohr]]).energy for k in (-2, -1, 0, 1, 2)]
    constant = float(np.dot([-1, 16, -30, 16, -1], energies)) / (12 * step**2)
    expected = np.sqrt(constant / (1.008 / 2 * 1822.888486)) * 219474.6313632
    found = _run(["H", "H"], [[0, 0, 0], [0, 0, at * bohr]])
    assert found.frequencies == pytest.approx([expected], rel=2e-4)
    assert found.zero_point_energy == pytest.approx(expected / 2 / 219474.6313632, rel=2e-4)
    assert found.reduced_masses == pytest.approx([1.008], abs=1e-3)  # of a mode of length 1: 2 m m / (m + m)
    assert found.n_imaginary == 0
    assert found.largest_gradient < 1e-4
    assert found.masses == pytest.approx([1.008, 1.008], abs=1e-3)
    up, down = np.array(found.modes[0])
    assert np.allclose(up, -down, atol=1e-8)
    assert abs(up[2]) == pytest.approx(np.sqrt(0.5), abs=1e-6)


def test_invariant_water_has_3n_minus_6_modes_wherever_it_lies():
    here = _run(["O", "H", "H"], WATER)
    there = _run(["O", "H", "H"], [[z + 1, x - 2, y] for x, y, z in WATER])
    assert len(here.frequencies) == 3
    assert here.frequencies == pytest.approx(there.frequencies, abs=0.2)
    # RHF/STO-3G: 2170, 4140, 4391 (Hehre et al., Ab Initio Molecular Orbital Theory (1986), table 6.39)
    assert here.frequencies == pytest.approx([2170, 4140, 4391], abs=15)
    assert np.linalg.norm(np.array(here.modes[1])) == pytest.approx(1.0)
    # no translation is left in a mode: the mass-weighted displacements add up to nothing
    assert np.abs(np.einsum("a,mak->mk", here.masses, np.array(here.modes))).max() < 1e-6


def test_a_linear_molecule_has_one_mode_more():
    found = _run(["H", "Be", "H"], [[0, 0, -1.291], [0, 0, 0], [0, 0, 1.291]])
    assert len(found.frequencies) == 4
    assert found.frequencies[0] == pytest.approx(found.frequencies[1], abs=1.0)
    assert found.frequencies == sorted(found.frequencies)


def test_linear_water_is_a_saddle():
    found = _run(["O", "H", "H"], [[0, 0, 0], [0, 0, 0.93], [0, 0, -0.93]])
    assert found.n_imaginary == 2
    assert found.frequencies[0] < -500
    positive = [one for one in found.frequencies if one > 0]
    assert found.zero_point_energy == pytest.approx(sum(positive) / 2 / 219474.6313632, rel=1e-6)


def test_an_atom_has_no_modes():
    found = _run(["He"], [[0, 0, 0]])
    assert found.frequencies == found.modes == found.reduced_masses == []
    assert found.zero_point_energy == 0.0
    assert found.energy == pytest.approx(-2.8078, abs=1e-4)


def test_functionals_solvents_and_open_shells_have_hessians():
    usual = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.72]])
    for changes in (
        {"method": "PBE", "grid_level": 0},
        {"charge": -1, "multiplicity": 2},
    ):
        other = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.72]], **changes)
        assert len(other.frequencies) == 1
        assert 0.2 < abs(other.frequencies[0] - usual.frequencies[0]) < 4500.0
    wet = _run(["H", "F"], [[0, 0, 0], [0, 0, 0.956]], solvent_model="CPCM", dielectric=78.4, lebedev_order=5)
    assert 5.0 < abs(wet.frequencies[0] - _run(["H", "F"], [[0, 0, 0], [0, 0, 0.956]]).frequencies[0]) < 400.0
    fitted = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.72]], density_fitting=True)
    assert fitted.frequencies == pytest.approx(usual.frequencies, abs=20.0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"multiplicity": 2}, "2 electrons, which cannot have multiplicity 2"),
        ({"charge": 2}, "leaves 0 electrons"),
        ({"charge": 1, "multiplicity": 2}, "electrons of both spins"),
        ({"method": "HXC"}, "no functional 'HXC'"),
        ({"solvent_model": "IEFPCM"}, "needs `dielectric`"),
        ({"solvent_model": "SMD"}, "SMD needs `solvent`"),
        ({"solvent_model": "SMD", "solvent": "aqua"}, "SMD needs `solvent`"),
    ],
)
def test_error_names_what_does_not_fit(changes, words):
    with pytest.raises(ValueError, match=words):
        _run(["H", "H"], [[0, 0, 0], [0, 0, 0.74]], **changes)


def test_error_shapes_and_bases_are_looked_at():
    with pytest.raises(ValueError, match="2 symbols need as many rows"):
        _run(["H", "H"], [[0, 0, 0]])
    with pytest.raises(ValueError, match="beyond krypton"):
        _run(["Rb", "H"], [[0, 0, 0], [0, 0, 2.3]], basis="def2-SVP")
    with pytest.raises(RuntimeError, match="did not converge in 1 iterations"):
        _run(["H", "F"], [[0, 0, 0], [0, 0, 0.95]], max_cycles=1)
