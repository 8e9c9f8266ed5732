"""The reader of tasks about variational energies of molecules: molecules, geometries, circuits."""

from labwright.agents.tool_forging.readers.vqe.reader import READER

__all__ = ["READER"]
