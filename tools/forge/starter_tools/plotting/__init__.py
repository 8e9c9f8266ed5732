"""Tools: plotting."""
