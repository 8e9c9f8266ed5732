"""The one picture of a run."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imsave

from labwright.tools.experiments.run_overview_figure import chosen, overview

RUNS = [
    ("ramsey", "Q1", "adjust"),
    ("ramsey", "Q1", "adjust"),
    ("ramsey", "Q1", "success"),
    ("rabi", "Q1", "success"),
    ("rabi", "Q2", "success"),
    ("ramsey", "Q1", "success"),
]


def test_the_first_rejected_and_the_last_accepted_runs_are_shown() -> None:
    assert chosen(RUNS) == [0, 3, 4, 5]
    assert chosen(RUNS, most=2) == [0, 5]
    assert chosen(RUNS[2:4]) == [0, 1]


@pytest.mark.parametrize(("count", "shape"), [(1, (1, 1)), (3, (1, 3)), (4, (2, 3))])
def test_every_picture_has_its_place(tmp_path: Path, count: int, shape: tuple[int, int]) -> None:
    picture = tmp_path / "a.png"
    imsave(picture, np.ones((40, 60, 3)))
    figure = overview([(f"run {n}", picture) for n in range(count)])
    assert (figure.axes[0].get_subplotspec().get_gridspec().nrows, len(figure.axes)) == (shape[0], shape[0] * shape[1])
    assert [axis.get_title() for axis in figure.axes[:count]] == [f"run {n}" for n in range(count)]
    assert all(len(axis.images) == 1 for axis in figure.axes[:count])


def test_no_picture_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        overview([])
