"""What lies beside the scripts of a chain."""
