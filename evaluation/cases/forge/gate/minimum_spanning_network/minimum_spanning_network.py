"""Cheapest set of cables that joins stations in the plane: Euclidean minimum spanning tree.

Every pair of stations may be joined by a straight cable whose cost is its length. The tree has one cable fewer than there are
stations. Among trees of equal length the one is taken that Kruskal's algorithm finds with pairs in ascending order.

Source: J. B. Kruskal, Proc. Am. Math. Soc. 7, 48 (1956); NetworkX documentation, minimum_spanning_edges.
"""

import math
from itertools import combinations

import networkx as nx
from pydantic import BaseModel, Field


class MinimumSpanningNetworkInput(BaseModel, allow_inf_nan=False):
    """Stations."""

    stations: list[list[float]] = Field(min_length=1, description="Coordinates [x, y] of each station, in km.")


class MinimumSpanningNetworkOutput(BaseModel):
    """Cables."""

    cables: list[list[int]] = Field(
        description="Pairs of joined stations, counted from 0, the smaller number first, in ascending order."
    )
    lengths: list[float] = Field(description="Length of each cable, in km.")
    total_length: float = Field(description="Sum of the lengths, in km.")


def minimum_spanning_network(given: MinimumSpanningNetworkInput) -> MinimumSpanningNetworkOutput:
    """Shortest network of straight cables that joins all stations."""
    for station in given.stations:
        if len(station) != 2:
            raise ValueError(f"station {station} needs two coordinates")
    graph = nx.Graph()
    for a, b in combinations(range(len(given.stations)), 2):
        graph.add_edge(a, b, weight=math.dist(given.stations[a], given.stations[b]))
    tree = nx.minimum_spanning_edges(graph, algorithm="kruskal", data=False)
    cables = sorted(sorted(pair) for pair in tree)
    lengths = [math.dist(given.stations[a], given.stations[b]) for a, b in cables]
    return MinimumSpanningNetworkOutput(cables=cables, lengths=lengths, total_length=math.fsum(lengths))
