"""Figures as data for a browser: the numbers that were drawn, or nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import Ellipse

from labwright.tools.experiments import figures
from labwright.tools.runs.interactive_figures import interactive, plain
from labwright.tools.runs.run import create_run

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)


@pytest.mark.slow
@given(st.lists(st.tuples(FINITE, FINITE, st.floats(1e-3, 10.0)), min_size=1, max_size=12))
def test_points_keep_their_values_and_errors(points: list[tuple[float, float, float]]) -> None:
    x, y, sigma = np.array(points).T
    made, (axis,) = figures.figure("title")
    figures.data(axis, x, y, sigma)
    made.draw_without_rendering()
    drawn = interactive(made)
    assert drawn is not None
    (trace,) = drawn["data"]
    assert trace["x"] == pytest.approx(list(x), rel=1e-8)
    assert trace["y"] == pytest.approx(list(y), rel=1e-8)
    np.testing.assert_allclose(trace["error_y"]["array"], sigma, rtol=1e-6)
    json.dumps(drawn, allow_nan=False)


def test_panels_rules_bands_notes_and_logarithms_are_kept() -> None:
    made, main, below = figures.with_residuals("Ramsey", r"delay ($\mu$s)", "fraction")
    main.plot([1.0, 10.0], [0.1, 0.9], label="fit")
    main.set_yscale("log")
    main.legend()
    below.axhspan(-2, 2)
    figures.note(main, "fringe 1.5\n" + r"$\chi^2$ 1.04")
    made.draw_without_rendering()
    drawn = interactive(made)
    assert drawn is not None
    layout = drawn["layout"]
    assert layout["xaxis2"]["title"]["text"] == "delay (μs)"
    assert layout["xaxis2"]["matches"] == "x"
    assert layout["yaxis"]["type"] == "log"
    assert layout["yaxis"]["domain"][1] == 1.0
    assert layout["yaxis2"]["domain"][0] == 0.0
    assert [shape["type"] for shape in layout["shapes"]] == ["line", "rect"]
    assert layout["annotations"][0]["text"] == "fringe 1.5<br>χ² 1.04"
    assert drawn["data"][0]["name"] == "fit"


def test_a_grid_keeps_its_numbers_and_places() -> None:
    made, (axis,) = figures.figure("sweep")
    axis.imshow(np.arange(6.0).reshape(2, 3), extent=(0, 3, 0, 2), origin="lower")
    made.draw_without_rendering()
    (trace,) = (interactive(made) or {})["data"]
    assert trace["z"] == [[0, 1, 2], [3, 4, 5]]
    assert (trace["x"], trace["y"]) == ([0, 1, 2, 3], [0, 1, 2])


def test_what_has_no_counterpart_stays_a_picture(tmp_path: Path) -> None:
    made, (axis,) = figures.figure("blobs")
    axis.plot([0, 1], [0, 1])
    axis.add_patch(Ellipse((0.5, 0.5), 0.2, 0.1))
    run = create_run(tmp_path, "lab_calibration", "blobs", {}, 0)
    run.save_figure("blobs", made)
    assert (run.folder / "figures" / "blobs.png").is_file()
    assert not list((run.folder / "data").glob("*.plot.json"))
    made.axes[0].patches[0].remove()
    run.save_figure("blobs", made)
    assert json.loads((run.folder / "data" / "blobs.plot.json").read_text())["data"][0]["y"] == [0, 1]


def test_tex_becomes_text() -> None:
    assert plain(r"1.2 $\times$ 10$^{-4}$, $A\,p$") == "1.2 × 10⁻⁴, Ap"
