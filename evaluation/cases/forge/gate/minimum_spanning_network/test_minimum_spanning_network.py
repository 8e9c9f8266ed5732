from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from pydantic import ValidationError

from tools.minimum_spanning_network import MinimumSpanningNetworkInput, minimum_spanning_network


def _run(stations):
    return minimum_spanning_network(MinimumSpanningNetworkInput(stations=stations))


def test_known_tree():
    out = _run([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0], [10.0, 4.0]])
    assert out.cables == [[0, 2], [1, 2], [1, 3]]
    assert out.lengths == pytest.approx([3.0, 4.0, 7.0], rel=1e-14)
    assert out.total_length == pytest.approx(14.0, rel=1e-14)


def test_invariant_stations_on_a_line():
    out = _run([[4.0, 8.0], [1.0, 2.0], [0.0, 0.0], [2.5, 5.0]])
    assert out.cables == [[0, 3], [1, 2], [1, 3]]
    assert out.total_length == pytest.approx(np.hypot(4, 8), rel=1e-13)


def test_invariant_no_other_tree_is_shorter():
    points = np.random.default_rng(3).normal(size=(5, 2)) * [2.0, 5.0]
    pairs = list(combinations(range(5), 2))
    best = min(
        sum(np.linalg.norm(points[a] - points[b]) for a, b in tree)
        for tree in combinations(pairs, 4)
        if nx.is_connected(nx.Graph([*tree, *[(i, i) for i in range(5)]]))
    )
    assert _run(points.tolist()).total_length == pytest.approx(best, rel=1e-12)


def test_invariant_stations_at_the_same_place_are_joined():
    out = _run([[1.0, 1.0], [5.0, 1.0], [1.0, 1.0]])
    assert out.cables == [[0, 1], [0, 2]]
    assert out.lengths == pytest.approx([4.0, 0.0], abs=1e-14)


def test_invariant_all_stations_are_joined():
    points = np.random.default_rng(7).uniform(size=(25, 2)).tolist()
    out = _run(points)
    assert len(out.cables) == 24
    assert all(a < b for a, b in out.cables)
    assert nx.is_connected(nx.Graph(out.cables))
    assert sum(out.lengths) == pytest.approx(out.total_length, rel=1e-13)


def test_one_station():
    out = _run([[2.0, 3.0]])
    assert out.cables == []
    assert out.total_length == 0.0


def test_error_coordinates():
    with pytest.raises(ValueError, match="two coordinates"):
        _run([[0.0, 1.0], [1.0, 2.0, 3.0]])


def test_error_no_stations():
    with pytest.raises(ValidationError, match="stations"):
        _run([])
