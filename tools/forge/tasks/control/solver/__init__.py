"""What lies beside the scripts of optimal control."""
