"""Tool forging: agents that build, prove and reuse their own scientific tools."""

from labwright.graphs.tool_forging.graph import build_graph, graph

__all__ = ["build_graph", "graph"]
