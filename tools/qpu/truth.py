"""The hidden truth of the simulated processor. Only tests, the oracle and the device itself may read it.

Numbers of Q1, Q2 and Q8 are those of the k-agents paper, Table I.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError

# The table's row of J is ambiguous; the appendix drives Q1 and Q8 at their midpoint, so these two are coupled.
COUPLINGS = (("Q1", "Q2", 0.760), ("Q1", "Q8", 0.702))
DRIVE_SCALE = 88.0  # MHz of Rabi rate per unit amplitude


@dataclass(frozen=True, slots=True)
class QubitTruth:
    """Everything about one transmon, its drive line and its resonator that the controller does not know.

    Frequencies and rates in MHz, times in us, drift times in s, amplitudes in full scale, angles in rad.
    """

    frequency: float
    anharmonicity: float
    t1: float
    t2_echo: float
    detuning_sigma: float  # quasi-static Gaussian detuning, constant within a shot
    resonator_frequency: float
    kappa_ext: float
    q_internal: float
    chi: float  # half the shift of the resonator between levels 0 and 1
    thermal: float = 0.015  # population of level 1 relative to levels 0 and 1 together
    drive_scale: float = DRIVE_SCALE
    compression: float = 0.25  # g(a) = a / (1 + compression a^2); 0.25 loses 2 % between 0.2 and 0.35
    crosstalk: float = 10 ** (-35 / 20)  # voltage of every other drive line that arrives here, relative to its own
    snr: float = 3.0  # distance of the blobs 0 and 1 / sigma a quadrature, at nominal amplitude and best frequency
    readout_duration: float = 2.0
    readout_nominal: float = 0.4
    readout_decay: float = 0.25  # 1 -> 0 while the resonator rings up, at nominal amplitude
    readout_excitation: float = 0.02  # 0 -> 1, likewise
    overdrive: float = 0.7  # readout amplitude above which the pulse leaks to level 2
    critical_amplitude: float = 0.7  # readout amplitude whose tone, on resonance, holds the critical photon number
    cable_phase: float = 0.9  # of the whole readout line
    telegraph: float = 0.0  # rms detuning of fluctuators that switch within a shot; `t2_echo` is what remains without
    t1_drift: float = 0.0  # relative rms of slow changes of T1, Ornstein-Uhlenbeck of its logarithm
    t1_drift_time: float = 1800.0
    drift_sigma: float = 0.004  # of the frequency, Ornstein-Uhlenbeck
    drift_time: float = 3 * 3600.0
    amplitude_drift: float = 0.003  # relative, rms after one hour
    jump_rate: float = 1 / (20 * 3600.0)  # rare frequency jumps per s
    jump_sigma: float = 0.03
    step_at: float = np.inf  # one scheduled frequency step, device s
    step: float = 0.0

    def __post_init__(self) -> None:
        if self.dephasing_rate < -1e-12:
            longest = 2 * self.t1 / (1 + 4 * self.thermal_photons)
            raise InputError(f"Truth `t2_echo` must be at most {longest:.4g} us for T1 = {self.t1:g} us.")

    @property
    def thermal_photons(self) -> float:
        """Mean occupation of the bath: n / (n + 1) is the ratio of the populations of levels 1 and 0."""
        return self.thermal / (1 - 2 * self.thermal)

    @property
    def dephasing_rate(self) -> float:
        """Pure dephasing 1/us that, with relaxation and thermal excitation of the ladder, makes the echo time T2E.

        The coherence of levels 0 and 1 loses (1 + 4 n) / (2 T1) to relaxation: it decays from 1, and is excited
        from 0 and, twice as fast, from 1.
        """
        return 1 / self.t2_echo - (1 + 4 * self.thermal_photons) / (2 * self.t1)

    @property
    def lamb_shift(self) -> float:
        """How far the qubit pushes its resonator, mean of levels 0 and 1, MHz; positive where the resonator lies above.

        A transmon's chi = g^2 alpha / (D (D + alpha)) and its mean shift -g^2 / (D + alpha) share g, so the one tells
        the other (Koch et al., PRA 76, 042319, Sec. IV); D is qubit minus resonator frequency.
        """
        return -self.chi * (self.frequency - self.resonator_frequency) / self.anharmonicity

    def gain(self, amplitude: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Rabi rate in MHz of a drive `amplitude`: linear when small, compressed when large."""
        a = np.asarray(amplitude, dtype=float)
        return self.drive_scale * a / (1 + self.compression * a**2)


@dataclass(frozen=True, slots=True)
class DeviceTruth:
    """A processor: its qubits by name, which of them are coupled (two names, exchange rate J), the wait between shots.

    A coupled qubit's `frequency` is the dressed one, with its neighbours in level 0.
    """

    qubits: dict[str, QubitTruth]
    couplings: tuple[tuple[str, str, float], ...] = ()
    reset_wait: float = 400.0  # us; ends in thermal equilibrium

    def qubit(self, name: str) -> QubitTruth:
        return self.qubits[name]

    def with_numbers(self, changes: dict[str, float], qubit: str | None = None) -> DeviceTruth:
        """A copy with other truth numbers, for one qubit or for all."""
        chosen = self.qubits if qubit is None else {qubit: self.qubits[qubit]}
        return replace(self, qubits={**self.qubits, **{n: replace(q, **changes) for n, q in chosen.items()}})


def paper_device() -> DeviceTruth:
    """Q1, Q2 and Q8 of the paper. `detuning_sigma` is what turns the table's T2 echo into its T2 Ramsey."""
    return DeviceTruth(
        {
            "Q1": QubitTruth(4888, -197, 126, 124, 0.78e-3, 9997, 2.645, 116610, -0.200),
            "Q2": QubitTruth(4795, -197, 89, 86, 2.37e-3, 9386, 1.337, 117850, -0.225, compression=0.2),
            "Q8": QubitTruth(4829, -197, 63, 71, 5.21e-3, 9908, 2.040, 58430, -0.175, compression=0.3),
        },
        COUPLINGS,
    )
