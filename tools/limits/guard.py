"""The guard around a device: every acquisition and every write of a run passes through it, and nothing else does.

Before something is played: the approval, the lab's limits, what is left of the run's bounds. After a write: what the
device reports. When it ends, stops or breaks: the safe state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError, LeaseError, SafetyStop
from labwright.tools.experiments.duration_estimate import TimedDevice, program_seconds, shot_overhead
from labwright.tools.limits.device_usage import Account
from labwright.tools.limits.limits_document import UNITS, Law, tightened
from labwright.tools.process_file_lock import Lease, holder_of
from labwright.tools.qpu.device import Device, IdleDevice, Limits, SafeDevice, SharedDevice
from labwright.tools.qpu.joint_program import AnyProgram, JointProgram, Stark
from labwright.tools.qpu.program import Acquired, Program, Pulse
from labwright.tools.qpu.settings import PairSettings, QubitSettings, SettingsBook, SettingsVersion
from labwright.tools.specifications.bounds import Bounds


class Watch:
    """The mark of one device: there while somebody drives it, and left behind by who died."""

    def __init__(self, mark: Path, run: str) -> None:
        self._mark, self._run, self.driving = mark, run, False
        self._lease = Lease(mark.with_suffix(".lease"), "The device")

    def left_behind(self) -> str:
        """The run whose process died while it drove the device; empty if none did."""
        if not self._mark.exists() or holder_of(self._mark.with_suffix(".lease")) is not None:
            return ""
        return f"Run {Path(self._mark.read_text(encoding='utf-8')).name}"

    def begin(self) -> None:
        """Mark the device as driven.

        Raises:
            LeaseError: another living process drives it.
        """
        if not self.driving:
            self._lease.acquire()
            write_atomic(self._mark, self._run.encode())
            self.driving = True

    def end(self) -> None:
        """Forget the mark: the device is at rest, and others may drive it."""
        self._mark.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Let others drive the device; a mark that was not taken away tells them what happened."""
        self._lease.release()
        self.driving = False


# Setting's unit -> how finely instruments hold it: 100 Hz, 1 ns, a step of 16 bits.
RESOLUTION = {"MHz": 1e-4, "us": 1e-3, "rad": 1e-4, "": 5e-5}

READS = ("current", "pairs", "pair", "version", "history")  # of a settings book


@dataclass(frozen=True)
class Terms:
    """What a run may do to its device.

    Attributes:
        laws: files of limits in force.
        bounds: each with where it is written; those of the laws, and that of the plan once there is one.
        permit: raises a SafetyStop where the approval of the plan does not hold (any more).
        told: hears events.
        granted: raises a SafetyStop where a person has to approve what is to be played (key -> program), and has not.
    """

    laws: tuple[Law, ...]
    bounds: Callable[[], tuple[tuple[Bounds, str], ...]]
    permit: Callable[[], None]
    told: Callable[[dict[str, Any]], None]
    granted: Callable[[Mapping[str, AnyProgram]], None] = lambda _programs: None

    @classmethod
    def of_a_person(cls, laws: tuple[Law, ...]) -> Terms:
        """Those of somebody who measures once, outside of a run."""
        bounds = tuple((law.limits.run, law.where("run")) for law in laws)
        return cls(laws, lambda: bounds, lambda: None, lambda _: None)


def guarded(device: Device, terms: Terms, folder: Path, mark: Path) -> Device:
    """`device` behind the guard; shared, idle and timed if it is.

    Args:
        device: the processor.
        terms: of the run.
        folder: of the run; what it has taken is kept there.
        mark: file that says who drives this very device.

    Raises:
        SafetyStop: an earlier process died while it drove the device, which does not come to its safe state.
    """
    more = ((SharedDevice, _Shared), (IdleDevice, _Idle), (TimedDevice, _Timed))
    kinds = [kind for protocol, kind in more if isinstance(device, protocol)]
    made: Any = type("Guarded", (*kinds, Guarded), {})
    return cast("Device", made(device, terms, folder, mark))


