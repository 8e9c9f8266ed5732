"""From an experiment design to checked vials, steps and the robot's design file."""
