"""Reads tasks of exciton dynamics."""

from labwright.agents.tool_forging.readers.heom.reader import HeomReader

READER = HeomReader()
