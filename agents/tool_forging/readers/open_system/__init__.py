"""Reads tasks about few-level systems: unitary and Lindblad evolution, drives, baths, steady states."""

from labwright.agents.tool_forging.readers.open_system.reader import OpenSystemReader

READER = OpenSystemReader()
