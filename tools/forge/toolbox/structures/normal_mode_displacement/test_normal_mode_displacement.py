"""Tests of normal_mode_displacement."""

import numpy as np
import pytest
from tools.normal_mode_displacement import NormalModeDisplacementInput, normal_mode_displacement

POSITIONS = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
MODE = [[0.0, 0.0, -0.1], [0.0, 0.3, 0.4], [0.0, 0.0, 0.0]]


def _run(size, positions=POSITIONS, mode=MODE):
    given = NormalModeDisplacementInput(positions=positions, mode=mode, size=size)
    return normal_mode_displacement(given).positions


def test_invariant_the_largest_step_is_the_size_and_there_and_back_is_home():
    moved = np.array(_run(0.25))
    steps = moved - np.array(POSITIONS)
    assert np.linalg.norm(steps, axis=1).max() == pytest.approx(0.25)
    assert steps[1] == pytest.approx([0.0, 0.15, 0.2])
    assert steps[0] == pytest.approx([0.0, 0.0, -0.05])
    assert np.allclose(_run(-0.25, moved.tolist()), POSITIONS)


def test_no_size_is_no_step():
    assert _run(0.0) == POSITIONS


def test_error_shapes_and_idle_modes():
    with pytest.raises(ValueError, match="must both be atoms x 3"):
        _run(0.1, mode=MODE[:2])
    with pytest.raises(ValueError, match="must both be atoms x 3"):
        _run(0.1, [[0.0, 1.0]], [[0.0, 1.0]])
    with pytest.raises(ValueError, match="moves no atom"):
        _run(0.1, mode=[[0.0, 0.0, 0.0]] * 3)
