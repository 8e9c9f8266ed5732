"""What lies beside the scripts of quantum chemistry."""