class Guarded:
    """A `Device` that plays and writes only what the terms allow."""

    def __init__(self, device: Any, terms: Terms, folder: Path, mark: Path) -> None:
        self._device, self._terms, self._watch = device, terms, Watch(mark, str(folder))
        self._lock = threading.RLock()  # lanes of a chip write from threads of their own
        self._settings = GuardedSettings(device.settings, self)
        self.account = Account(folder, device.settings.version)
        if earlier := self._watch.left_behind():
            self.safe_state(f"{earlier} died while it drove the device")
            self._watch.end()

    @property
    def name(self) -> str:
        return str(self._device.name)

    @property
    def qubits(self) -> tuple[str, ...]:
        return tuple(self._device.qubits)

    @property
    def limits(self) -> Limits:
        """Those of the device within the lab's and the plan's."""
        return tightened(self._device.limits, self._terms.laws, self._terms.bounds())

    @property
    def settings(self) -> SettingsBook:
        return cast("SettingsBook", self._settings)

    @property
    def clock(self) -> float:
        return float(self._device.clock)

    def check(self, program: AnyProgram) -> None:
        """Raise what the device or the lab would refuse."""
        self._device.check(program)
        self._lawful(program, self._device.settings.current)

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        """Play `program` within the terms, or return what was stored under `key`."""
        with self._playing({key: program}) as got:
            got[key] = self._device.acquire(program, key)
        return got[key]

    def status(self, key: str) -> Literal["absent", "done", "unknown"]:
        return cast("Literal['absent', 'done', 'unknown']", self._device.status(key))

    def safe_state(self, why: str = "asked for") -> None:
        """Bring the device to rest and say so.

        Raises:
            SafetyStop: it does not come to rest.
        """
        if not isinstance(self._device, SafeDevice):
            return
        try:
            self._device.safe_state()
        except Exception as fault:
            raise SafetyStop(
                f"The device did not come to its safe state ({type(fault).__name__}: {fault}). Look at it, and switch"
                " its outputs off by hand."
            ) from fault
        self._terms.told({"kind": "safe_state", "reason": why})

    def rest(self) -> None:
        """The safe state, if the device was driven since the last time."""
        if self._watch.driving:
            self.safe_state("the run ends, stops or waits")
            self._watch.end()

    def close(self) -> None:
        """Give the device back, at rest."""
        try:
            self.rest()
        finally:
            self._watch.release()
            self._device.close()

    def permit(self) -> None:
        """Raise unless the run may drive the device now."""
        with self._lock:
            self.account.require_sound()
            self._terms.permit()
            self._watch.begin()

    def require(self, name: str, old: Any, changes: dict[str, float], *, undone: bool) -> None:
        """Raise a LabLimitError if the lab forbids these changes of a qubit or pair; what was found may come back."""
        own = [entry for entry in self._device.settings.history(name) if entry.version > self.account.begun]
        for setting, value in changes.items():
            found = next((entry.before[setting] for entry in own if setting in entry.before), getattr(old, setting))
            for law in self._terms.laws:
                law.check_change(name, setting, float(found), value)
        if undone:
            return
        new, settings = old.changed(changes), self._device.settings.current
        if isinstance(new, PairSettings):
            both = (new.amplitude_first, new.amplitude_second)
            stark = tuple((Stark(new.frequency, each, new.duration, new.edge),) for each in both)
            self._lawful(JointProgram(tuple(name.split("-")), stark, ()), settings)
        else:
            pulses = tuple(Pulse(each, new.pulse_duration) for each in (new.amplitude_pi, new.amplitude_pi2))
            self._lawful(Program(name, pulses, ()), lambda _: new)

    def _lawful(self, program: AnyProgram, settings: Callable[[str], QubitSettings]) -> None:
        for law in self._terms.laws:
            law.check_program(program, settings, shot_overhead(self._device) or 0.0)

    @contextmanager
    def _playing(self, programs: Mapping[str, AnyProgram]) -> Iterator[dict[str, Acquired]]:
        """Around the acquisition of `programs`, for what comes back; what was played before is not played again."""
        got: dict[str, Acquired] = {}
        new = {key: each for key, each in programs.items() if self._device.status(key) != "done"}
        if not new:
            yield got
            return
        for program in new.values():
            self.check(program)
        self.permit()
        self._terms.granted(new)
        overhead = shot_overhead(self._device) or 0.0
        expected = {key: program_seconds(each, overhead) for key, each in new.items()}
        for bounds, where in self._terms.bounds():
            self.account.require(bounds, where, expected)
        for key, seconds in expected.items():
            self.account.enter(key, seconds)
        try:
            yield got
        except (LeaseError, InputError):  # another drives it by now, or it refused: nothing was played
            raise
        except BaseException as fault:
            self.safe_state(f"an acquisition ended with {type(fault).__name__}")
            raise
        for key, acquired in got.items():
            self.account.enter(key, acquired.seconds)


