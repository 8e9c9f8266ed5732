"""Readers of tensor-network tasks: ground states, Gibbs states, driven chains."""

from labwright.agents.tool_forging.readers.tensor_network.driven import DrivenReader
from labwright.agents.tool_forging.readers.tensor_network.ground import GroundStateReader
from labwright.agents.tool_forging.readers.tensor_network.thermal import ThermalReader

READERS = (GroundStateReader(), ThermalReader(), DrivenReader())
