"""Frequencies for the qubits of a chip: greedy colouring of the coupling graph.

Coupled qubits get different colours. Three deterministic greedy strategies are tried in this order: largest degree first,
smallest degree last, largest saturation first (DSATUR); the first with the fewest colours wins. This is an upper bound of
the chromatic number, which greedy strategies do not always reach. Colours are numbered from 0.

Source: D. Brelaz, Commun. ACM 22, 251 (1979); NetworkX documentation, greedy_color.
"""

import networkx as nx
from pydantic import BaseModel, Field

_STRATEGIES = ("largest_first", "smallest_last", "saturation_largest_first")


class RegisterColouringInput(BaseModel, allow_inf_nan=False):
    """Coupling graph of the chip."""

    qubits: int = Field(ge=1, description="Number of qubits.")
    couplings: list[list[int]] = Field(description="Pairs of coupled qubits, counted from 0.")


class RegisterColouringOutput(BaseModel):
    """Colours of the qubits."""

    colours: list[int] = Field(description="Colour of each qubit, counted from 0.")
    number_of_colours: int = Field(description="How many colours are used.")


def register_colouring(given: RegisterColouringInput) -> RegisterColouringOutput:
    """Colour a graph greedily so that neighbours differ."""
    graph = nx.Graph()
    graph.add_nodes_from(range(given.qubits))
    for pair in given.couplings:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise ValueError(f"coupling {pair} is not a pair of two different qubits")
        if min(pair) < 0 or max(pair) >= given.qubits:
            raise ValueError(f"coupling {pair} names a qubit that is not there")
        graph.add_edge(*pair)
    colourings = [nx.greedy_color(graph, strategy=strategy) for strategy in _STRATEGIES]
    best = min(colourings, key=lambda colouring: max(colouring.values()))
    return RegisterColouringOutput(
        colours=[best[qubit] for qubit in range(given.qubits)], number_of_colours=max(best.values()) + 1
    )
