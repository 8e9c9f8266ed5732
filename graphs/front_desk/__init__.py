"""The front desk: understands what is wanted, starts runs of the four systems, and relays their questions."""

from labwright.graphs.front_desk.graph import build_graph, graph

__all__ = ["build_graph", "graph"]
