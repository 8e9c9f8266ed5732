"""The quantum kernel of a feature map: ``K[i, j] = |<psi(x_i)|psi(y_j)>|^2``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.simulate import Engine, Precision, Samples, states


def kernel_matrix(
    circuit: Circuit,
    samples: Samples,
    others: Samples | None = None,
    *,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
    engine: Engine = "auto",
    progress: Callable[[float], None] | None = None,
) -> NDArray[np.floating[Any]]:
    """Squared overlaps, shape (n_samples, n_others), real; `others` None means the samples themselves."""
    left = states(circuit, samples, precision=precision, engine=engine)
    right = left if others is None else states(circuit, others, precision=precision, engine=engine)
    kernel: NDArray[np.floating[Any]] = np.minimum(np.abs(left @ right.conj().T) ** 2, 1)
    if others is None:
        np.fill_diagonal(kernel, 1)
    if progress:
        progress(1.0)
    return kernel
