"""Matrix product states: ground states of spin chains, Gibbs states of chains, driven and disordered spin chains."""

from labwright.tools.forge.tasks.tensor_network import driven, ground, thermal

FAMILIES = (ground.FAMILY, thermal.FAMILY, driven.FAMILY)
