"""The Stark drive: its map, its edges and its noise, against diagonalisations and matrix exponentials of this file."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from labwright.tools.qpu import stark
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.stark import Tone
from labwright.tools.qpu.transmon_register import Register, register
from labwright.tools.qpu.truth import paper_device

COMPUTATIONAL = [0, 1, 4, 5]


def pair() -> Register:
    truths = [paper_device().qubit(name) for name in ("Q1", "Q2")]
    return register([Transmon(t, 0.0) for t in truths], [t.frequency for t in truths], [(0, 1, 0.760)])


def tone(frequency: float, rabi: float, edge: float = 0.05) -> Tone:
    """Equal Rabi rates in MHz on both qubits; inverts the compression of the drive."""
    drives = []
    for name in ("Q1", "Q2"):
        truth = paper_device().qubit(name)
        amplitudes = np.linspace(0, 0.6, 6001)
        drives.append((float(np.interp(rabi, truth.gain(amplitudes), amplitudes)), 0.0))
    return Tone(frequency, edge, tuple(drives))


def by_own_diagonalisation(frequency: float, rabi: float) -> float:
    """ZZ rate in MHz of two five-level transmons in the bare basis, states followed as the drive is raised."""
    n = 5
    a = np.diag(np.sqrt(np.arange(1.0, n)), 1)
    lower = [np.kron(a, np.eye(n)), np.kron(np.eye(n), a)]
    free = np.zeros((n * n, n * n))
    for operator, name in zip(lower, ("Q1", "Q2"), strict=True):
        number = operator.T @ operator
        free += (paper_device().qubit(name).frequency - frequency) * number
        free += paper_device().qubit(name).anharmonicity / 2 * (number @ number - number)
    free += 0.760 * (lower[0].T @ lower[1] + lower[1].T @ lower[0])
    drive = sum(operator + operator.T for operator in lower) / 2
    followed = np.eye(n * n)[:, [0, 1, n, n + 1]]
    for rate in np.arange(0, rabi + 1e-9, 0.25):
        values, vectors = np.linalg.eigh(free + rate * drive)
        chosen = (np.abs(vectors.T @ followed) ** 2).argmax(axis=0)
        followed, energies = vectors[:, chosen], values[chosen]
    return float(energies[3] - energies[2] - energies[1] + energies[0])


def conditional_phase(unitary: np.ndarray) -> float:
    """In turns."""
    angles = np.angle(np.diag(unitary)[COMPUTATIONAL])
    return float(angles[3] - angles[1] - angles[2] + angles[0]) / (2 * np.pi)


@pytest.mark.parametrize("frequency", [4750.0, 4835.0, 4930.0])
def test_conditional_phase_grows_as_the_dressed_states_say(frequency: float) -> None:
    rabi, short, long = 15.0, 0.5, 1.0
    phases = [conditional_phase(stark.gate_unitary(pair(), tone(frequency, rabi), t)) for t in (short, long)]
    grown = (phases[1] - phases[0] + 0.5) % 1 - 0.5
    expected = by_own_diagonalisation(frequency, rabi)
    assert -grown / (long - short) == pytest.approx(expected, rel=0.02)


def test_signs_of_the_three_regions() -> None:
    """Positive below both qubits, negative between them, positive and slow above."""
    below, between, above = (by_own_diagonalisation(f, 20.0) for f in (4750.0, 4835.0, 4930.0))
    assert below > 0.2
    assert between < -0.2
    assert 0 < above < 0.1


def test_short_edges_leak_and_long_ones_do_not() -> None:
    lost = []
    for edge in (0.015, 0.03, 0.05):
        unitary = stark.gate_unitary(pair(), tone(4750.0, 28.0, edge), 0.4)
        stays = np.abs(np.diag(unitary)[COMPUTATIONAL]) ** 2
        lost.append(float(1 - stays.mean()))
    assert lost[0] > 0.02
    assert lost[1] < 0.01
    assert lost[2] < 5e-4


def test_flat_top_with_noise_is_the_lindblad_evolution() -> None:
    its, driven = pair(), tone(4750.0, 25.0)
    hamiltonian = stark.flat_hamiltonian(its, driven)
    one = np.eye(16)
    turning = -2j * np.pi * (np.kron(hamiltonian, one) - np.kron(one, hamiltonian.T))
    psi = np.zeros(16, dtype=complex)
    psi[COMPUTATIONAL] = [0.5, 0.5j, -0.5, 0.5]
    rho = np.outer(psi, psi.conj())
    exact = (expm((turning + stark.dissipator(its)) * 1.0) @ rho.ravel()).reshape(16, 16)
    time = np.array([1.0])
    assert np.abs(stark._flat_pair(its, driven)(rho[None], time)[0] - exact).max() < 5e-5
    assert np.abs(stark._flat_sliced(its, driven)(rho[None], time)[0] - exact).max() < 4e-4


def test_a_whole_pulse_keeps_the_trace_and_follows_its_unitary() -> None:
    its, driven = pair(), tone(4835.0, 20.0)
    psi = np.zeros(16, dtype=complex)
    psi[COMPUTATIONAL] = 0.5
    rho = np.outer(psi, psi.conj())
    after = stark.stark_action(its, driven)(rho[None], np.array([0.6]))[0]
    wanted = stark.gate_unitary(its, driven, 0.6) @ psi
    assert np.trace(after).real == pytest.approx(1.0, abs=1e-9)
    assert 0.98 < (wanted.conj() @ after @ wanted).real < 0.999
