"""The class that a feature map derives from. It knows nothing of PennyLane, so that reading it costs nothing.

Its two call forms are those of QXMT (https://github.com/Qonstack/qxmt, where ``BaseFeatureMap`` takes the platform
first), so that classes written for QXMT run unchanged.
"""

from __future__ import annotations

from typing import Any

PENNYLANE_PLATFORM = "pennylane"


class BaseFeatureMap:
    """``feature_map(x)`` calls PennyLane gates on wires 0 to ``n_qubits - 1``; it returns nothing.

    Attributes:
        platform: whose gates these are; only PennyLane's.
        n_qubits: number of wires.
    """

    def __init__(self, platform: str | int = PENNYLANE_PLATFORM, n_qubits: int | None = None) -> None:
        """Take ``(platform, n_qubits)`` or ``(n_qubits)``."""
        if n_qubits is None and not isinstance(platform, str):
            platform, n_qubits = PENNYLANE_PLATFORM, int(platform)
        if n_qubits is None:
            raise TypeError("BaseFeatureMap needs the number of qubits: super().__init__(platform, n_qubits).")
        self.platform, self.n_qubits = platform, n_qubits

    def feature_map(self, x: Any) -> None:
        """Apply the gates for one sample x of shape (n_features,)."""
        raise NotImplementedError(f"{type(self).__name__} must define feature_map(self, x).")

    def __call__(self, x: Any) -> None:
        """Apply the gates, as `feature_map` does."""
        self.feature_map(x)
