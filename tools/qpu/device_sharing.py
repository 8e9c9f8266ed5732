"""One device, several who work on it side by side without waiting in threads.

Each has a seat: it looks like the device, but an acquisition that was not played yet raises `AwaitsDevice` instead of
playing. Whoever conducts collects what all seats wait for, plays it together, and lets each do its step again: the step
then finds its data and comes as far as the next acquisition. Nothing depends on which of them is quicker.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.qpu.acquisition_storage import file_name, packed, unpacked
from labwright.tools.qpu.device import Device, Limits, SharedDevice
from labwright.tools.qpu.joint_program import AnyProgram, JointProgram
from labwright.tools.qpu.program import Acquired
from labwright.tools.qpu.settings import SettingsBook


class AwaitsDevice(Exception):
    """The acquisition `key` has to be played first."""

    def __init__(self, key: str) -> None:
        super().__init__(f"Acquisition {key} waits for the device.")
        self.key = key


class SideBySide:
    """A device with seats, and a folder for what was acquired: not every device remembers."""

    def __init__(self, device: Device, folder: Path) -> None:
        self.device, self._folder = device, folder
        self._waiting: dict[str, AnyProgram] = {}
        self._lock = threading.Lock()

    def seat(self) -> Device:
        """A place to work at."""
        return _Seat(self)

    def has(self, key: str) -> bool:
        """Whether `key` was played."""
        return (self._folder / file_name(key)).exists()

    def acquired(self, program: AnyProgram, key: str) -> Acquired:
        """What was acquired.

        Raises:
            AwaitsDevice: nothing yet; `program` is noted.
        """
        if self.has(key):
            return unpacked(self._folder / file_name(key), key)
        with self._lock:
            self._waiting[key] = program
        raise AwaitsDevice(key)

    def waiting(self, key: str) -> AnyProgram | None:
        """The program that waits under `key`; None if no step of this process came to it."""
        return self._waiting.get(key)

    def play(self, programs: Mapping[str, AnyProgram]) -> dict[str, Acquired]:
        """Play `programs`, key -> program: at the same time where the device can, else in turn."""
        joint = {key: each for key, each in programs.items() if isinstance(each, JointProgram)}
        single = {key: each for key, each in programs.items() if key not in joint}
        got: dict[str, Acquired] = {}
        for some in (single, joint):
            if isinstance(self.device, SharedDevice) and len(some) > 1:
                with suppress(InputError):  # of a kind that it plays in turn; what else is wrong, it says again there
                    got |= self.device.acquire_together(some)
        return {
            key: got[key] if key in got else self.device.acquire(program, key)
            for key, program in sorted(programs.items())
        }

    def keep(self, got: Mapping[str, Acquired]) -> None:
        """Store what was played, so that the seats find it."""
        for key, acquired in got.items():
            write_atomic(self._folder / file_name(key), packed(acquired))
            with self._lock:
                self._waiting.pop(key, None)


class _Seat:
    """A `Device` that plays nothing itself."""

    def __init__(self, shared: SideBySide) -> None:
        self._shared = shared

    @property
    def name(self) -> str:
        return self._shared.device.name

    @property
    def qubits(self) -> tuple[str, ...]:
        return self._shared.device.qubits

    @property
    def limits(self) -> Limits:
        return self._shared.device.limits

    @property
    def settings(self) -> SettingsBook:
        return self._shared.device.settings

    @property
    def clock(self) -> float:
        return self._shared.device.clock

    def check(self, program: AnyProgram) -> None:
        self._shared.device.check(program)

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        return self._shared.acquired(program, key)

    def status(self, key: str) -> Literal["absent", "done", "unknown"]:
        return "done" if self._shared.has(key) else "absent"  # who conducts knows of the rest

    def close(self) -> None:
        """Nothing: the device is not the seat's."""
