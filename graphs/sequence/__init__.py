"""Several specifications one after the other, each as a run of its own."""

from labwright.graphs.sequence.graph import graph as graph

__all__ = ["graph"]
