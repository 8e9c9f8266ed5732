"""Mean square displacement of simulated random walkers.

Source: Einstein, Ann. Phys. 322, 549 (1905).
"""

import numpy as np

from pydantic import BaseModel, Field


class RandomWalkSpreadInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    walkers: int = Field(ge=1, description="Number of walkers.")
    steps: int = Field(ge=1, description="Number of steps.")
    length: float = Field(gt=0, description="Length of a step, in nm.")
    seed: int = Field(description="Seed of the generator.")


class RandomWalkSpreadOutput(BaseModel):
    """What comes out."""

    mean_square: float = Field(description="Mean square displacement at the end, in nm^2.")
    standard_error: float = Field(description="Its standard error, in nm^2.")


def random_walk_spread(given: RandomWalkSpreadInput) -> RandomWalkSpreadOutput:
    """Mean square displacement of simulated random walkers."""
    draw = np.random.default_rng(given.seed)
    ends = given.length * draw.choice([-1.0, 1.0], size=(given.walkers, given.steps)).sum(axis=1)
    squares = ends**2
    error = squares.std(ddof=1) / np.sqrt(given.walkers) if given.walkers > 1 else squares[0]
    return RandomWalkSpreadOutput(mean_square=float(squares.mean()), standard_error=float(error))
