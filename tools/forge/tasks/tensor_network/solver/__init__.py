"""What lies beside the scripts of tensor networks."""
