"""Tests of geometry_optimization: known bond lengths, symmetry, and what must not matter."""

import numpy as np
import pytest
from pyscf import gto, scf
from tools.geometry_optimization import GeometryOptimizationInput, geometry_optimization


def _run(symbols, positions, **changes):
    usual = {"charge": 0, "multiplicity": 1, "method": "HF", "basis": "STO-3G"}
    return geometry_optimization(
        GeometryOptimizationInput(symbols=symbols, positions=positions, **{**usual, **changes})
    )


def _distance(found, a, b):
    return float(np.linalg.norm(np.subtract(found.positions[a], found.positions[b])))


def test_hydrogen_has_the_textbook_bond_length():
    # RHF/STO-3G: 1.346 bohr, -1.1175 hartree (Szabo and Ostlund, table 3.11 and section 3.5.2)
    found = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.9]])
    assert _distance(found, 0, 1) / 0.529177 == pytest.approx(1.346, abs=2e-3)
    assert found.energy == pytest.approx(-1.1175, abs=1e-4)
    assert found.n_steps == len(found.energies) > 2
    assert found.energies[-1] == found.energy
    assert found.largest_gradient < 4.5e-4


def test_water_has_the_textbook_structure():
    # RHF/STO-3G: 1.871 bohr and 100.0 degrees (Szabo and Ostlund, table 3.16)
    found = _run(["O", "H", "H"], [[0, 0, 0], [0, -0.8, 0.5], [0, 0.75, 0.6]])
    one, two = (np.subtract(found.positions[k], found.positions[0]) for k in (1, 2))
    assert _distance(found, 0, 1) / 0.529177 == pytest.approx(1.871, abs=4e-3)
    angle = np.degrees(np.arccos(one @ two / np.linalg.norm(one) / np.linalg.norm(two)))
    assert angle == pytest.approx(100.0, abs=0.2)


def test_invariant_the_energy_falls_and_the_minimum_is_the_same_from_both_sides():
    short = _run(["H", "F"], [[0, 0, 0], [0, 0, 0.9]])
    long = _run(["H", "F"], [[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]])
    for found in (short, long):
        assert found.energy == min(found.energies)
        assert found.energies[0] > found.energy
    assert _distance(short, 0, 1) == pytest.approx(_distance(long, 0, 1), abs=2e-3)
    assert short.energy == pytest.approx(long.energy, abs=1e-6)


def test_the_method_matters_and_open_shells_run_unrestricted():
    usual = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.72]])
    fitted = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.72]], density_fitting=True)
    assert 1e-8 < abs(fitted.energy - usual.energy) < 1e-3
    functional = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.74]], method="PBE", grid_level=1, convergence="GAU_LOOSE")
    assert functional.energy < usual.energy - 0.01
    cation = _run(["H", "H"], [[0, 0, 0], [0, 0, 1.0]], charge=1, multiplicity=2)
    assert _distance(cation, 0, 1) > 1.0
    # UHF, not ROHF: PySCF's own unrestricted energy where they differ
    radical = _run(["O", "H"], [[0, 0, 0], [0, 0, 1.0]], multiplicity=2, convergence="GAU_LOOSE")
    atoms = list(zip(["O", "H"], radical.positions, strict=True))
    assert radical.energy == pytest.approx(
        scf.UHF(gto.M(atom=atoms, spin=1, basis="STO-3G", verbose=0)).run().e_tot, abs=1e-6
    )


def test_tighter_criteria_give_a_smaller_gradient():
    loose = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.9]], convergence="GAU_LOOSE")
    tight = _run(["H", "H"], [[0, 0, 0], [0, 0, 0.9]], convergence="GAU_TIGHT")
    assert tight.largest_gradient < 1.5e-5
    assert tight.n_steps > loose.n_steps
    assert tight.energy <= loose.energy


def test_the_gradient_is_that_of_the_final_structure_and_potentials_are_used():
    # independent: PySCF's gradient at the structure that was found
    found = _run(["O", "H", "H"], [[0, 0, 0], [0, -0.8, 0.5], [0, 0.75, 0.6]], convergence="GAU_LOOSE")
    atoms = list(zip(["O", "H", "H"], found.positions, strict=True))
    exact = scf.RHF(gto.M(atom=atoms, basis="STO-3G", verbose=0)).run().nuc_grad_method().kernel()
    assert found.largest_gradient == pytest.approx(np.abs(exact).max(), abs=2e-6)
    mirrored = _run(["O", "H", "H"], [[0, 0, 0], [0, -0.8, -0.5], [0, 0.75, -0.6]], convergence="GAU_LOOSE")
    assert mirrored.largest_gradient == pytest.approx(found.largest_gradient, abs=1e-6)
    heavy = _run(["H", "Br"], [[0, 0, 0], [0, 0, 1.45]], basis="LANL2DZ", core_potential="LANL2DZ")
    assert heavy.energy > -20.0


def test_error_an_atom_has_no_geometry():
    with pytest.raises(ValueError, match="at least two atoms"):
        _run(["He"], [[0, 0, 0]])


def test_error_too_few_steps():
    with pytest.raises(RuntimeError, match="not converged after 1 steps"):
        _run(["H", "H"], [[0, 0, 0], [0, 0, 1.4]], max_steps=1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"multiplicity": 2}, "2 electrons, which cannot have multiplicity 2"),
        ({"charge": 2}, "leaves 0 electrons"),
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
