"""Processors: the `Device` door, programs, settings, and a simulated processor behind the door.

Open one with `opening.open_device`. Whoever drives a device imports `device`, `program`, `settings`, `opening`,
`cliffords` and `limits`; `truth`, `starts`, `simulated` and `oracle` belong to the simulation, its tests and the
evaluation.
"""
