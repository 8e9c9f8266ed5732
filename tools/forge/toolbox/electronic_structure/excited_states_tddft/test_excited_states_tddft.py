"""Tests of excited_states_tddft: exact diagonalisation, the sum rule, and selection rules."""

import numpy as np
import pytest
from pyscf import gto, scf, tdscf
from tools.excited_states_tddft import ExcitedStatesTddftInput, excited_states_tddft

FORMALDEHYDE = {
    "symbols": ["C", "O", "H", "H"],
    "positions": [[0.0, 0.0, -0.53], [0.0, 0.0, 0.68], [0.0, 0.93, -1.12], [0.0, -0.93, -1.12]],
}
HF = {"symbols": ["H", "F"], "positions": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.95]]}


def _run(molecule, **changes):
    usual = {"charge": 0, "multiplicity": 1, "method": "HF", "basis": "STO-3G", "n_singlets": 3, "n_triplets": 3}
    return excited_states_tddft(ExcitedStatesTddftInput(**{**molecule, **usual, **changes}))


def test_all_states_equal_those_of_the_full_matrices():
    # independent: A and B are built and (A-B)^1/2 (A+B) (A-B)^1/2 is diagonalised
    molecule = gto.M(atom="H 0 0 0; F 0 0 0.95", basis="STO-3G", verbose=0)
    a, b = tdscf.rhf.get_ab(scf.RHF(molecule).run())
    size = a.shape[0] * a.shape[1]
    a, b = a.reshape(size, size), b.reshape(size, size)
    values, vectors = np.linalg.eigh(a - b)
    root = vectors * np.sqrt(values) @ vectors.T
    exact = np.sqrt(np.linalg.eigvalsh(root @ (a + b) @ root)) * 27.211386245988
    found = _run(HF, n_singlets=size, n_triplets=0)
    assert found.singlet_energies == pytest.approx(exact.tolist(), abs=2e-3)
    assert found.triplet_energies == found.triplet_transitions == []
    tamm = _run(HF, n_singlets=size, n_triplets=0, tamm_dancoff=True)
    assert tamm.singlet_energies == pytest.approx((np.linalg.eigvalsh(a) * 27.211386245988).tolist(), abs=2e-3)
    assert found.n_occupied == 5
    assert found.ground_energy == pytest.approx(-98.5728, abs=1e-3)


def test_invariant_triplets_lie_below_singlets_and_tamm_dancoff_above_the_full_response():
    full = _run(FORMALDEHYDE)
    tamm = _run(FORMALDEHYDE, tamm_dancoff=True)
    assert full.triplet_energies[0] < full.singlet_energies[0]
    assert full.singlet_energies == sorted(full.singlet_energies)
    for one, other in zip(full.singlet_energies, tamm.singlet_energies, strict=True):
        assert one <= other + 1e-6
    assert all(strength > -1e-9 for strength in full.oscillator_strengths)
    assert all(0.3 < one.weight < 1.3 for one in full.singlet_transitions + tamm.triplet_transitions)


def test_invariant_one_possible_transition_is_the_whole_state():
    pair = {"symbols": ["H", "H"], "positions": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.74]]}
    full = _run(pair, n_singlets=1, n_triplets=1)
    assert full.singlet_transitions[0].weight == pytest.approx(1.0, abs=1e-4)
    assert full.triplet_transitions[0].weight == pytest.approx(1.0, abs=1e-4)
    tamm = _run(pair, n_singlets=1, n_triplets=1, tamm_dancoff=True)
    assert tamm.singlet_transitions[0].weight == pytest.approx(1.0, abs=1e-4)
    assert (full.singlet_transitions[0].from_orbital, full.singlet_transitions[0].to_orbital) == (0, 1)
    assert full.singlet_energies[0] < tamm.singlet_energies[0] - 0.01


def test_the_n_to_pi_star_state_of_formaldehyde_is_dark():
    found = _run(FORMALDEHYDE, method="B3LYP", grid_level=1)
    assert 3.0 < found.singlet_energies[0] < 5.0
    assert found.oscillator_strengths[0] < 1e-4
    assert max(found.oscillator_strengths) > 1e-3
    first = found.singlet_transitions[0]
    assert (first.from_orbital, first.to_orbital) == (7, 8)
    assert first.weight > 0.9


def test_invariant_strengths_do_not_depend_on_the_frame():
    here = _run(HF, n_triplets=0)
    turned = {"symbols": ["F", "H"], "positions": [[5.0, 0.0, 0.0], [5.95, 0.0, 0.0]]}
    there = _run(turned, n_triplets=0)
    assert there.singlet_energies == pytest.approx(here.singlet_energies, abs=1e-4)
    assert there.oscillator_strengths == pytest.approx(here.oscillator_strengths, abs=1e-4)
    assert sum(here.oscillator_strengths) > 0.01


def test_a_solvent_and_fitting_move_the_states():
    gas = _run(HF, n_triplets=1)
    wet = _run(HF, n_triplets=1, solvent_model="CPCM", dielectric=78.4, lebedev_order=11)
    fitted = _run(HF, n_triplets=1, density_fitting=True)
    assert 1e-4 < abs(wet.singlet_energies[0] - gas.singlet_energies[0]) < 2.0
    assert 1e-7 < abs(fitted.singlet_energies[0] - gas.singlet_energies[0]) < 0.05


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"charge": 1, "multiplicity": 2}, "singlet ground state, not multiplicity 2"),
        ({"n_singlets": 6}, "gives 5 single excitations"),
        ({"n_triplets": 6}, "gives 5 single excitations"),
        ({"charge": 1}, "cannot have multiplicity 1"),
        ({"charge": 10}, "leaves 0 electrons"),
        ({"method": "HXC"}, "no functional 'HXC'"),
        ({"solvent_model": "IEFPCM"}, "needs `dielectric`"),
        ({"solvent_model": "SMD"}, "SMD needs `solvent`"),
        ({"solvent_model": "SMD", "solvent": "aqua"}, "SMD needs `solvent`"),
        ({"positions": [[0, 0, 0]]}, "2 symbols need as many rows"),
        ({"symbols": ["Rb", "H"], "basis": "def2-SVP"}, "beyond krypton"),
    ],
)
def test_error_names_what_does_not_fit(changes, words):
    with pytest.raises(ValueError, match=words):
        _run({**HF, **changes}, **{key: value for key, value in changes.items() if key not in ("symbols", "positions")})


def test_error_unconverged_orbitals_and_states():
    with pytest.raises(RuntimeError, match="did not converge in 1 iterations"):
        _run(HF, max_cycles=1)
    # H2 far beyond its Coulson-Fischer point: the restricted state is unstable towards triplets
    with pytest.raises(RuntimeError, match="triplets"):
        _run({"symbols": ["H", "H"], "positions": [[0, 0, 0], [0, 0, 3.0]]}, n_singlets=1, n_triplets=1)
