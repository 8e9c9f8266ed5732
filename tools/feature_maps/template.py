"""The frame that whoever writes a feature map fills in."""

TEMPLATE = '''\
import numpy as np
import pennylane as qml

from labwright.tools.feature_maps.base import BaseFeatureMap


class NewFeatureMap(BaseFeatureMap):
    """One sentence: how the features reach the state."""

    def __init__(self, n_qubits: int, scale: float = 1.0) -> None:
        """Keep the hyperparameters; each one after n_qubits has a default value.

        Args:
            n_qubits: number of wires.
            scale: angle of a feature at 1, in rad.
        """
        super().__init__(n_qubits)
        self.scale = scale

    def feature_map(self, x: np.ndarray) -> None:
        """Apply gates for one sample x of shape (n_features,), features about 0 to 1; new samples may lie outside.

        Every angle is constants times features plus a constant. The gates and their wires are the same for every x.
        """
        for feature in range(len(x)):
            qml.RY(phi=self.scale * x[feature], wires=feature % self.n_qubits)
'''
