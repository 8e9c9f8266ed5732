"""Reads tasks about circuits: states prepared by gates, noise, measurements with shots."""

from labwright.agents.tool_forging.readers.circuits.reader import CircuitReader

READER = CircuitReader()
