"""Quasi-energies of a driven two-level system, folded into the first Floquet zone.

H(t)/h = splitting/2 sigma_z + amplitude cos(2 pi f t) sigma_x, all as frequencies (energy divided by h). The propagator
over one period 1/f has the eigenvalues exp(-2 pi i eps/f); eps is defined up to multiples of f and is given in the zone
-f/2 < eps <= f/2. A value at the zone's edge within 1e-7 f counts as +f/2.

Source: J. H. Shirley, Phys. Rev. 138, B979 (1965); QuTiP documentation, FloquetBasis.
"""

import numpy as np
import qutip
from pydantic import BaseModel, Field

_EDGE = 1e-7


class QuasienergyLadderInput(BaseModel, allow_inf_nan=False):
    """Two-level system and drive."""

    splitting: float = Field(ge=0, description="Energy difference of the two levels divided by h, in GHz.")
    amplitude: float = Field(description="Factor before cos(2 pi f t) sigma_x in H/h, in GHz.")
    drive_frequency: float = Field(gt=0, description="Frequency f of the drive, in GHz.")


class QuasienergyLadderOutput(BaseModel):
    """Quasi-energies."""

    quasienergies: list[float] = Field(
        description="The two quasi-energies divided by h in the first zone, ascending, in GHz."
    )


def quasienergy_ladder(given: QuasienergyLadderInput) -> QuasienergyLadderOutput:
    """Quasi-energies of a two-level system driven along x, in the first Floquet zone."""
    # Time is counted in periods and energy in quanta of the drive, so that the tolerances mean the same for every input.
    static = np.pi * given.splitting / given.drive_frequency * qutip.sigmaz()
    driven = 2 * np.pi * given.amplitude / given.drive_frequency * qutip.sigmax()

    def _drive(t: float) -> float:
        return np.cos(2 * np.pi * t)

    basis = qutip.FloquetBasis(
        qutip.QobjEvo([static, [driven, _drive]]), 1.0, options={"rtol": 1e-11, "atol": 1e-12, "nsteps": 1_000_000}
    )
    quanta = np.asarray(basis.e_quasi) / (2 * np.pi)
    folded = quanta - np.ceil(quanta - 0.5 - _EDGE)
    return QuasienergyLadderOutput(quasienergies=np.sort(folded * given.drive_frequency).tolist())
