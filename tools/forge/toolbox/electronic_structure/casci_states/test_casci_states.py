"""Tests of casci_states: the full space is exact, spins are pure, and electrons are kept."""

import pytest
from pyscf import dft, fci, gto, scf
from tools.casci_states import CasciStatesInput, casci_states

H2 = {"symbols": ["H", "H"], "positions": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.7414]]}
LIH = {"symbols": ["Li", "H"], "positions": [[0.0, 0.0, 0.0], [0.0, 0.0, 1.6]]}


def _run(molecule, electrons, orbitals, roots=1, **changes):
    usual = {"charge": 0, "multiplicity": 1, "method": "HF", "basis": "STO-3G"}
    return casci_states(
        CasciStatesInput(
            **{**molecule, **usual, "n_electrons": electrons, "n_orbitals": orbitals, "n_roots": roots, **changes}
        )
    )


def test_hydrogen_in_the_full_space_is_exact():
    # full CI of H2 in STO-3G at 0.7414 angstrom: -1.13727 hartree (Szabo and Ostlund, section 4.1)
    found = _run(H2, 2, 2, roots=4)
    assert found.energies[0] == pytest.approx(-1.13727, abs=2e-5)
    assert found.reference_energy == pytest.approx(-1.11668, abs=2e-5)
    assert found.n_determinants == 4
    assert found.spin_square == pytest.approx([0, 2, 0, 0], abs=1e-6)
    assert found.excitation_energies[0] == 0.0
    assert found.excitation_energies[1] == pytest.approx((found.energies[1] - found.energies[0]) * 27.211386, rel=1e-6)
    assert sum(found.natural_occupations) == pytest.approx(2.0)
    assert 1.9 < found.natural_occupations[0] < 2.0


def test_invariant_a_larger_space_is_never_higher_and_the_full_one_is_full_ci():
    energies = [_run(LIH, *space).energies[0] for space in ((2, 2), (2, 5), (4, 6))]
    molecule = gto.M(atom="Li 0 0 0; H 0 0 1.6", basis="STO-3G", verbose=0)
    exact = fci.FCI(scf.RHF(molecule).run()).kernel()[0]
    assert energies == sorted(energies, reverse=True)
    assert energies[2] == pytest.approx(exact, abs=1e-7)
    assert energies[0] < _run(LIH, 2, 2).reference_energy


def test_one_determinant_is_the_reference():
    found = _run(LIH, 2, 1)
    assert found.energies[0] == pytest.approx(found.reference_energy, abs=1e-8)
    assert found.natural_occupations == pytest.approx([2.0])


def test_listed_orbitals_are_used():
    around = _run(LIH, 2, 2, active=[1, 2])
    assert around.energies[0] == pytest.approx(_run(LIH, 2, 2).energies[0], abs=1e-9)
    assert _run(LIH, 2, 2, active=[2, 1]).energies[0] == pytest.approx(around.energies[0], abs=1e-9)
    assert abs(_run(LIH, 2, 2, active=[1, 5]).energies[0] - around.energies[0]) > 1e-5


def test_doublets_keep_their_spin():
    found = _run({**H2, "symbols": ["He", "H"]}, 3, 2, multiplicity=2)
    assert found.spin_square == pytest.approx([0.75], abs=1e-6)
    assert sum(found.natural_occupations) == pytest.approx(3.0)


def test_triplets_have_two_unpaired_electrons():
    # two electrons of one spin in the two orbitals of H2: the determinant is the state
    found = _run(H2, 2, 2, multiplicity=3)
    assert found.spin_square == pytest.approx([2.0], abs=1e-6)
    assert found.energies[0] == pytest.approx(found.reference_energy, abs=1e-8)
    assert found.n_determinants == 1
    assert found.energies[0] == pytest.approx(_run(H2, 2, 2, roots=2).energies[1], abs=1e-8)


def test_open_shells_are_unrestricted():
    cation = gto.M(atom="Li 0 0 0; H 0 0 1.6", basis="6-31G", charge=1, spin=1, verbose=0)
    found = _run(LIH, 3, 3, charge=1, multiplicity=2, basis="6-31G")
    assert found.reference_energy == pytest.approx(scf.UHF(cation).run().e_tot, abs=1e-8)
    assert found.reference_energy < scf.ROHF(cation).run().e_tot - 1e-6


@pytest.mark.parametrize(("electrons", "symbols", "kind"), [(2, ["H", "H"], dft.RKS), (3, ["He", "H"], dft.UKS)])
def test_invariant_the_full_space_forgets_the_orbitals(electrons, symbols, kind):
    molecule, spin = {**H2, "symbols": symbols}, electrons % 2
    found = _run(molecule, electrons, 2, method="SVWN", multiplicity=1 + spin)
    assert found.energies[0] == pytest.approx(_run(molecule, electrons, 2, multiplicity=1 + spin).energies[0], abs=1e-8)
    atoms = list(zip(symbols, H2["positions"], strict=True))
    field = kind(gto.M(atom=atoms, basis="STO-3G", spin=spin, verbose=0), xc="SVWN")
    assert found.reference_energy == pytest.approx(field.run().e_tot, abs=1e-7)


@pytest.mark.parametrize(
    ("electrons", "orbitals", "changes", "words"),
    [
        (6, 6, {}, "do not fit 4 electrons"),
        (3, 3, {}, "3 electrons in 3 orbitals do not fit"),
        (2, 7, {}, "do not fit 4 electrons of multiplicity 1 in 6 orbitals"),
        (4, 1, {}, "do not fit"),
        (4, 2, {"multiplicity": 3}, "do not fit"),
        (1, 3, {"multiplicity": 3}, "do not fit"),
        (2, 2, {"roots": 5}, "has 4 determinants"),
        (2, 2, {"active": [1]}, "must list 2 different orbitals"),
        (2, 2, {"active": [1, 1]}, "must list 2 different orbitals"),
        (2, 2, {"charge": 1}, "cannot have multiplicity 1"),
        (2, 2, {"method": "HXC"}, "no functional 'HXC'"),
        (2, 2, {"solvent_model": "SMD"}, "SMD needs `solvent`"),
        (2, 2, {"solvent_model": "SMD", "solvent": "aqua"}, "SMD needs `solvent`"),
        (2, 2, {"solvent_model": "CPCM"}, "needs `dielectric`"),
        (2, 2, {"positions": [[0, 0, 0]]}, "2 symbols need"),
        (2, 2, {"symbols": ["Rb", "H"], "basis": "def2-SVP"}, "beyond krypton"),
        (2, 2, {"charge": 4}, "leaves 0 electrons"),
    ],
)
def test_error_names_what_does_not_fit(electrons, orbitals, changes, words):
    with pytest.raises(ValueError, match=words):
        _run(LIH, electrons, orbitals, **changes)


def test_error_a_space_too_large_and_orbitals_that_do_not_converge():
    with pytest.raises(ValueError, match="at most 2000000"):
        _run({"symbols": ["Ne"], "positions": [[0, 0, 0]]}, 10, 30, basis="aug-cc-pVTZ")
    with pytest.raises(RuntimeError, match="did not converge in 1 iterations"):
        _run(LIH, 2, 2, max_cycles=1)
