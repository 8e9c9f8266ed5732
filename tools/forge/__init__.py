"""Forging scientific tools: contracts, toolsets, the admission gate, the recipe book and the families of tasks."""
