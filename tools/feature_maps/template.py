"""The frame that whoever writes a feature map fills in."""

TEMPLATE = '''\
import numpy as np
import pennylane as qml

from labwright.tools.feature_maps.base import BaseFeatureMap


class NewFeatureMap(BaseFeatureMap):
    """One sentence: how the features reach the state."""

    def __init__(self, n_qubits: int, scale: float = 1.0) -> None:
        super().__init__(n_qubits)
        self.scale = scale  # angle of a feature at 1, in rad

    def feature_map(self, x: np.ndarray) -> None:
        for feature in range(len(x)):
            qml.RY(phi=self.scale * x[feature], wires=feature % self.n_qubits)
'''
