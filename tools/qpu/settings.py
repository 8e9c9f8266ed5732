"""The controller's calibrated guess about each qubit and each coupled pair, with its whole history."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Protocol

from labwright.tools.errors import InputError


@dataclass(frozen=True, slots=True)
class QubitSettings:
    """What the controller plays when an experiment asks for a calibrated gate or readout.

    Amplitudes are in units of the drive's full scale; frequencies in MHz; times in us; angles in rad.
    """

    frequency: float  # drive frequency
    amplitude_pi: float  # peak amplitude of the X180 pulse
    amplitude_pi2: float  # peak amplitude of the X90 pulse; not half of amplitude_pi when the drive compresses
    drag: float  # DRAG coefficient: quadrature = -drag * d(in-phase)/dt / (2 pi anharmonicity), dimensionless
    pulse_duration: float  # length of both pulses, 0.03
    anharmonicity: float  # nominal f12 - f01, negative; sets the scale of `drag`
    readout_frequency: float
    readout_amplitude: float
    readout_angle: float  # IQ points are rotated by -readout_angle before thresholding on the real axis
    readout_threshold: float  # rotated real part above it reads 1

    def changed(self, changes: dict[str, float]) -> QubitSettings:
        """A copy with `changes` applied.

        Raises:
            InputError: a name in `changes` is not a setting.
        """
        _require_settings(changes, {f.name for f in fields(self)})
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class PairSettings:
    """What the controller plays as CZ gate on two coupled qubits: a siZZle gate with echo.

    The gate is a Stark pulse on both, X180 on both, the same Stark pulse, X180 on both, virtual Z on both. Amplitudes
    are in units of full scale; frequencies in MHz; times in us; angles in rad. `first` and `second` are in the order
    of the pair's name.
    """

    frequency: float  # of both Stark drives
    amplitude_first: float
    amplitude_second: float
    phase: float  # of the second drive relative to the first
    duration: float  # of one Stark pulse, edges included; 0 as long as the gate is not calibrated
    edge: float  # of a Stark pulse
    z_first: float  # virtual Z behind the gate
    z_second: float

    @property
    def calibrated(self) -> bool:
        """Whether there is a gate to play."""
        return self.duration > 0

    def changed(self, changes: dict[str, float]) -> PairSettings:
        """A copy with `changes` applied.

        Raises:
            InputError: a name in `changes` is not a setting.
        """
        _require_settings(changes, {f.name for f in fields(self)})
        return replace(self, **changes)


# Setting of a qubit -> its unit.
SETTING_UNITS = {
    "frequency": "MHz",
    "amplitude_pi": "",
    "amplitude_pi2": "",
    "drag": "",
    "pulse_duration": "us",
    "anharmonicity": "MHz",
    "readout_frequency": "MHz",
    "readout_amplitude": "",
    "readout_angle": "rad",
    "readout_threshold": "",
}
PAIR_UNITS = {"frequency": "MHz", "amplitude_first": "", "amplitude_second": "", "phase": "rad", "duration": "us"}
PAIR_UNITS |= {"edge": "us", "z_first": "rad", "z_second": "rad"}  # of a pair


def pair_name(first: str, second: str) -> str:
    """How the settings book calls a pair: ``Q1-Q2``."""
    return f"{first}-{second}"


def _require_settings(changes: dict[str, float], known: set[str]) -> None:
    for name in changes:
        if name not in known:
            raise InputError(f"There is no setting {name!r}. Settings are: {', '.join(sorted(known))}.")


@dataclass(frozen=True, slots=True)
class SettingsVersion:
    """One entry of the settings history. Version 0 is what the device was opened with."""

    version: int
    qubit: str  # or pair, such as Q1-Q2; empty for version 0
    changes: dict[str, float]
    before: dict[str, float]  # old values of the changed settings
    reason: str
    key: str  # the action that wrote it; writing the same key again changes nothing
    clock: float  # device seconds
    notes: dict[str, float]  # numbers the writer wants to find again


class SettingsBook(Protocol):
    """Calibrated settings with history and revert."""

    def current(self, qubit: str) -> QubitSettings: ...

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The coupled pairs, each in the order in which its settings name the two qubits."""
        ...

    def pair(self, name: str) -> PairSettings:
        """Settings of the coupled pair called `name`, as in ``Q1-Q2``."""
        ...

    @property
    def version(self) -> int: ...

    def update(
        self, qubit: str, changes: dict[str, float], *, key: str, reason: str, notes: dict[str, float] | None = None
    ) -> SettingsVersion:
        """Write `changes` of a qubit or a pair; a second call with the same `key` returns the first one's entry."""
        ...

    def revert(self, version: int, *, key: str, reason: str) -> SettingsVersion:
        """Undo one version's changes by writing its `before` values as a new version."""
        ...

    def history(self, qubit: str | None = None) -> tuple[SettingsVersion, ...]: ...
