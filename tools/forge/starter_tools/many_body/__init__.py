"""Tools: many_body."""
