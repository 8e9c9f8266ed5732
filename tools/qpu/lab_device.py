"""A `Device` but for the instruments: who has a laboratory writes one method and gets the rest from here.

The folder is the device's memory, as that of the simulated processor: an acquisition is claimed in ``journal.jsonl``
before it is played and done after its arrays are in ``acquisitions/``. A claim that was never done tells that the
instruments may have played, which a person has to judge.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import CorruptRecordError, DataError
from labwright.tools.process_file_lock import Lease
from labwright.tools.qpu.acquisition_storage import file_name, packed, unpacked
from labwright.tools.qpu.append_only_journal import Journal
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.hardware_limits import check_program, require_qubit
from labwright.tools.qpu.joint_program import AnyProgram, one_qubit
from labwright.tools.qpu.program import Acquired, Program
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.settings_book import JournaledSettings
from labwright.tools.qpu.timing import sequence_times

Shots = NDArray[np.complex128]


class RecordedDevice(ABC):
    """A processor with one qubit at a time, a memory of keys, and a settings book.

    Class variables:
        harmless: playing the same program again does no harm, as on an emulator. Then a claim that was never done
            counts as never played.
    """

    harmless: ClassVar[bool] = False

    def __init__(self, folder: Path, name: str, start: dict[str, QubitSettings], limits: Limits, rest: float) -> None:
        """Open the device, or open it again.

        Args:
            folder: its memory; one process at a time may hold it.
            name: what reports call it.
            start: settings of every qubit. What stands in the folder already has the say.
            limits: what the instruments accept.
            rest: readout and reset of one shot together, us.

        Raises:
            LeaseError: another process holds the folder.
            CorruptRecordError: the folder does not read back.
        """
        (folder / "acquisitions").mkdir(parents=True, exist_ok=True)
        self._folder, self._name, self._limits, self._rest = folder, name, limits, rest
        self._lease = Lease(folder / "lease", f"The device in {folder}").acquire()
        self._lock = threading.Lock()
        try:
            self._start = _kept(folder / "start.json", start)
            self._journal = Journal(folder / "journal.jsonl")
            self._done = {entry["key"] for entry in self._journal.entries if "clock_after" in entry}
            self._claimed = {entry["key"] for entry in self._journal.entries}
            self._clock = max((float(entry.get("clock_after", 0.0)) for entry in self._journal.entries), default=0.0)
            self._settings = JournaledSettings(
                folder / "settings.jsonl", self._start, limits, lambda: self.clock, self._lease.verify
            )
        except BaseException:
            self._lease.release()
            raise

    @abstractmethod
    def measure(self, program: Program, settings: QubitSettings) -> Iterator[Shots]:
        """Play `program`, which was checked, and yield the IQ points (shots,) of one sequence after the other.

        `settings` are those of the program's qubit: what stands where the program leaves a frequency or amplitude open.
        """

    @property
    def name(self) -> str:
        return self._name

    @property
    def qubits(self) -> tuple[str, ...]:
        return tuple(self._start)

    @property
    def limits(self) -> Limits:
        return self._limits

    @property
    def settings(self) -> JournaledSettings:
        return self._settings

    @property
    def clock(self) -> float:
        """Device seconds: the sum over all acquisitions of shots * (sequence + readout and reset)."""
        return self._clock

    def check(self, program: AnyProgram) -> None:
        """Rehearse: raise what `acquire` would refuse."""
        single = one_qubit(program)
        require_qubit(single.qubit, self.qubits)
        check_program(single, self._settings.current, self._limits)

    def status(self, key: str) -> Literal["absent", "done", "unknown"]:
        """``unknown`` where a process died while the instruments played, unless that is harmless."""
        if key in self._done:
            return "done"
        return "unknown" if key in self._claimed and not self.harmless else "absent"

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        """Play `program`, or return what was stored under `key`."""
        with self._lock:
            self._lease.verify()
            path = self._folder / "acquisitions" / file_name(key)
            if key in self._done:
                return unpacked(path, key)
            self.check(program)
            single, clock = one_qubit(program), self.clock
            self._journal.append({"key": key, "qubit": single.qubit, "points": len(single.sequences)})
            self._claimed.add(key)
            acquired = self._reduced(single, clock)
            write_atomic(path, packed(acquired))
            after = clock + acquired.seconds
            self._journal.append({"key": key, "shots": acquired.shots, "clock": clock, "clock_after": after})
            self._done.add(key)
            self._clock = after
            return acquired

    def safe_state(self) -> None:  # noqa: B027 - a default, to be overridden where outputs can stay on
        """Bring the instruments to rest. Nothing to do where they are silent outside of `measure`; else override it."""

    def close(self) -> None:
        """Give the device back."""
        self._lease.release()

    def _reduced(self, program: Program, clock: float) -> Acquired:
        """The form of data that the program asks for, from single shots."""
        settings = self._settings.current(program.qubit)
        played = float(sequence_times(program).sum()) + self._rest * len(program.sequences)
        seconds = program.shots * played * 1e-6
        rows = []
        for shots in self.measure(program, settings):
            if shots.shape != (program.shots,) or not np.isfinite(shots).all():
                raise DataError(
                    f"The instruments gave {shots.shape} IQ points for {program.shots} shots, or some that are not"
                    " finite. Check the readout and measure again."
                )
            rows.append(_of_one_point(shots, program, settings))
        if len(rows) != len(program.sequences):
            raise DataError(
                f"The instruments gave {len(rows)} points, but {len(program.sequences)} were played. Measure again."
            )
        if program.returns == "counts":
            return Acquired(program.shots, seconds, clock, counts=np.array(rows, dtype=np.int64))
        if program.returns == "average":
            mean, error = np.array(rows).reshape(-1, 2).T
            return Acquired(program.shots, seconds, clock, average=mean, average_error=error.real)
        return Acquired(program.shots, seconds, clock, iq=np.array(rows, dtype=complex))


def _of_one_point(shots: Shots, program: Program, settings: QubitSettings) -> NDArray[np.complex128] | int:
    if program.returns == "counts":
        return int(((shots * np.exp(-1j * settings.readout_angle)).real > settings.readout_threshold).sum())
    if program.returns == "average":
        # never zero: from few shots of a digital readout the scatter may vanish by chance
        size = max(float(np.abs(shots).max()), abs(settings.readout_threshold), 1e-9)
        spread = np.sqrt((shots.real.var() + shots.imag.var()) / 2) + size / program.shots
        return np.array([shots.mean(), spread / np.sqrt(program.shots)], dtype=complex)
    return shots


def readout_of(program: Program, settings: QubitSettings, point: int) -> tuple[float, float]:
    """Readout frequency (MHz) and amplitude (full scale) of one point of a program."""

    def of(swept: float | NDArray[np.float64] | None, calibrated: float) -> float:
        values = np.atleast_1d(np.asarray(calibrated if swept is None else swept, dtype=float))
        return float(values[point if len(values) > 1 else 0])

    frequency = of(program.readout_frequency, settings.readout_frequency)
    return frequency, of(program.readout_amplitude, settings.readout_amplitude)


def _kept(path: Path, start: dict[str, QubitSettings]) -> dict[str, QubitSettings]:
    """The start settings that the folder was first opened with; `start` if this is the first time."""
    if not path.exists():
        write_atomic(path, json.dumps({name: asdict(each) for name, each in start.items()}, indent=1).encode())
    try:
        return {name: QubitSettings(**each) for name, each in json.loads(path.read_bytes()).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise CorruptRecordError(f"{path} holds no settings. Restore it from a copy, or use a new folder.") from error
