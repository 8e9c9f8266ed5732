"""Readers of tensor-network tasks: ground states, Gibbs states, driven chains."""

from labwright.agents.tool_forging.readers.tensor_network import driven, ground, thermal

READERS = (ground.READER, thermal.READER, driven.READER)
