import numpy as np
import pytest
from pydantic import ValidationError

from tools.lanczos_ground_state import LanczosGroundStateInput, MatrixEntry, lanczos_ground_state


def _run(size, entries, levels, seed=3):
    listed = [MatrixEntry(row=i, column=j, value=v) for i, j, v in entries]
    return lanczos_ground_state(LanczosGroundStateInput(size=size, entries=listed, levels=levels, seed=seed))


def _chain(size, onsite, hopping):
    return [(i, i, onsite) for i in range(size)] + [(i, i + 1, hopping) for i in range(size - 1)]


@pytest.mark.parametrize("size", [12, 40, 41, 120])
def test_invariant_open_chain(size):
    out = _run(size, _chain(size, 0.7, -1.3), 3)
    exact = 0.7 - 2 * 1.3 * np.cos(np.pi * np.arange(1, 4) / (size + 1))
    assert out.eigenvalues == pytest.approx(exact.tolist(), abs=1e-10)
    assert 0 <= out.residual < 1e-8


def test_invariant_two_by_two():
    out = _run(2, [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 4.0)], 2)
    assert out.eigenvalues == pytest.approx([0.0, 5.0], abs=1e-12)


def test_invariant_mirrored_entries_change_nothing():
    once = _run(60, _chain(60, 0.2, 0.9), 2)
    both = _run(60, _chain(60, 0.2, 0.9) + [(i + 1, i, 0.9) for i in range(59)], 2)
    assert both.eigenvalues == pytest.approx(once.eigenvalues, abs=1e-11)


def test_invariant_dense_reference():
    rng = np.random.default_rng(8)
    size = 70
    entries = [(i, i, float(rng.normal())) for i in range(size)]
    entries += [(i, (3 * i + 5) % size, 0.1 + i / size) for i in range(20)]
    dense = np.zeros((size, size))
    for i, j, v in entries:
        dense[i, j] = dense[j, i] = v
    out = _run(size, entries, 5)
    assert out.eigenvalues == pytest.approx(np.linalg.eigvalsh(dense)[:5].tolist(), abs=1e-10)


def test_all_levels_of_a_small_matrix():
    out = _run(3, [(0, 0, 3.0), (1, 1, -2.0)], 3)
    assert out.eigenvalues == pytest.approx([-2.0, 0.0, 3.0], abs=1e-13)


def test_levels_up_to_one_below_the_size():
    out = _run(41, [(i, i, float(41 - i)) for i in range(41)], 40)
    assert out.eigenvalues == pytest.approx(np.arange(1.0, 41.0).tolist(), abs=1e-9)


def test_error_outside():
    with pytest.raises(ValueError, match="outside"):
        _run(3, [(0, 0, 1.0), (1, 3, 1.0)], 1)


def test_error_contradiction():
    with pytest.raises(ValueError, match="twice"):
        _run(3, [(0, 1, 1.0), (1, 0, 2.0)], 1)


def test_error_too_many_levels():
    with pytest.raises(ValueError, match="no more than"):
        _run(3, [(0, 1, 1.0)], 4)
    with pytest.raises(ValueError, match="fewer than"):
        _run(41, _chain(41, 0.0, 1.0), 41)


def test_error_no_levels():
    with pytest.raises(ValidationError, match="levels"):
        _run(3, [(0, 1, 1.0)], 0)
