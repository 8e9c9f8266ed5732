"""Tools: open_systems."""
