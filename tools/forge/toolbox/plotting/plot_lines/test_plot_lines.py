"""The figure shows what was given, and its data file says so."""

import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from pydantic import ValidationError
from tools.plot_lines import PlotLinesInput, plot_lines


def _panel(**changes):
    series = [
        {"label": "a", "x": [0.0, 1.0, 2.0], "y": [1.0, 0.1, 0.01]},
        {"label": "", "x": [0.0, 1.0], "y": [0.5, 0.5], "style": "dashed"},
        {"label": "c", "x": [0.0, 2.0], "y": [0.2, 0.3], "style": "points"},
    ]
    return {"title": "decay", "x_label": "time (us)", "y_label": "population", "series": series} | changes


def _given(tmp_path, panels, dots_per_inch=20):
    path = str(tmp_path / "img" / "curves.png")
    return PlotLinesInput(path=path, title="All", panels=panels, dots_per_inch=dots_per_inch)


def _drawn(tmp_path, monkeypatch, panels):
    """The figure object at the moment when it would be written: drawing it is for the tests of the file."""
    seen = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *args, **rest: seen.append(self))
    plot_lines(_given(tmp_path, panels))
    return seen[0]


def test_invariant_the_data_file_holds_what_was_given(tmp_path):
    given = _given(tmp_path, [_panel(), _panel(y_log=True)])
    made = plot_lines(given)
    data = json.loads(Path(made.data_path).read_text())
    assert made.path == given.path
    assert made.data_path == given.path.replace(".png", ".json")
    assert data == {"kind": "lines", "title": "All", "panels": [panel.model_dump() for panel in given.panels]}


def test_invariant_the_axes_hold_the_curves(tmp_path, monkeypatch):
    figure = _drawn(tmp_path, monkeypatch, [_panel()])
    (axes,) = figure.axes
    drawn = axes.get_lines()
    assert [list(line.get_xdata()) for line in drawn] == [[0.0, 1.0, 2.0], [0.0, 1.0], [0.0, 2.0]]
    assert [list(line.get_ydata()) for line in drawn] == [[1.0, 0.1, 0.01], [0.5, 0.5], [0.2, 0.3]]
    assert [line.get_linestyle() for line in drawn] == ["-", "--", "None"]
    assert [line.get_marker() for line in drawn] == ["o", "None", "^"]
    assert len({line.get_color() for line in drawn}) == 3
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("decay", "time (us)", "population")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "c"]
    assert figure.get_suptitle() == "All"
    assert axes.get_yscale() == "linear"
    assert axes.get_legend()._ncols == 2


def test_long_curves_have_no_markers(tmp_path, monkeypatch):
    long = [{"label": "", "x": [float(k) for k in range(count)], "y": [0.5] * count} for count in (25, 26)]
    figure = _drawn(tmp_path, monkeypatch, [_panel(series=long)])
    assert [line.get_marker() for line in figure.axes[0].get_lines()] == ["o", "None"]
    assert figure.axes[0].get_legend() is None


def test_colours_come_again_after_ten_and_legends_have_up_to_four_columns(tmp_path, monkeypatch):
    many = [{"label": f"s{k}", "x": [0.0, 1.0], "y": [0.0, float(k)], "style": "points"} for k in range(11)]
    long = [{**one, "label": f"a label of many words {k}"} for k, one in enumerate(many[:3])]
    panels = [_panel(series=many), _panel(series=many[:3]), _panel(series=long), _panel(series=long[:1])]
    axes = _drawn(tmp_path, monkeypatch, panels).axes
    assert [one.get_legend()._ncols for one in axes] == [4, 3, 2, 1]
    lines = axes[0].get_lines()
    assert lines[0].get_color() == lines[10].get_color()
    assert lines[0].get_marker() == lines[10].get_marker()
    assert len({line.get_color() for line in lines}) == 10


def test_a_reference_has_the_colour_of_the_points_before_it(tmp_path, monkeypatch):
    pairs = [{"label": f"{k}", "x": [0.0], "y": [1.0], "style": style} for k in "ab" for style in ("points", "dashed")]
    free = [{"label": "c", "x": [0.0], "y": [1.0], "style": style} for style in ("line", "dashed")]
    axes = _drawn(tmp_path, monkeypatch, [_panel(series=pairs), _panel(series=free)]).axes
    colours = [line.get_color() for line in axes[0].get_lines()]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    assert len({line.get_color() for line in axes[1].get_lines()}) == 2


def _places(figure):
    places = [axes.get_subplotspec() for axes in figure.axes]
    return [(place.rowspan.start, place.colspan.start) for place in places]


def test_panels_stand_three_in_a_row_and_four_two_by_two(tmp_path, monkeypatch):
    figure = _drawn(tmp_path, monkeypatch, [_panel(y_log=True), _panel(), _panel(), _panel(), _panel()])
    assert _places(figure) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    assert [axes.get_yscale() for axes in figure.axes] == ["log", *["linear"] * 4]
    assert tuple(round(float(size), 3) for size in figure.get_size_inches()) == (15.6, 8.8)
    assert _places(_drawn(tmp_path, monkeypatch, [_panel()] * 4)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_invariant_the_image_is_large_and_not_empty(tmp_path):
    image = imread(plot_lines(_given(tmp_path, [_panel()], dots_per_inch=200)).path)
    assert image.shape[:2] == (920, 1500)
    assert image[..., :3].std() > 0.02


def test_error_as_many_x_as_y(tmp_path):
    with pytest.raises(ValidationError, match="2 x and 1 y"):
        _given(tmp_path, [_panel(series=[{"label": "a", "x": [0.0, 1.0], "y": [1.0]}])])


def test_error_values_must_be_finite(tmp_path):
    for x, y in (([0.0], [float("nan")]), ([float("inf")], [0.0])):
        with pytest.raises(ValidationError, match="not finite"):
            _given(tmp_path, [_panel(series=[{"label": "a", "x": x, "y": y}])])


def test_error_logarithm_of_zero(tmp_path):
    zero = [{"label": "a", "x": [0.0], "y": [0.0]}]
    with pytest.raises(ValidationError, match="not positive"):
        _given(tmp_path, [_panel(series=zero, y_log=True)])
    assert _given(tmp_path, [_panel(series=zero)]).panels[0].y_log is False


def test_error_path_must_end_in_png(tmp_path):
    with pytest.raises(ValidationError, match="png"):
        PlotLinesInput(path=str(tmp_path / "curves.pdf"), title="t", panels=[_panel()])
