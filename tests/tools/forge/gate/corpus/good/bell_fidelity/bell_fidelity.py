"""Fidelity of a Bell pair after both qubits lost energy, with different probabilities.

Source: Nielsen and Chuang, Quantum Computation and Quantum Information, 2010.
"""

import qutip

from pydantic import BaseModel, Field


class BellFidelityInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    loss: list[float] = Field(min_length=2, max_length=2, description="Probability of each qubit to decay from 1 to 0.")


class BellFidelityOutput(BaseModel):
    """What comes out."""

    fidelity: float = Field(description="Overlap with the pair as it was.")
    rho: list[list[list[float]]] = Field(description="Density matrix as [re, im] pairs.")


def bell_fidelity(given: BellFidelityInput) -> BellFidelityOutput:
    """Fidelity of a Bell pair after both qubits lost energy, with different probabilities."""
    if min(given.loss) < 0 or max(given.loss) > 1:
        raise ValueError(f"The probabilities must lie in [0, 1], but are {given.loss}.")
    pair = qutip.bell_state("00")
    rho = pair * pair.dag()
    one = qutip.qeye(2)
    for qubit, loss in enumerate(given.loss):
        stay = qutip.Qobj([[1.0, 0.0], [0.0, (1 - loss) ** 0.5]])
        jump = loss**0.5 * qutip.destroy(2)
        both = [qutip.tensor(one, part) if qubit == 1 else qutip.tensor(part, one) for part in (stay, jump)]
        rho = sum(part * rho * part.dag() for part in both)
    full = rho.full()
    pairs = [[[float(z.real), float(z.imag)] for z in row] for row in full]
    return BellFidelityOutput(fidelity=float(qutip.expect(rho, pair)), rho=pairs)
