"""Tools: thermochemistry."""
