"""Tools: control."""
