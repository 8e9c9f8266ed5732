"""Matrix product states: ground states of spin chains, Gibbs states of chains, driven and disordered spin chains."""

from labwright.tools.forge.families.tensor_network.driven import DrivenFamily
from labwright.tools.forge.families.tensor_network.ground import GroundStateFamily
from labwright.tools.forge.families.tensor_network.thermal import ThermalFamily

FAMILIES = (GroundStateFamily(), ThermalFamily(), DrivenFamily())
