"""References of the set ``wording``: each function computes what its task's ``expected.yaml`` holds."""
