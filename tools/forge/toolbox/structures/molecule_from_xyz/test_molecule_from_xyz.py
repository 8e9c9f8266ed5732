"""Tests of molecule_from_xyz: a file that was written comes back, and every fault is named with its line."""

import pytest
from tools.molecule_from_xyz import MoleculeFromXyzInput, molecule_from_xyz

WATER = "3\nwater, by hand\nO 0.0 0.0 0.1\nH 0 0.75 -0.5\nH 0 -0.75 -0.5\n"


def _run(text):
    return molecule_from_xyz(MoleculeFromXyzInput(text=text, source="one.xyz"))


def test_invariant_what_was_written_is_read():
    found = _run(WATER)
    assert found.symbols == ["O", "H", "H"]
    assert found.positions == [[0.0, 0.0, 0.1], [0.0, 0.75, -0.5], [0.0, -0.75, -0.5]]
    assert found.comment == "water, by hand"


def test_numbers_letters_and_further_columns():
    found = _run("4\n\n17 0 0 0 0.5\nCL 0 0 2 x\nh 1e0 0 -1.5\n86 5 5 5\n\n  \n")
    assert found.symbols == ["Cl", "Cl", "H", "Rn"]
    assert found.positions[2] == [1.0, 0.0, -1.5]
    assert found.comment == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: '' is no number of atoms"),
        ("three\n\n", "line 1: 'three' is no number"),
        ("0\n\n", "line 1: '0' is no number"),
        ("3\nwater\nO 0 0 0\nH 0 0 1\n", "line 5: the file ends, but 3 atoms"),
        ("2\n\nO 0 0 0\nH 0 0\n", "line 4: an element and three numbers are needed"),
        ("2\n\nO 0 0 0\nQ 0 0 1\n", "line 4: 'Q' is no element"),
        ("2\n\n0 0 0 0\nH 0 0 1\n", "line 3: '0' is no element"),
        ("1\n\n87 0 0 0\n", "line 3: '87' is no element"),
        ("2\n\nO 0 0 0\nH 0 zero 1\n", "line 4: coordinates must be three numbers"),
        ("2\n\nO 0 0 nan\nH 0 0 1\n", "line 3: coordinates must be finite"),
        ("2\n\nO 0 0 0\nH 0 0 0\n", "line 3: another atom lies"),
        ("1\n\nO 0 0 0\nH 0 0 1\n", "line 4: there is more than the 1 atoms"),
    ],
)
def test_error_names_file_and_line(text, words):
    with pytest.raises(ValueError, match=words) as raised:
        _run(text)
    assert "one.xyz" in str(raised.value)
