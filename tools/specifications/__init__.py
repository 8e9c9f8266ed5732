"""Specifications: typed documents that say completely what a run does. Only these are executed, never words."""
