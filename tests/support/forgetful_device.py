"""A second device for tests: it plays what it is told, but cannot say afterwards whether it did."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.joint_program import AnyProgram
from labwright.tools.qpu.program import Acquired
from labwright.tools.qpu.settings import SettingsBook
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated


class PowerCut(BaseException):
    """The process is gone; no handler of ordinary errors sees this."""


class ForgetfulDevice:
    """Plays on the simulated processor, but keeps no memory of keys, as much laboratory hardware does.

    The option ``cut_at`` names an acquisition, counted from 1, after which the power fails once.
    """

    def __init__(self, inner: SimulatedProcessor, folder: Path, cut_at: int) -> None:
        self._inner, self._marker, self._cut_at = inner, folder / "power-failed", cut_at

    @property
    def name(self) -> str:
        return "forgetful"

    @property
    def qubits(self) -> tuple[str, ...]:
        return self._inner.qubits

    @property
    def limits(self) -> Limits:
        return self._inner.limits

    @property
    def settings(self) -> SettingsBook:
        return self._inner.settings

    @property
    def clock(self) -> float:
        return self._inner.clock

    def check(self, program: AnyProgram) -> None:
        self._inner.check(program)

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        number = len(self._inner.log) + 1
        acquired = self._inner.acquire(program, f"{key}#{number}")  # a key of its own: it plays whatever it is told
        if number == self._cut_at and not self._marker.exists():
            self._marker.touch()
            raise PowerCut
        return acquired

    def status(self, key: str) -> Literal["absent", "done", "unknown"]:
        return "unknown"

    def close(self) -> None:
        self._inner.close()


def open_forgetful(folder: Path, seed: int, options: dict[str, float | str]) -> ForgetfulDevice:
    """The factory; options besides ``cut_at`` are those of the simulated processor."""
    left = dict(options)
    cut_at = int(left.pop("cut_at", 0))
    return ForgetfulDevice(open_simulated(folder, seed, left), folder, cut_at)
