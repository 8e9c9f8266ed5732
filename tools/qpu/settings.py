"""The controller's calibrated guess about each qubit, with its whole history."""

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
        known = {f.name for f in fields(self)}
        for name in changes:
            if name not in known:
                raise InputError(f"There is no setting {name!r}. Settings are: {', '.join(sorted(known))}.")
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class SettingsVersion:
    """One entry of the settings history. Version 0 is what the device was opened with."""

    version: int
    qubit: str  # empty for version 0
    changes: dict[str, float]
    before: dict[str, float]  # old values of the changed settings
    reason: str
    key: str  # the action that wrote it; writing the same key again changes nothing
    clock: float  # device seconds
    notes: dict[str, float]  # numbers the writer wants to find again, e.g. Ramsey's other candidate frequency


class SettingsBook(Protocol):
    """Calibrated settings with history and revert."""

    def current(self, qubit: str) -> QubitSettings: ...

    @property
    def version(self) -> int: ...

    def update(
        self, qubit: str, changes: dict[str, float], *, key: str, reason: str, notes: dict[str, float] | None = None
    ) -> SettingsVersion:
        """Write `changes`; a second call with the same `key` returns the first call's entry and changes nothing."""
        ...

    def revert(self, version: int, *, key: str, reason: str) -> SettingsVersion:
        """Undo one version's changes by writing its `before` values as a new version."""
        ...

    def history(self, qubit: str | None = None) -> tuple[SettingsVersion, ...]: ...
