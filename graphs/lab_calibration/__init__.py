"""Lab calibration: agents calibrate superconducting qubits from natural-language procedures."""

from labwright.graphs.lab_calibration.graph import build_graph, graph

__all__ = ["build_graph", "graph"]
