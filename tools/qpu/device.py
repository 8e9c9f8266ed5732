"""The one door to a processor, simulated or real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from labwright.tools.qpu.joint_program import AnyProgram
from labwright.tools.qpu.program import Acquired
from labwright.tools.qpu.settings import SettingsBook


@dataclass(frozen=True, slots=True)
class Bound:
    """Smallest and largest value of a parameter in `unit`, and where that is written."""

    minimum: float
    maximum: float
    unit: str | None
    where: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What the hardware accepts. Pairs are (smallest, largest)."""

    amplitude: tuple[float, float] = (0.0, 1.0)  # full scale
    caution_amplitude: float = 0.8  # above it the risky policy asks first
    pulse_duration: tuple[float, float] = (0.002, 2.0)  # us, one pulse
    stark_duration: tuple[float, float] = (0.002, 40.0)  # us, one Stark pulse with its edges
    joint_qubits: int = 16  # most qubits of one joint program
    sequence_duration: tuple[float, float] = (0.0, 1500.0)  # us, one whole sequence
    drive_frequency: tuple[float, float] = (4000.0, 6000.0)  # MHz
    readout_frequency: tuple[float, float] = (9000.0, 10500.0)  # MHz
    readout_amplitude: tuple[float, float] = (0.0, 1.0)
    readout_duration: tuple[float, float] = (0.05, 20.0)  # us
    shots: tuple[int, int] = (1, 20000)
    points: tuple[int, int] = (1, 2000)
    # Parameter of experiments, such as ``shots`` or ``t1.stop`` -> bounds that the lab or the plan sets besides.
    parameters: Mapping[str, tuple[Bound, ...]] = field(default_factory=dict)


class Device(Protocol):
    """A processor that plays programs and remembers what it played."""

    @property
    def name(self) -> str: ...

    @property
    def qubits(self) -> tuple[str, ...]: ...

    @property
    def limits(self) -> Limits: ...

    @property
    def settings(self) -> SettingsBook: ...

    @property
    def clock(self) -> float:
        """Device seconds since the device was opened for the first time."""
        ...

    def check(self, program: AnyProgram) -> None:
        """Rehearse: raise if the device would refuse `program`; plays nothing.

        Raises:
            InputError: the program is malformed, or of a kind that this device does not play (`joint.one_qubit`).
            UnknownQubitError: no such qubit.
            HardwareLimitError: a number is outside `limits`.
        """
        ...

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        """Play `program`. The same `key` returns the stored result and plays nothing again."""
        ...

    def status(self, key: str) -> Literal["absent", "done", "unknown"]:
        """Whether the acquisition `key` was played. ``unknown`` if this device cannot tell."""
        ...

    def close(self) -> None:
        """Give the device back."""
        ...


@runtime_checkable
class SharedDevice(Device, Protocol):
    """A device that can play on several qubits at the same time. What is not one is asked in turn."""

    def acquire_together(self, programs: Mapping[str, AnyProgram]) -> dict[str, Acquired]:
        """Play every program, key -> program, at the same time; key -> what came back.

        The device is busy for as long as the longest program; all begin together, and each qubit feels the crosstalk
        of the others. Either all of the programs count as played or none; one whose key was played before is not
        played again.

        Raises:
            InputError: two programs are for one qubit, or one is of a kind that is not played together.
            HardwareLimitError: a number is outside `limits`.
        """
        ...


@runtime_checkable
class IdleDevice(Device, Protocol):
    """A device whose clock is moved by hand: time passes for a simulated one only if somebody says so."""

    def wait(self, seconds: float, key: str) -> None:
        """Let the device stand idle for `seconds`; the same `key` waits once."""
        ...


@runtime_checkable
class SafeDevice(Device, Protocol):
    """A device with outputs that can stay on. One that plays only within `acquire` is safe by itself."""

    def safe_state(self) -> None:
        """Every output off or at rest, now, whatever was under way; harmless if it is so already.

        Called when a run ends, stops or waits, when an acquisition fails, and before anything else where an earlier
        process died while it drove the device.
        """
        ...
