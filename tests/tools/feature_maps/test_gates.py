"""Our gate matrices are PennyLane's."""

from __future__ import annotations

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.gates import GATES, parity_signs

ANGLES = np.random.default_rng(7).uniform(-7, 7, (3, 5))


@pytest.mark.parametrize("name", sorted(GATES))
def test_matrix_wires_and_parameters_are_pennylanes(name: str) -> None:
    import pennylane as qml

    spec, operation = GATES[name], getattr(qml, name)
    assert (spec.wires, spec.parameters) == (operation.num_wires, operation.num_params)
    for n_wires in [spec.wires] if spec.wires else [1, 2, 5]:
        found = spec.matrix(*ANGLES[: spec.parameters], n_wires=n_wires)
        found = found.reshape(*found.shape[:2], -1)  # an axis of samples, also for gates without angles
        for sample in range(found.shape[2]):
            theirs = qml.matrix(operation(*ANGLES[: spec.parameters, sample], wires=range(n_wires)))
            np.testing.assert_allclose(found[..., sample], theirs, atol=1e-14)
    matrix = found[..., 0]
    assert spec.diagonal == (np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0)


def test_a_wrong_number_of_angles_or_wires_is_refused() -> None:
    with pytest.raises(InputError, match="RX takes 1 angles"):
        GATES["RX"].matrix()
    with pytest.raises(InputError, match="MultiRZ"):
        GATES["MultiRZ"].matrix(0.3)


def test_parity_signs_count_the_bits() -> None:
    assert parity_signs(4).tolist() == [(-1) ** bin(i).count("1") for i in range(16)]
