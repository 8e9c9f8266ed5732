"""Feature-map search: agents look for quantum feature maps, trial by trial, and open the test part once."""

from labwright.graphs.feature_map_search.graph import build_graph, graph

__all__ = ["build_graph", "graph"]
