"""The corpus is data: its tests are for the gate to run."""

collect_ignore = ["corpus"]
