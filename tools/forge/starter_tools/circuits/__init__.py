"""Tools: circuits."""
