"""Keeping a processor calibrated: a graph of calibrations, cheap checks, and a walk that measures what is stale.

After Kelly et al., "Physical qubit calibration on a directed acyclic graph", arXiv:1803.03226.
"""
