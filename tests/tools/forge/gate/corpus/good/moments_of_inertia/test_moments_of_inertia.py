import pytest

from tools.moments_of_inertia import MomentsOfInertiaInput, moments_of_inertia


def _made(masses, positions):
    return moments_of_inertia(MomentsOfInertiaInput(masses=masses, positions=positions))


def test_invariant_diatomic():
    made = _made([1.0, 3.0], [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert made.moments == pytest.approx([0.0, 3.0, 3.0], abs=1e-12)
    assert made.centre == pytest.approx([1.5, 0.0, 0.0])


def test_flat_bodies_obey_the_perpendicular_axis_theorem():
    made = _made([2.0, 2.0, 1.0, 1.0], [[1, 0, 0], [-1, 0, 0], [0, 3, 0], [0, -3, 0]])
    assert made.moments == pytest.approx([4.0, 18.0, 22.0])


def test_error_shapes():
    with pytest.raises(ValueError, match="2 x 3"):
        _made([1.0, 1.0], [[0.0, 0.0, 0.0]])
