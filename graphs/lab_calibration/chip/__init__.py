"""A whole chip: independent qubits side by side, each in a lane of its own."""
