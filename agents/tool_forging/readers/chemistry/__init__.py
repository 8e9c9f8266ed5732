"""The reader of chemistry tasks: molecules, levels of theory, and what is wanted of them."""

from __future__ import annotations

from labwright.agents.tool_forging.readers.chemistry.reader import ChemistryReader

READER = ChemistryReader()
