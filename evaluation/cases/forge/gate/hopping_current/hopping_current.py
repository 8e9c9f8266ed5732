"""Steady state of a classical particle that hops between neighbouring sites of a ring.

Site i goes to i + 1 with forward_rates[i] and i + 1 comes back to i with backward_rates[i] (indices modulo the number of
sites, so that the last rates join the last site and site 0). The stationary occupations solve
0 = dp_i/dt = sum of gains - sum of losses with sum p = 1; the net current f_i p_i - b_i p_{i+1} is then the same on each
bond, positive in the direction of ascending sites. Rates may be zero as long as the steady state is unique.

Source: N. G. van Kampen, Stochastic Processes in Physics and Chemistry, chapter V; J. Schnakenberg, Rev. Mod. Phys. 48, 571 (1976).
"""

import networkx as nx
import numpy as np
from pydantic import BaseModel, Field


class HoppingCurrentInput(BaseModel, allow_inf_nan=False):
    """Rates of the ring."""

    forward_rates: list[float] = Field(min_length=3, description="Rate from each site i to i + 1, in 1/s.")
    backward_rates: list[float] = Field(min_length=3, description="Rate from i + 1 to each site i, in 1/s.")


class HoppingCurrentOutput(BaseModel):
    """Steady state."""

    occupations: list[float] = Field(description="Stationary probability to find the particle on each site.")
    current: float = Field(description="Net rate of passages over each bond in ascending direction, in 1/s.")


def hopping_current(given: HoppingCurrentInput) -> HoppingCurrentOutput:
    """Stationary occupations and net current of a hopping ring."""
    sites = len(given.forward_rates)
    if len(given.backward_rates) != sites:
        raise ValueError("forward_rates and backward_rates must have the same length")
    if min(given.forward_rates + given.backward_rates) < 0:
        raise ValueError("rates must not be negative")
    hops = nx.DiGraph()
    hops.add_nodes_from(range(sites))
    generator = np.zeros((sites, sites))
    for i in range(sites):
        j = (i + 1) % sites
        for start, end, rate in ((i, j, given.forward_rates[i]), (j, i, given.backward_rates[i])):
            if rate > 0:
                hops.add_edge(start, end)
            generator[end, start] += rate
            generator[start, start] -= rate
    # The particle ends in a set of sites that it cannot leave; the others are empty.
    final = list(nx.attracting_components(hops))
    if len(final) != 1:
        raise ValueError("the steady state is not unique: zero rates leave several sets of sites that cannot be left")
    held = sorted(final[0])
    equations = generator[np.ix_(held, held)]
    equations[-1] = np.max(np.abs(generator))
    right = np.zeros(len(held))
    right[-1] = np.max(np.abs(generator))
    occupations = np.zeros(sites)
    occupations[held] = np.linalg.solve(equations, right)
    current = given.forward_rates[0] * occupations[0] - given.backward_rates[0] * occupations[1]
    return HoppingCurrentOutput(occupations=occupations.tolist(), current=float(current))
