"""How long the sequences of a program take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.program import Delay, Program


def sequence_times(program: Program, delays_only: bool = False) -> NDArray[np.float64]:
    """Duration of every sequence in us, (n_points,); pulses count as nothing if `delays_only`."""
    if not any(len(s) for s in program.sequences):
        return np.zeros(len(program.sequences))
    counted = np.array([o.duration * (isinstance(o, Delay) or not delays_only) for o in program.operations])
    point = np.repeat(np.arange(len(program.sequences)), [len(s) for s in program.sequences])
    played = np.concatenate(program.sequences).astype(np.intp)
    return np.asarray(np.bincount(point, counted[played], len(program.sequences)), dtype=float)
