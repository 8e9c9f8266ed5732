"""What lies beside the script of a circuit."""
