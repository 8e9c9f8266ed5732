"""Excited population and coherence of a decaying qubit, by its Lindblad equation.

Source: Lindblad, Commun. Math. Phys. 48, 119 (1976); QuTiP documentation.
"""

import qutip

from pydantic import BaseModel, Field


class QubitDecayInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    rate: float = Field(ge=0, description="Decay rate, in 1/us.")
    dephasing: float = Field(ge=0, description="Rate of pure dephasing of the coherence, in 1/us.")
    excited: float = Field(ge=0, le=1, description="Initial excited population of a pure state.")
    times: list[float] = Field(min_length=1, description="Times, ascending from 0, in us.")


class QubitDecayOutput(BaseModel):
    """What comes out."""

    population: list[float] = Field(description="Excited population.")
    coherence: list[float] = Field(description="Magnitude of the off-diagonal element.")


def qubit_decay(given: QubitDecayInput) -> QubitDecayOutput:
    """Excited population and coherence of a decaying qubit, by its Lindblad equation."""
    if given.times != sorted(given.times) or given.times[0] != 0:
        raise ValueError("The times must begin with 0 and ascend.")
    upper, lower = qutip.basis(2, 0), qutip.basis(2, 1)
    state = given.excited**0.5 * upper + (1 - given.excited) ** 0.5 * lower
    jump = lower * upper.dag()
    noise = [given.rate**0.5 * jump, (given.dephasing / 2) ** 0.5 * qutip.sigmaz()]
    done = qutip.mesolve(
        0 * qutip.sigmaz(),
        state,
        given.times,
        c_ops=noise,
        e_ops=[upper * upper.dag(), upper * lower.dag()],
        options={"rtol": 1e-9, "atol": 1e-12},
    )
    return QubitDecayOutput(population=done.expect[0].real.tolist(), coherence=abs(done.expect[1]).tolist())
