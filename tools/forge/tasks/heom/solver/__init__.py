"""What lies beside the scripts of exciton dynamics."""
