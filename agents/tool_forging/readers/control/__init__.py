"""Reads tasks of optimal control."""

from labwright.agents.tool_forging.readers.control.reader import ControlReader

READER = ControlReader()
