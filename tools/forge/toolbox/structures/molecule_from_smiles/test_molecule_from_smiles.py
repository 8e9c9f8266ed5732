"""Tests of molecule_from_smiles: composition, charges, distances, repeatability."""

import numpy as np
import pytest
from tools.molecule_from_smiles import MoleculeFromSmilesInput, molecule_from_smiles


def _run(smiles, seed=7, **changes):
    return molecule_from_smiles(MoleculeFromSmilesInput(smiles=smiles, seed=seed, **changes))


def _distances(found):
    points = np.array(found.positions)
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


@pytest.mark.parametrize(
    ("smiles", "formula", "charge", "multiplicity"),
    [
        ("C", "CH4", 0, 1),
        ("[CH3+]", "CH3+", 1, 1),
        ("[CH3]", "CH3", 0, 2),
        ("CC(=O)[O-]", "C2H3O2-", -1, 1),
        ("[H-]", "H-", -1, 1),
        ("FCl(F)F", "ClF3", 0, 1),
        ("[Cr](=C=O)(=C=O)(=C=O)(=C=O)(=C=O)(=C=O)", "C6CrO6", 0, 1),
        ("c1[c+]cccc1", "C6H5+", 1, 1),
        ("[O][O]", "O2", 0, 3),
    ],
)
def test_composition_charge_and_spin(smiles, formula, charge, multiplicity):
    found = _run(smiles)
    assert (found.formula, found.charge, found.multiplicity) == (formula, charge, multiplicity)
    assert len(found.symbols) == len(found.positions)


def test_invariant_methane_is_a_tetrahedron():
    found = _run("C")
    distances = _distances(found)
    assert found.symbols == ["C", "H", "H", "H", "H"]
    assert distances[0, 1:] == pytest.approx([1.09] * 4, abs=0.02)
    assert distances[1, 2:] == pytest.approx([np.sqrt(8 / 3) * distances[0, 1]] * 3, abs=0.02)
    assert found.force_field == "MMFF94"
    assert found.canonical_smiles == "C"


def test_invariant_the_same_seed_gives_the_same_structure():
    assert _run("CCO", 3).positions == _run("CCO", 3).positions
    assert _run("CCO", 3).positions != _run("CCO", 4).positions


def test_of_several_conformers_the_lowest_is_taken():
    # butane: anti is below gauche, the carbons' ends are 3.9 and 3.1 angstrom apart
    found = _run("CCCC", n_conformers=12)
    assert _distances(found)[0, 3] > 3.7
    worst = min(_distances(_run("CCCC", seed))[0, 3] for seed in range(8))
    assert worst < 3.4


def test_a_carbonyl_is_an_octahedron_of_linear_arms():
    found = _run("[Cr](=C=O)(=C=O)(=C=O)(=C=O)(=C=O)(=C=O)")
    assert found.force_field == "UFF"
    arms = np.array(found.positions) - found.positions[0]
    carbon = arms[[k for k, symbol in enumerate(found.symbols) if symbol == "C"]]
    oxygen = arms[[k for k, symbol in enumerate(found.symbols) if symbol == "O"]]
    lengths = np.linalg.norm(carbon, axis=1)
    assert lengths == pytest.approx([lengths[0]] * 6, abs=0.02)
    cosines = np.abs(carbon @ carbon.T) / np.outer(lengths, lengths)
    assert np.sort(cosines, axis=1) == pytest.approx(np.array([[0, 0, 0, 0, 1, 1]] * 6), abs=0.05)
    assert np.linalg.norm(oxygen - carbon, axis=1) == pytest.approx([1.12] * 6, abs=0.05)


def test_hypervalent_atoms_are_embedded_without_a_force_field():
    found = _run("FCl(F)F")
    assert found.force_field == "none"
    assert _distances(found)[1, [0, 2, 3]] == pytest.approx([1.65] * 3, abs=0.25)


def test_force_fields_can_be_chosen():
    assert _run("CC", force_field="UFF").force_field == "UFF"
    assert _run("CC", force_field="none").force_field == "none"
    assert _run("CC", force_field="UFF").positions != _run("CC", force_field="none").positions
    assert _run("[H-]").force_field == "none"
    assert _run("[H-]").positions == [[0.0, 0.0, 0.0]]


def test_error_no_smiles():
    with pytest.raises(ValueError, match="no SMILES that RDKit can read"):
        _run("C1CC(")
    with pytest.raises(ValueError, match="no SMILES that RDKit can read"):
        _run("CH3+")


def test_error_bonds_several_molecules_and_unknown_atoms():
    with pytest.raises(ValueError, match="no consistent bonds"):
        _run("c1cccc1")
    with pytest.raises(ValueError, match="several molecules"):
        _run("[Na+].[Cl-]")
    with pytest.raises(ValueError, match="MMFF94 does not know"):
        _run("FCl(F)F", force_field="MMFF94")
