"""The map shows what was given, and its data file says so."""

import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from pydantic import ValidationError
from tools.plot_heatmap import PlotHeatmapInput, plot_heatmap

LABELS = {"x_label": "qubit", "y_label": "time", "colour_label": "Z"}


def _panel(**changes):
    return {
        "title": "a",
        **LABELS,
        "x": [0.0, 1.0],
        "y": [0.0, 1.0, 3.0],
        "values": [[1.0, -0.5], [0.2, 0.0], [0.1, 0.3]],
    } | changes


def _given(tmp_path, panels, **more):
    return PlotHeatmapInput(
        **(
            {
                "path": str(tmp_path / "img" / "map.png"),
                "title": "All",
                "panels": panels,
                "dots_per_inch": 20,
                "symmetric": True,
            }
            | more
        )
    )


def _drawn(tmp_path, monkeypatch, panels, **more):
    """The figure object at the moment when it would be written: drawing it is for the tests of the file."""
    seen = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *args, **rest: seen.append(self))
    plot_heatmap(_given(tmp_path, panels, **more))
    return seen[0]


def _maps(figure):
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def test_invariant_the_data_file_holds_what_was_given(tmp_path):
    given = _given(tmp_path, [_panel(), _panel(title="b")])
    made = plot_heatmap(given)
    assert made.path == given.path
    assert made.data_path == given.path.replace(".png", ".json")
    data = json.loads(Path(made.data_path).read_text())
    assert data == {"kind": "heatmap", "title": "All", "panels": [panel.model_dump() for panel in given.panels]}


def test_invariant_the_mesh_holds_the_values_in_cells_around_their_middles(tmp_path, monkeypatch):
    figure = _drawn(tmp_path, monkeypatch, [_panel()])
    axes, bar = figure.axes
    (mesh,) = axes.collections
    assert mesh.get_array().tolist() == [[1.0, -0.5], [0.2, 0.0], [0.1, 0.3]]
    corners = mesh.get_coordinates()
    assert corners[0, :, 0].tolist() == [-0.5, 0.5, 1.5]
    assert corners[:, 0, 1].tolist() == [-0.5, 0.5, 2.0, 4.0]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("a", "qubit", "time")
    assert bar.get_ylabel() == "Z"
    assert figure.get_suptitle() == "All"


def test_invariant_zero_is_in_the_middle_of_symmetric_colours(tmp_path, monkeypatch):
    figure = _drawn(tmp_path, monkeypatch, [_panel(), _panel(values=[[0.1, -2.0], [0.0, 0.0], [0.0, 0.0]])])
    for axes in _maps(figure):
        assert axes.collections[0].get_clim() == (-2.0, 2.0)
        assert axes.collections[0].get_cmap().name == "RdBu_r"


def test_panels_may_have_their_own_scale(tmp_path, monkeypatch):
    panels = [_panel(), _panel(values=[[0.1, 0.2], [0.0, 0.0], [0.0, 0.0]])]
    own = _drawn(tmp_path, monkeypatch, panels, symmetric=False, shared_scale=False)
    assert [axes.collections[0].get_clim() for axes in _maps(own)] == [(-0.5, 1.0), (0.0, 0.2)]
    shared = _drawn(tmp_path, monkeypatch, panels, symmetric=False)
    assert [axes.collections[0].get_clim() for axes in _maps(shared)] == [(-0.5, 1.0), (-0.5, 1.0)]
    assert shared.axes[0].collections[0].get_cmap().name == "viridis"


def test_constant_maps_have_a_scale_too(tmp_path, monkeypatch):
    one = _panel(x=[4.0], y=[2.0], values=[[3.0]])
    figure = _drawn(tmp_path, monkeypatch, [one], symmetric=False)
    mesh = figure.axes[0].collections[0]
    assert mesh.get_clim() == (2.5, 3.5)
    assert mesh.get_coordinates()[0, :, 0].tolist() == [3.5, 4.5]
    zero = _drawn(tmp_path, monkeypatch, [_panel(x=[4.0], y=[2.0], values=[[0.0]])])
    assert zero.axes[0].collections[0].get_clim() == (-1e-12, 1e-12)


def test_whole_positions_are_ticked(tmp_path, monkeypatch):
    figure = _drawn(tmp_path, monkeypatch, [_panel()])
    assert figure.axes[0].get_xticks().tolist() == [0.0, 1.0]
    assert figure.axes[0].get_yticks().tolist() == [0.0, 1.0, 3.0]
    sites = [[float(k) for k in range(count)] for count in (16, 17)]
    panels = [_panel(x=x, y=[0.0], values=[[0.5] * len(x)]) for x in sites]
    drawn = _maps(_drawn(tmp_path, monkeypatch, [*panels, _panel(x=[0.0, 0.26], values=[[1.0, 2.0]] * 3)]))
    ticked = [axes.get_xticks().tolist() == x for axes, x in zip(drawn, [*sites, [0.0, 0.26]], strict=True)]
    assert ticked == [True, False, False]


def _places(figure):
    places = [axes.get_subplotspec() for axes in _maps(figure)]
    return [(place.rowspan.start, place.colspan.start) for place in places]


def test_panels_stand_three_in_a_row_and_four_two_by_two(tmp_path, monkeypatch):
    figure = _drawn(tmp_path, monkeypatch, [_panel()] * 5)
    assert _places(figure) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    assert _places(_drawn(tmp_path, monkeypatch, [_panel()] * 4)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert tuple(round(float(size), 3) for size in figure.get_size_inches()) == (16.2, 9.6)


def test_invariant_the_image_is_large_and_not_empty(tmp_path):
    image = imread(plot_heatmap(_given(tmp_path, [_panel()], dots_per_inch=200)).path)
    assert image.shape[:2] == (1000, 1500)
    assert image[..., :3].std() > 0.05


def test_error_shape(tmp_path):
    for values in ([[1.0, 2.0]], [[1.0], [1.0], [1.0]]):
        with pytest.raises(ValidationError, match="3 rows of 2 values"):
            _given(tmp_path, [_panel(values=values)])


def test_error_values_must_be_finite(tmp_path):
    with pytest.raises(ValidationError, match="finite number"):
        _given(tmp_path, [_panel(values=[[1.0, float("nan")], [0.0, 0.0], [0.0, 0.0]])])


def test_error_axes_must_rise(tmp_path):
    for changes in ({"x": [1.0, 1.0]}, {"y": [2.0, 1.0, 0.0]}):
        with pytest.raises(ValidationError, match="does not rise"):
            _given(tmp_path, [_panel(**changes)])


def test_error_path_must_end_in_png(tmp_path):
    with pytest.raises(ValidationError, match="png"):
        _given(tmp_path, [_panel()], path="map.svg")
