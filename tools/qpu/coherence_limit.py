"""The physical limit that a calibrated gate is compared with."""

from __future__ import annotations

import math

# Share of 1 in a transmon at rest where nobody measured it: 0.5 to 3 %, its middle and the deviation of a uniform one.
EXCITED, EXCITED_ERROR = 0.0175, 0.025 / 12**0.5


def coherence_limit(t1: float, t2: float, duration: float) -> float:
    """Average gate error that T1 and T2 alone cause in `duration`; all three in us.

    r = 1/2 - exp(-t/T1)/6 - exp(-t/T2)/3: the state-averaged infidelity of a two-level system that relaxes and
    dephases during an otherwise perfect gate. Give the echo time as `t2`: slow frequency noise hardly enters a
    30 ns gate.
    """
    return 0.5 - math.exp(-duration / t1) / 6 - math.exp(-duration / t2) / 3
