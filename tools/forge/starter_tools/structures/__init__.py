"""Tools: structures."""
