"""Tools: electronic_structure."""
