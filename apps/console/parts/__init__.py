"""What a run's page draws of each system."""
