"""A call of a tool: a process of its own that starts from nothing, in the gate and in use alike."""
