"""Metropolis sampling of a ring of Ising spins: mean energy per spin with its error.

E = -J sum_i s_i s_{i+1} with s = +-1 on a ring; J > 0 is ferromagnetic. A sweep is as many single-spin trials, at random
sites, as there are spins; a flip that costs dE is accepted with probability min(1, exp(-dE/T)). The energy is measured after
each sweep. The error is the standard error of the block means, sqrt(sum (b - mean)^2 / (B (B - 1))); blocks have to be
longer than the correlation time. Coupling and energies are divided by k_B.

Source: N. Metropolis et al., J. Chem. Phys. 21, 1087 (1953); H. Flyvbjerg and H. G. Petersen, J. Chem. Phys. 91, 461 (1989).
"""

import math

import numpy as np
from pydantic import BaseModel, Field


class MetropolisIsingInput(BaseModel, allow_inf_nan=False):
    """Ring, temperature and length of the run."""

    spins: int = Field(ge=3, description="Number of spins on the ring.")
    coupling: float = Field(description="Coupling J divided by k_B, positive for a ferromagnet, in K.")
    temperature: float = Field(gt=0, description="Temperature, in K.")
    warm_up_sweeps: int = Field(ge=0, description="Sweeps before measuring.")
    blocks: int = Field(ge=2, description="Number of blocks.")
    block_sweeps: int = Field(ge=1, description="Measured sweeps in each block.")
    seed: int = Field(ge=0, description="Seed of the random numbers.")


class MetropolisIsingOutput(BaseModel):
    """Energy with its error."""

    energy_per_spin: float = Field(description="Mean energy per spin divided by k_B, in K.")
    energy_error: float = Field(description="Standard error of the energy per spin from the block means, in K.")
    block_energies: list[float] = Field(description="Mean energy per spin of each block divided by k_B, in K.")
    acceptance: float = Field(description="Fraction of the trials after warming up that flipped a spin.")


def metropolis_ising(given: MetropolisIsingInput) -> MetropolisIsingOutput:
    """Sample the canonical ensemble of an Ising ring."""
    rng = np.random.default_rng(given.seed)
    n = given.spins
    spins = rng.choice([-1, 1], size=n).tolist()
    bonds = sum(spins[i] * spins[i - 1] for i in range(n))
    energies = []
    accepted = 0
    for sweep in range(given.warm_up_sweeps + given.blocks * given.block_sweeps):
        sites = rng.integers(n, size=n).tolist()
        draws = rng.random(n).tolist()
        flips = 0
        for site, draw in zip(sites, draws, strict=True):
            local = spins[site] * (spins[site - 1] + spins[(site + 1) % n])
            cost = 2 * given.coupling * local
            if cost <= 0 or draw < math.exp(-cost / given.temperature):
                spins[site] = -spins[site]
                bonds -= 2 * local
                flips += 1
        if sweep >= given.warm_up_sweeps:
            energies.append(-given.coupling * bonds / n)
            accepted += flips
    block_energies = np.mean(np.reshape(energies, (given.blocks, given.block_sweeps)), axis=1)
    return MetropolisIsingOutput(
        energy_per_spin=float(np.mean(block_energies)),
        energy_error=float(np.std(block_energies, ddof=1) / math.sqrt(given.blocks)),
        block_energies=block_energies.tolist(),
        acceptance=accepted / (n * given.blocks * given.block_sweeps),
    )
