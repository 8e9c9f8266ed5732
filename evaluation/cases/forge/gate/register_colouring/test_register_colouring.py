import networkx as nx
import pytest
from pydantic import ValidationError

from tools.register_colouring import RegisterColouringInput, register_colouring


def _run(qubits, couplings):
    out = register_colouring(RegisterColouringInput(qubits=qubits, couplings=[list(pair) for pair in couplings]))
    assert len(out.colours) == qubits
    assert all(out.colours[a] != out.colours[b] for a, b in couplings)
    assert sorted(set(out.colours)) == list(range(out.number_of_colours))
    return out


@pytest.mark.parametrize(
    ("graph", "chromatic"),
    [
        (nx.cycle_graph(7), 3),
        (nx.cycle_graph(8), 2),
        (nx.complete_graph(5), 5),
        (nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4)), 2),
        (nx.petersen_graph(), 3),
        (nx.wheel_graph(6), 4),
        (nx.star_graph(6), 2),
    ],
)
def test_invariant_chromatic_number(graph, chromatic):
    assert _run(graph.number_of_nodes(), list(graph.edges)).number_of_colours == chromatic


def test_invariant_crown_graph_has_two_colours():
    crown = [(2 * i, 2 * j + 1) for i in range(5) for j in range(5) if i != j]
    assert _run(10, crown).number_of_colours == 2


def test_best_of_the_strategies():
    graph = nx.gnp_random_graph(24, 0.35, seed=9)
    used = [max(nx.greedy_color(graph, s).values()) + 1 for s in ("largest_first", "smallest_last", "DSATUR")]
    assert _run(24, list(graph.edges)).number_of_colours == min(used)


def test_known_colours():
    out = _run(4, [(1, 2), (2, 3), (1, 3)])
    assert out.colours == [0, 0, 1, 2]


def test_no_couplings():
    out = _run(3, [])
    assert out.colours == [0, 0, 0]
    assert out.number_of_colours == 1


def test_coupling_given_twice():
    assert _run(2, [(0, 1), (1, 0)]).number_of_colours == 2


@pytest.mark.parametrize("pair", [[1, 1], [0], [0, 1, 2]])
def test_error_no_pair(pair):
    with pytest.raises(ValueError, match="not a pair"):
        register_colouring(RegisterColouringInput(qubits=3, couplings=[pair]))


@pytest.mark.parametrize("pair", [[0, 3], [3, 0], [-1, 1]])
def test_error_unknown_qubit(pair):
    with pytest.raises(ValueError, match="not there"):
        register_colouring(RegisterColouringInput(qubits=3, couplings=[pair]))


def test_error_no_qubits():
    with pytest.raises(ValidationError, match="qubits"):
        register_colouring(RegisterColouringInput(qubits=0, couplings=[]))
