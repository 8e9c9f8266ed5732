"""Tests of plot_molecule: bonds, the data beside the figure, a real image."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image
from tools.plot_molecule import PlotMoleculeInput, plot_molecule

METHANE = [[0, 0, 0], [0.63, 0.63, 0.63], [-0.63, -0.63, 0.63], [-0.63, 0.63, -0.63], [0.63, -0.63, -0.63]]


def _run(tmp_path, symbols=("C", "H", "H", "H", "H"), positions=METHANE, name="img/one.png"):
    given = PlotMoleculeInput(
        path=str(tmp_path / name), title="Methane", symbols=list(symbols), positions=[list(row) for row in positions]
    )
    return plot_molecule(given)


def test_invariant_the_data_are_the_structure(tmp_path):
    found = _run(tmp_path)
    data = json.loads(Path(found.data_path).read_text())
    assert data["kind"] == "molecule"
    assert data["title"] == "Methane"
    assert data["symbols"] == ["C", "H", "H", "H", "H"]
    assert data["positions"] == METHANE
    assert data["bonds"] == found.bonds == [[0, 1], [0, 2], [0, 3], [0, 4]]
    assert data["drawn"] == found.drawn
    assert found.data_path == found.path.removesuffix(".png") + ".json"


def test_invariant_the_drawn_structure_is_the_given_one_turned(tmp_path):
    # formaldehyde lies flat: widest across, thinnest in depth
    flat = np.array([[0, 0, -0.53], [0, 0, 0.68], [0, 0.93, -1.12], [0, -0.93, -1.12]])
    drawn = np.array(_run(tmp_path, ["C", "O", "H", "H"], flat).drawn)
    gaps = [np.linalg.norm(one[:, None] - one[None], axis=-1) for one in (flat, drawn)]
    assert gaps[0] == pytest.approx(gaps[1])
    assert drawn.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    spread = np.ptp(drawn, axis=0)
    assert spread[2] < 0.6 * min(spread[0], spread[1])
    # a rod is drawn along the first column of the tilt: 16 degrees about y, then 16 about x
    rod = np.array(_run(tmp_path, ["O", "C", "O"], [[0, 0, -1.2], [0, 0, 0], [0, 0, 1.2]]).drawn)
    c, s = np.cos(np.radians(16)), np.sin(np.radians(16))
    assert np.abs(rod[2] - rod[0]) == pytest.approx(np.array([c, s * s, s * c]) * 2.4)
    assert abs(rod[2, 0] - rod[0, 0]) > 2.3 > np.linalg.norm(rod[2, 1:] - rod[0, 1:])
    normal = np.cross(drawn[1] - drawn[0], drawn[2] - drawn[0])
    assert abs(normal[2]) / np.linalg.norm(normal) == pytest.approx(np.cos(np.radians(16)) ** 2, abs=1e-6)


def test_the_image_is_large_and_shows_all_atoms(tmp_path):
    path = Path(_run(tmp_path).path)
    pixels = image.imread(path)[..., :3]
    height, width = pixels.shape[:2]
    assert width > 800
    assert height > 700
    grey = np.abs(pixels - np.array([0x90, 0x90, 0x90]) / 255).max(axis=-1) < 0.02
    pale = np.abs(pixels - np.array([0xF2, 0xF2, 0xF2]) / 255).max(axis=-1) < 0.005
    assert grey.mean() > 0.005  # the carbon
    assert pale.mean() > 0.005  # the hydrogens
    dark = pixels.max(axis=-1) < 0.2
    rows, columns = np.nonzero(dark)
    assert rows.max() - rows.min() > 0.5 * height
    assert columns.max() - columns.min() > 0.3 * width


def test_atoms_apart_are_not_joined_and_unknown_elements_are_drawn(tmp_path):
    assert _run(tmp_path, ["Xe", "H"], [[0, 0, 0], [0, 0, 4.0]]).bonds == []
    # H-H: 0.31 + 0.31 angstrom, times 1.3
    assert _run(tmp_path, ["H", "H"], [[1, 2, 3.0], [1, 2, 3.79]]).bonds == [[0, 1]]
    assert _run(tmp_path, ["H", "H"], [[1, 2, 3.0], [1, 2, 3.83]]).bonds == []


def test_error_shapes_and_names(tmp_path):
    with pytest.raises(ValueError, match="2 symbols need as many rows"):
        _run(tmp_path, ["H", "H"], [[0, 0, 0]])
    with pytest.raises(ValueError, match=r"must end in \.png"):
        _run(tmp_path, name="one.svg")
