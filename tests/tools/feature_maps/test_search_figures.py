"""Figures: everything is drawn, nothing covers anything, bad input is refused."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.draw_circuit import DATA, FIXED, MOST_COLUMNS, PLAIN, draw_circuit
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.published_best_map import listing22
from labwright.tools.feature_maps.search_figures import kernel_figure, trajectory_figure


def boxes(figure):
    return [each for each in figure.axes[0].patches if isinstance(each, FancyBboxPatch)]


def words(figure):
    return [each.get_text() for each in [*figure.axes[0].texts, *figure.texts]]


def pixels(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3]


@pytest.mark.parametrize("name", ["$\\frac{a$", "x_$^", "\x1b[31mred\x1b[2J", "long " * 400])
def test_class_names_are_drawn_as_they_are_and_no_formula(name):
    figure = kernel_figure(np.eye(4), np.array([0, 0, 1, 1]), "Kernel", (name, "b"))
    assert pixels(figure).std() > 1
    assert len(figure.axes[0].get_yticklabels()[0].get_text()) <= 24


@pytest.mark.parametrize("n_baselines", [0, 2, 3, 9])
def test_the_legend_lies_within_the_figure(n_baselines):
    known = {f"A baseline called {number}": 0.9 + number / 100 for number in range(n_baselines)}
    figure = trajectory_figure([(1, 0.9), (2, 0.95)], known, [(1, 0.9)])
    figure.canvas.draw()
    box, width = figure.legends[0].get_window_extent(), figure.bbox.width
    assert 0 <= box.x0 < box.x1 <= width
    assert figure.axes[0].get_window_extent().height > 150


@pytest.fixture(scope="module")
def deep():
    """The published map of 226 gates, drawn."""
    figure = draw_circuit(listing22(), "Deep")
    figure.canvas.draw()
    return figure


@pytest.mark.slow
def test_a_deep_circuit_is_wrapped_and_nothing_covers_anything(deep):
    drawn = np.asarray(deep.canvas.buffer_rgba())
    assert drawn.shape[1] < 2200
    assert drawn.shape[0] > drawn.shape[1]  # rows below one another
    areas = [each.get_window_extent() for each in boxes(deep)]
    # 50 RY, 100 controlled rotations and 50 CRot with one box each, 25 IsingXY with two, MultiRZ with ten
    assert len(areas) == 50 + 100 + 50 + 2 * 25 + 10
    corners = np.array([[area.x0, area.y0, area.x1, area.y1] for area in areas])
    left, other = corners[:, None], corners[None]
    apart = (left[..., 2] <= other[..., 0]) | (other[..., 2] <= left[..., 0])
    apart |= (left[..., 3] <= other[..., 1]) | (other[..., 3] <= left[..., 1])
    assert (apart | np.eye(len(areas), dtype=bool)).all()


@pytest.mark.slow
def test_words_stay_inside_their_boxes_and_the_page(deep):
    page, areas = deep.bbox, [each.get_window_extent() for each in boxes(deep)]
    for text in deep.axes[0].texts:
        extent = text.get_window_extent()
        assert page.x0 <= extent.x0 <= extent.x1 <= page.x1, text.get_text()
        inside = [
            area for area in areas if area.x0 < (extent.x0 + extent.x1) / 2 < area.x1 and area.y0 < extent.y0 < area.y1
        ]
        assert all(area.x0 - 1 <= extent.x0 and extent.x1 <= area.x1 + 1 for area in inside), text.get_text()


@pytest.mark.parametrize("name", list(GATES))
def test_every_gate_is_drawn_in_the_colour_of_what_turns_it(name):
    spec = GATES[name]
    wires = tuple(range(spec.wires or 4))[::-1]

    def drawn(angle):
        return draw_circuit(Circuit(4, 3, (Gate(name, wires, (angle,) * spec.parameters),)), name)

    by_data, fixed = drawn(Angle(((2, 0.5),), 0.1)), drawn(Angle((), np.pi / 2))
    if name in ("CNOT", "CZ", "SWAP", "Toffoli", "CSWAP", "CCZ"):
        assert boxes(by_data) == []
        assert len(by_data.axes[0].lines) >= 4 + 1 + len(wires)
        return
    assert len(boxes(by_data)) == len(wires) - spec.controls
    for figure, colour in ((by_data, DATA), (fixed, FIXED)):
        expected = colour if spec.parameters else PLAIN
        assert to_hex(boxes(figure)[0].get_facecolor()) == expected[0].lower()
    if spec.parameters:
        assert (".5$x_{2}$+.1" if spec.parameters == 1 else "$x$ 2") in words(by_data)


@pytest.mark.slow
def test_a_very_deep_circuit_says_that_it_is_cut():
    gates = (Gate("Hadamard", (0,)),) * (MOST_COLUMNS + 40)
    figure = draw_circuit(Circuit(1, 1, gates), "Very deep")
    assert f"Very deep (first {MOST_COLUMNS} of {MOST_COLUMNS + 40} columns)" in words(figure)
    assert len(boxes(figure)) == MOST_COLUMNS


def test_an_empty_circuit_is_bare_wires():
    figure = draw_circuit(Circuit(3, 2, ()), "Nothing")
    assert len(figure.axes[0].lines) == 3
    assert "3 qubits, 0 gates, 0 of them on several wires" in words(figure)


def test_the_kernel_is_sorted_by_class_with_edges_between_classes():
    y = np.array([1, 0, 2, 0, 1, 0])
    K = np.where(y[:, None] == y[None, :], 0.8, 0.1)
    np.fill_diagonal(K, 1.0)
    figure = kernel_figure(K, y, "K", ["a", "b", "c"])
    axis = figure.axes[0]
    shown = axis.images[0].get_array()
    assert np.allclose(shown[:3, :3], np.where(np.eye(3), 1.0, 0.8))
    assert np.allclose(shown[:3, 3:], 0.1)
    assert [line.get_ydata()[0] for line in axis.lines[::2]] == [2.5, 4.5]
    assert [each.get_text() for each in axis.get_xticklabels()] == ["a", "b", "c"]
    assert axis.get_title() == "mean within a class 0.800, between classes 0.100"
    assert pixels(figure).std() > 10


@pytest.mark.parametrize(("shape", "labels"), [((3, 3), 4), ((3, 2), 3), ((1, 1), 1)])
def test_a_kernel_of_another_shape_is_refused(shape, labels):
    with pytest.raises(InputError, match="The kernel must have shape"):
        kernel_figure(np.ones(shape), np.zeros(labels, dtype=int))


def test_the_trajectory_shows_every_candidate_the_selected_and_the_baselines():
    candidates = [(1, 0.95), (1, 0.93), (2, 0.94), (3, 0.97), (3, 0.2)]
    figure = trajectory_figure(candidates, {"RBF, default": 0.98, "RBF, tuned": 0.985}, [(1, 0.95), (2, 0.94)])
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert sorted(lines["candidate"].get_ydata()) == [0.2, 0.93, 0.94, 0.95, 0.97]
    assert list(lines["selected so far"].get_ydata()) == [0.95, 0.94, 0.94]
    assert lines["RBF, default 0.9800"].get_ydata()[0] == 0.98
    assert lines["RBF, default 0.9800"].get_linestyle() != lines["RBF, tuned 0.9850"].get_linestyle()
    assert "1 candidate lies below" in words(figure)
    assert figure.axes[0].get_ylim()[0] > 0.85
    spots = lines["candidate"].get_xdata()
    assert all(abs(a - b) > 0.01 for a, b in itertools.combinations(spots, 2))


def test_one_candidate_is_enough_and_none_is_refused():
    assert pixels(trajectory_figure([(1, 0.9), (2, float("nan"))], {}, [(1, 0.9)])).std() > 3
    with pytest.raises(InputError, match="no evaluated candidate"):
        trajectory_figure([(1, float("nan"))], {}, [])
