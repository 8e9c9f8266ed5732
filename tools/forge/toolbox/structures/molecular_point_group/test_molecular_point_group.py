"""Tests of molecular_point_group: one molecule of each group, wherever it lies and however it is turned."""

import math

import numpy as np
import pytest
from tools.molecular_point_group import MolecularPointGroupInput, molecular_point_group


def _ring(n, radius, z=0.0, shift=0.0):
    return [
        [radius * math.cos(2 * math.pi * k / n + shift), radius * math.sin(2 * math.pi * k / n + shift), z]
        for k in range(n)
    ]


OCTAHEDRON = [[1.9, 0, 0], [-1.9, 0, 0], [0, 1.9, 0], [0, -1.9, 0], [0, 0, 1.9], [0, 0, -1.9]]
TETRAHEDRON = [[0.63, 0.63, 0.63], [-0.63, -0.63, 0.63], [-0.63, 0.63, -0.63], [0.63, -0.63, -0.63]]
GOLDEN = (1 + math.sqrt(5)) / 2
ICOSAHEDRON = [
    point for a in (1.0, -1.0) for b in (GOLDEN, -GOLDEN) for point in ([0.0, a, b], [a, b, 0.0], [b, 0.0, a])
]
ETHANE = [[0, 0, 0.76], [0, 0, -0.76]]
PEROXIDE = [[0.0, 0.7, 0.0], [0.0, -0.7, 0.0], [0.8, 0.9, 0.4], [-0.8, -0.9, 0.4]]
PROPELLER = [[0.7, 0.8, 0.3], [-0.7, -0.8, 0.3], [0.8, -0.7, -0.3], [-0.8, 0.7, -0.3]]
WIDER = [[2.0, 0.1, 1.1], [-2.0, -0.1, 1.1], [0.1, -2.0, -1.1], [-0.1, 2.0, -1.1]]
CASES = {
    "C1": ("C F Cl Br H".split(), [[0, 0, 0], *[[2 * x for x in row] for row in TETRAHEDRON[:3]], TETRAHEDRON[3]], 1),
    "Cs": ("O H Cl".split(), [[0, 0, 0], [0.9, 0.3, 0], [-0.6, 1.6, 0]], 1),
    "Ci": ("C C H H F F Cl Cl".split(), [
        [0.7, 0, 0], [-0.7, 0, 0], [1.2, 0.9, 0.2], [-1.2, -0.9, -0.2], [1.2, -0.5, 1.1], [-1.2, 0.5, -1.1],
        [1.3, -0.9, -1.5], [-1.3, 0.9, 1.5],
    ], 1),
    "C2": ("O O H H".split(), PEROXIDE, 2),
    "C2v": ("O H H".split(), [[0, 0, 0.1], [0, 0.76, -0.5], [0, -0.76, -0.5]], 2),
    "C3v": (["N", *"HHH"], [[0, 0, 0.3], *_ring(3, 0.94)], 3),
    "C3h": (["B", *"OOOHHH"], [[0, 0, 0], *_ring(3, 1.36), *_ring(3, 1.9, shift=0.5)], 3),
    "C2h": ("C C H H F F".split(), [[0.7, 0, 0], [-0.7, 0, 0], [1.2, 0.9, 0], [-1.2, -0.9, 0], [1.3, -1.2, 0], [-1.3, 1.2, 0]], 2),
    "D2h": (["C", "C", *"HHHH"], [[0.67, 0, 0], [-0.67, 0, 0], *[[a * 1.2, b * 0.9, 0] for a in (1, -1) for b in (1, -1)]], 4),
    "D2": (["C", "C", *"HHHH"], [[0.67, 0, 0], [-0.67, 0, 0], [1.2, 0.9, 0.2], [1.2, -0.9, -0.2], [-1.2, 0.9, -0.2], [-1.2, -0.9, 0.2]], 4),
    "D2d": (["C", "C", "C", *"HHHH"], [[0, 0, 0], [0, 0, 1.3], [0, 0, -1.3], [0, 0.9, 1.9], [0, -0.9, 1.9], [0.9, 0, -1.9], [-0.9, 0, -1.9]], 4),
    "D3": (["C", "C", *"HHHHHH"], [*ETHANE, *_ring(3, 1.0, 1.2), *_ring(3, 1.0, -1.2, 0.4)], 6),
    "D3d": (["C", "C", *"HHHHHH"], [*ETHANE, *_ring(3, 1.0, 1.2), *_ring(3, 1.0, -1.2, math.pi / 3)], 6),
    "D3h": (["B", *"FFF"], [[0, 0, 0], *_ring(3, 1.3)], 6),
    "D6h": ([*"CCCCCC", *"HHHHHH"], [*_ring(6, 1.39), *_ring(6, 2.48)], 12),
    "S4": (["Si", *"HHHHFFFF"], [[0, 0, 0], *PROPELLER, *WIDER], 2),
    "Td": (["C", *"HHHH"], [[0, 0, 0], *TETRAHEDRON], 12),
    "Th": (["H"] * 12, [np.roll([2.0 * a, 1.2 * b, 0.0], k).tolist() for k in range(3) for a in (1, -1) for b in (1, -1)], 12),
    "Oh": (["Cr", *["C"] * 6], [[0, 0, 0], *OCTAHEDRON], 24),
    "Ih": (["B"] * 12, ICOSAHEDRON, 60),
    "Coov": ("H C N".split(), [[0, 0, -1.06], [0, 0, 0], [0, 0, 1.15]], 1),
    "Dooh": ("O C O".split(), [[0, 0, -1.16], [0, 0, 0], [0, 0, 1.16]], 2),
    "SO3": (["He"], [[1, 2, 3]], 1),
}  # fmt: skip


def _run(symbols, positions, tolerance=0.03):
    return molecular_point_group(MolecularPointGroupInput(symbols=symbols, positions=positions, tolerance=tolerance))


@pytest.mark.parametrize("name", CASES)
def test_invariant_the_group_stays_when_the_molecule_is_turned_and_shifted(name):
    symbols, positions, number = CASES[name]
    turned = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    for points in (np.array(positions, dtype=float), np.array(positions, dtype=float) @ turned.T + [3.0, -2.0, 1.0]):
        found = _run(symbols, points.tolist())
        assert found.point_group == name
        assert found.symmetry_number == number
        assert found.deviation < 1e-6


def test_the_tolerance_decides():
    bent = [[0, 0, 0.1], [0, 0.76, -0.5], [0, -0.80, -0.5]]
    assert _run(["O", "H", "H"], bent, 0.005).point_group == "Cs"
    found = _run(["O", "H", "H"], bent, 0.1)
    assert found.point_group == "C2v"
    assert 0.005 < found.deviation < 0.1


def test_isotopes_of_a_name_do_not_matter_but_elements_do():
    positions = [[0, 0, 0], *TETRAHEDRON]
    assert _run(["C", "h", "H", "H", "H"], positions).point_group == "Td"
    assert _run(["C", "F", "H", "H", "H"], positions).point_group == "C3v"
    assert _run(["C", "F", "F", "H", "H"], positions).point_group == "C2v"


def test_error_shapes():
    with pytest.raises(ValueError, match="2 symbols need as many rows"):
        _run(["H", "H"], [[0.0, 0.0, 0.0]])