class _Shared(Guarded):
    def acquire_together(self, programs: Mapping[str, AnyProgram]) -> dict[str, Acquired]:
        """Play all within the terms, at the same time."""
        with self._playing(programs) as got:
            got.update(self._device.acquire_together(programs))
        return got


class _Idle(Guarded):
    def wait(self, seconds: float, key: str) -> None:
        """Let the device stand idle."""
        self._device.wait(seconds, key)


class _Timed(Guarded):
    @property
    def shot_overhead(self) -> float:
        """Readout and reset of one shot, us."""
        return float(self._device.shot_overhead)


class GuardedSettings:
    """A `SettingsBook` whose every write the lab allows, and which holds what was written."""

    def __init__(self, book: SettingsBook, guard: Guarded) -> None:
        self._book, self._guard = book, guard

    def __getattr__(self, name: str) -> Any:
        if name in READS:
            return getattr(self._book, name)
        raise AttributeError(f"Settings behind the guard have no {name!r}.")

    def update(
        self, qubit: str, changes: dict[str, float], *, key: str, reason: str, notes: dict[str, float] | None = None
    ) -> SettingsVersion:
        """Write `changes` if the lab allows them, and read them back.

        Raises:
            LabLimitError: the lab does not.
            SafetyStop: the device reports something else than was written.
        """
        return self._written(qubit, changes, key, reason, notes, undone=False)

    def _written(
        self, qubit: str, changes: dict[str, float], key: str, reason: str, notes: Any = None, *, undone: bool
    ) -> SettingsVersion:
        self._guard.account.require_sound()
        if all(entry.key != key for entry in self._book.history()):
            changes = {name: float(value) for name, value in changes.items()}
            self._guard.require(qubit, self._now(qubit), changes, undone=undone)
            self._guard.permit()
        before = self._now(qubit)
        entry = self._book.update(qubit, changes, key=key, reason=reason, notes=notes)
        if self._book.history(qubit)[-1].version == entry.version:  # nothing was written since
            self._read_back(qubit, before.changed(entry.changes))
        return entry

    def revert(self, version: int, *, key: str, reason: str) -> SettingsVersion:
        """Undo a version; it is a write like any other."""
        undone = [entry for entry in self._book.history() if entry.version == version and version > 0]
        if not undone:
            return self._book.revert(version, key=key, reason=reason)  # says which versions there are
        return self._written(undone[0].qubit, undone[0].before, key, reason, undone=True)

    def _now(self, name: str) -> Any:
        paired = name in ("-".join(pair) for pair in self._book.pairs)
        return self._book.pair(name) if paired else self._book.current(name)

    def _read_back(self, name: str, written: Any) -> None:
        """Compare what the device reports with what was written, and with what was to stay."""
        reported = self._now(name)
        for each in fields(written):
            want, got = float(getattr(written, each.name)), float(getattr(reported, each.name))
            if not np.isclose(want, got, rtol=0, atol=RESOLUTION[UNITS[each.name]]):
                self._guard.account.halt(
                    f"{each.name} of {name} was written as {want:.9g}, but the device reports {got:.9g}."
                    " This run is over: look at the instrument, revert the settings if you must, and start a new one."
                )
