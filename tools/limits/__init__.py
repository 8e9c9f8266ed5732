"""Limits of the lab: what ``limits.yaml`` says, where it is found, and the guard around a device that enforces it.

Whatever a run is made of (plan, procedure, words, a model's answer, a person's edit) comes to the device through
`guard.Guarded` and nowhere else. Several files only tighten each other, and a run keeps those that it began under.
"""
