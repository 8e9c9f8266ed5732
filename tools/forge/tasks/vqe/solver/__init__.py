"""What lies beside the scripts of variational energies."""
