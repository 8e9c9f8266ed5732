"""Protocol design: from a chemist's words to a checked protocol and the robot's file."""

from labwright.graphs.protocol_design.graph import build_graph, graph

__all__ = ["build_graph", "graph"]
