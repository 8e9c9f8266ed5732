"""Forging scientific tools: contracts, toolsets, the admission gate, the toolbox and the families of tasks."""
