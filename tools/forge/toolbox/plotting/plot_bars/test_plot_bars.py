"""The chart shows what was given, and its data file says so."""

import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from pydantic import ValidationError
from tools.plot_bars import PlotBarsInput, plot_bars


def _panel(**changes):
    return {
        "title": "ZZ",
        "x_label": "outcome",
        "y_label": "shots",
        "labels": ["00", "11"],
        "values": [2048.0, -12.5],
    } | changes


def _given(tmp_path, panels, **more):
    return PlotBarsInput(
        **({"path": str(tmp_path / "img" / "bars.png"), "title": "All", "panels": panels, "dots_per_inch": 20} | more)
    )


def _drawn(tmp_path, monkeypatch, panels):
    """The figure object at the moment when it would be written: drawing it is for the tests of the file."""
    seen = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *args, **rest: seen.append(self))
    plot_bars(_given(tmp_path, panels))
    return seen[0]


def test_invariant_the_data_file_holds_what_was_given(tmp_path):
    given = _given(tmp_path, [_panel(), _panel(title="XX")])
    made = plot_bars(given)
    assert made.path == given.path
    assert made.data_path == given.path.replace(".png", ".json")
    data = json.loads(Path(made.data_path).read_text())
    assert data == {"kind": "bars", "title": "All", "panels": [panel.model_dump() for panel in given.panels]}


def test_invariant_heights_are_the_values(tmp_path, monkeypatch):
    figure = _drawn(tmp_path, monkeypatch, [_panel()])
    (axes,) = figure.axes
    (bars,) = axes.containers
    assert [bar.get_height() for bar in bars] == [2048.0, -12.5]
    assert [round(bar.get_x() + bar.get_width() / 2, 9) for bar in bars] == [0.0, 1.0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["00", "11"]
    assert [text.get_text() for text in axes.texts] == ["2048", "-12.5"]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("ZZ", "outcome", "shots")
    assert figure.get_suptitle() == "All"
    assert axes.get_xticklabels()[0].get_rotation() == 0


def test_panels_differ_in_colour_and_stand_three_in_a_row_or_two_by_two(tmp_path, monkeypatch):
    figure = _drawn(tmp_path, monkeypatch, [_panel()] * 7)
    places = [axes.get_subplotspec() for axes in figure.axes]
    assert [(place.rowspan.start, place.colspan.start) for place in places[:4]] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    colours = [axes.patches[0].get_facecolor() for axes in figure.axes]
    assert len(set(colours[:6])) == 6
    assert colours[6] == colours[0]
    assert tuple(round(float(size), 3) for size in figure.get_size_inches()) == (14.4, 12.4)
    four = [axes.get_subplotspec() for axes in _drawn(tmp_path, monkeypatch, [_panel()] * 4).axes]
    assert [(place.rowspan.start, place.colspan.start) for place in four] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_crowded_labels_are_turned_and_many_bars_carry_no_numbers(tmp_path, monkeypatch):
    labels = [[f"{k:03d}" for k in range(count)] for count in (12, 13, 11)]
    figure = _drawn(tmp_path, monkeypatch, [_panel(labels=names, values=[1.0] * len(names)) for names in labels])
    assert [len(axes.texts) for axes in figure.axes] == [12, 0, 11]
    assert [axes.get_xticklabels()[0].get_rotation() for axes in figure.axes] == [60, 60, 0]


def test_invariant_the_image_is_large_and_not_empty(tmp_path):
    image = imread(plot_bars(_given(tmp_path, [_panel()], dots_per_inch=200)).path)
    assert image.shape[:2] == (880, 1500)
    assert image[..., :3].std() > 0.05


def test_error_as_many_labels_as_values(tmp_path):
    with pytest.raises(ValidationError, match="2 labels and 1 values"):
        _given(tmp_path, [_panel(values=[1.0])])


def test_error_labels_must_differ(tmp_path):
    with pytest.raises(ValidationError, match="twice"):
        _given(tmp_path, [_panel(labels=["00", "00"])])


def test_error_values_must_be_finite(tmp_path):
    with pytest.raises(ValidationError, match="not finite"):
        _given(tmp_path, [_panel(values=[1.0, float("inf")])])


def test_error_path_must_end_in_png(tmp_path):
    with pytest.raises(ValidationError, match="png"):
        _given(tmp_path, [_panel()], path="bars.jpg")
