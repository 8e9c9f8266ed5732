"""Tests of plot_orbital_contours: values known in closed form, nodes, data, errors."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image
from tools.plot_orbital_contours import PlotOrbitalContoursInput, plot_orbital_contours

XZ = {"label": "xz", "centre": [0.0, 0.0, 0.0], "across": [0.0, 0.0, 2.0], "up": [3.0, 0.0, 1.0]}
XY = {"label": "xy", "centre": [0.0, 0.0, 0.0], "across": [1.0, 0.0, 0.0], "up": [0.0, 1.0, 0.0]}
H2 = {"symbols": ["H", "H"], "positions": [[0.0, 0.0, -0.37], [0.0, 0.0, 0.37]]}


def _run(tmp_path, **changes):
    usual = {
        "path": str(tmp_path / "img" / "mo.png"), "title": "Orbitals", "orbitals": [0, 1], "labels": ["HOMO", "LUMO"],
        "planes": [XZ], "half_width": 1.48, "n_points": 21, "charge": 0, "multiplicity": 1, "method": "HF",
        "basis": "STO-3G", **H2,
    }  # fmt: skip
    return plot_orbital_contours(PlotOrbitalContoursInput(**{**usual, **changes}))


def _grid(found, panel=0):
    data = json.loads(Path(found.data_path).read_text())
    return data, np.array(data["panels"][panel]["values"])


def test_invariant_gerade_and_ungerade_orbitals_have_their_parity(tmp_path):
    found = _run(tmp_path)
    data, bonding = _grid(found)
    anti = _grid(found, 1)[1]
    assert data["kind"] == "orbitals"
    assert data["title"] == "Orbitals"
    assert [one["title"] for one in data["panels"]] == ["HOMO, xz", "LUMO, xz"]
    assert bonding == pytest.approx(bonding[:, ::-1], abs=2e-6)
    assert anti == pytest.approx(-anti[:, ::-1], abs=2e-6)
    assert bonding == pytest.approx(bonding[::-1], abs=2e-6)
    assert np.abs(anti[:, 10]).max() < 1e-6
    assert found.occupations == [2.0, 0.0]
    assert np.array(found.atoms[0]) == pytest.approx(np.array([[-0.37, 0.0], [0.37, 0.0]]))
    assert found.energies[0] < 0 < found.energies[1]
    assert found.largest == [[pytest.approx(bonding.max(), abs=1e-6), pytest.approx(anti.max(), abs=1e-6)]]


def test_hydrogen_atom_has_its_closed_form(tmp_path):
    # sum of the three Gaussians of STO-3G at 0.5 angstrom (Szabo and Ostlund, section 3.5.1)
    found = _run(
        tmp_path, symbols=["H"], positions=[[0.4, -0.2, 0]], multiplicity=2, orbitals=[0], labels=["1s"], planes=[{**XY, "up": [0.5, 2.0, 0.0]}],
        half_width=1.0, n_points=11,
    )  # fmt: skip
    exponents, weights = (0.168856, 0.623913, 3.42525), (0.444635, 0.535328, 0.154329)
    data, grid = _grid(found)
    # five steps of 0.2 angstrom to each side: the atom lies at column 7, row 4
    for row, column, value in ((4, 7, 0.0), (4, 10, 0.6), (9, 7, 1.0)):
        r2 = (value / 0.529177) ** 2
        terms = (w * (2 * a / math.pi) ** 0.75 * math.exp(-a * r2) for a, w in zip(exponents, weights, strict=True))
        assert grid[row, column] == pytest.approx(sum(terms), rel=2e-4)
    assert data["panels"][0]["x"][0] == -1.0
    assert data["panels"][0]["y"][-1] == 1.0
    assert found.occupations == [1.0]
    assert np.array(found.atoms) == pytest.approx(np.array([[[0.4, -0.2]]]))


def test_the_largest_value_is_positive_whatever_the_solver_chose(tmp_path):
    water = {"symbols": ["O", "H", "H"], "positions": [[0, 0, 0], [0, -0.757, 0.587], [0, 0.757, 0.587]]}
    found = _run(
        tmp_path,
        **water,
        orbitals=[0, 1, 2, 3, 5, 6],
        labels=list("abcdef"),
        n_points=15,
        planes=[{"label": "yz", "centre": [0, 0, 0.2], "across": [0, 1, 0], "up": [0, 0, 1]}],
        contours=[0.05, 0.1],
    )
    data = _grid(found)[0]
    assert data["contours"] == [0.05, 0.1]
    for panel, largest in zip(data["panels"], found.largest[0], strict=True):
        assert np.max(panel["values"]) == pytest.approx(largest, abs=2e-6)
    assert found.occupations == [2.0, 2.0, 2.0, 2.0, 0.0, 0.0]


def test_a_core_potential_is_used(tmp_path):
    changes = {"symbols": ["Kr"], "positions": [[0, 0, 0]], "basis": "LANL2DZ", "n_points": 10}
    assert _run(tmp_path, **changes, core_potential="LANL2DZ").energies[0] > -3.0


def test_figure_has_a_panel_for_each_plane_and_orbital(tmp_path):
    found = _run(tmp_path, planes=[XZ, XY], n_points=10)
    assert len(_grid(found)[0]["panels"]) == 4
    assert len(found.largest) == 2
    assert min(image.imread(found.path).shape[:2]) > 900
    shifted = _run(tmp_path, planes=[{**XY, "centre": [0.0, 0.0, 0.37]}], n_points=10)
    assert np.array(shifted.atoms[0]) == pytest.approx(np.zeros((2, 2)))
    assert shifted.largest[0][1] > 10 * found.largest[1][1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"path": "mo.svg"}, r"must end in \.png"),
        ({"labels": ["HOMO"]}, "2 orbitals need as many labels"),
        ({"orbitals": [0, 2]}, "numbered 0 to 1"),
        ({"orbitals": [-1, 0]}, "numbered 0 to 1"),
        ({"planes": [{**XY, "up": [2.0, 0.0, 0.0]}]}, "'xy' are parallel"),
        ({"planes": [{**XY, "across": [0.0, 0.0, 0.0]}]}, "'xy' are parallel"),
        ({"multiplicity": 2}, "cannot have multiplicity 2"),
        ({"charge": 2}, "leaves 0 electrons"),
        ({"method": "HXC"}, "no functional"),
        ({"solvent_model": "SMD"}, "SMD needs `solvent`"),
        ({"solvent_model": "SMD", "solvent": "aqua"}, "SMD needs `solvent`"),
        ({"solvent_model": "CPCM"}, "needs `dielectric`"),
        ({"positions": [[0, 0, 0]]}, "2 symbols need"),
        ({"symbols": ["Rb", "H"], "basis": "def2-SVP"}, "beyond krypton"),
    ],
)
def test_error_names_what_does_not_fit(tmp_path, changes, words):
    with pytest.raises(ValueError, match=words):
        _run(tmp_path, **changes)


def test_error_no_convergence(tmp_path):
    with pytest.raises(RuntimeError, match="did not converge in 1 iterations"):
        _run(tmp_path, symbols=["H", "F"], max_cycles=1)
