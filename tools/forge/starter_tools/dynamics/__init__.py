"""Tools: dynamics."""
