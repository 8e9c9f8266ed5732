"""The simulated processor: a `Device` whose every answer comes from one hidden truth.

The folder is the device's own memory. An acquisition is done once its line is in ``journal.jsonl``; its arrays are
renamed into ``acquisitions/`` before that. What a process leaves between the two is played again with the same
random numbers, because these are keyed by the seed and by the ordinal in the journal.
"""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.durable import write_atomic
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.lease import Lease
from labwright.tools.qpu.book import JournaledSettings
from labwright.tools.qpu.checking import check_program, require_qubit
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.drift import drifted, stream
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.joint import AnyProgram, one_qubit
from labwright.tools.qpu.journal import Journal
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.program import Acquired, Program
from labwright.tools.qpu.readout import Readout, draw_average, draw_shots, read_as_one
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.starts import choose
from labwright.tools.qpu.timing import sequence_times
from labwright.tools.qpu.truth import DeviceTruth


class SimulatedProcessor:
    """A `Device` made of equations, with its memory in `folder`."""

    def __init__(self, folder: Path, seed: int, truth: DeviceTruth, start: dict[str, QubitSettings]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "acquisitions").mkdir(exist_ok=True)
        self._folder, self._seed, self._truth = folder, seed, truth
        self._lease = Lease(folder / "lease", f"The device in {folder}").acquire()
        self._lock = threading.Lock()
        try:
            _same_device(folder / "device.json", seed, truth, start)
            self._journal = Journal(folder / "journal.jsonl")
            self._done = {entry["key"]: entry for entry in self._journal.entries}
            self._settings = JournaledSettings(
                folder / "settings.jsonl", start, self.limits, lambda: self.clock, self._lease.verify
            )
        except BaseException:
            self._lease.release()
            raise

    @property
    def name(self) -> str:
        return "simulated"

    @property
    def qubits(self) -> tuple[str, ...]:
        return tuple(self._truth.qubits)

    @property
    def limits(self) -> Limits:
        return Limits()

    @property
    def settings(self) -> JournaledSettings:
        return self._settings

    @property
    def clock(self) -> float:
        """Device seconds: the sum over all acquisitions of shots * (sequence + readout window + reset wait)."""
        return float(self._journal.entries[-1]["clock_after"]) if self._journal.entries else 0.0

    @property
    def log(self) -> tuple[dict[str, Any], ...]:
        """One entry an acquisition that was played: key, ordinal, clock before and after, points, shots."""
        return tuple(self._journal.entries)

    def check(self, program: AnyProgram) -> None:
        """Rehearse: raise what `acquire` would refuse."""
        program = one_qubit(program)
        require_qubit(program.qubit, self.qubits)
        check_program(program, self._settings.current, self.limits)

    def status(self, key: str) -> Literal["absent", "done", "unknown"]:
        """``done`` once the journal holds `key`."""
        return "done" if key in self._done else "absent"

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        """Play `program`, or return what was stored under `key`."""
        with self._lock:
            self._lease.verify()
            if key in self._done:
                return self._stored(key)
            program = one_qubit(program)
            self.check(program)
            acquired = self._play(program)
            write_atomic(self._path(key), _packed(acquired))
            entry = {
                "key": key,
                "ordinal": len(self._journal.entries),
                "clock": acquired.clock,
                "clock_after": acquired.clock + acquired.seconds,
                "settings_version": self._settings.version,
                "qubit": program.qubit,
                "points": len(program.sequences),
                "shots": program.shots,
            }
            self._journal.append(entry)
            self._done[key] = entry
            return acquired

    def close(self) -> None:
        """Give the device back."""
        self._lease.release()

    def transmon(self, qubit: str, drive_frequency: float) -> Transmon:
        """The true qubit at this moment of the device clock. For tests and the oracle; no part of `Device`."""
        truth = self._truth.qubit(qubit)
        shift, gain = drifted(truth, self._seed, self.qubits.index(qubit), self.clock)
        return Transmon(truth, truth.frequency + shift - drive_frequency, gain)

    def _play(self, program: Program) -> Acquired:
        truth, settings = self._truth.qubit(program.qubit), self._settings.current(program.qubit)
        drive = settings.frequency if program.frequency is None else program.frequency
        levels = populations(self.transmon(program.qubit, drive), program)
        points = len(program.sequences)
        readout = Readout(
            truth,
            _each(program.readout_frequency, settings.readout_frequency, points),
            _each(program.readout_amplitude, settings.readout_amplitude, points),
        )
        rng = stream(self._seed, len(self._journal.entries))
        clock, seconds = self.clock, self._seconds(program)
        if program.returns == "counts":
            one = read_as_one(readout, settings.readout_angle, settings.readout_threshold)
            chance = np.clip(np.einsum("nl,nl->n", levels, one) / levels.sum(axis=1), 0, 1)
            return Acquired(program.shots, seconds, clock, counts=rng.binomial(program.shots, chance).astype(np.int64))
        if program.returns == "average":
            mean, error = draw_average(readout, levels, program.shots, rng)
            return Acquired(program.shots, seconds, clock, average=mean, average_error=error)
        return Acquired(program.shots, seconds, clock, iq=draw_shots(readout, levels, program.shots, rng))

    def _seconds(self, program: Program) -> float:
        played = float(sequence_times(program).sum())
        rest = self._truth.reset_wait + self._truth.qubit(program.qubit).readout_duration
        return program.shots * (played + rest * len(program.sequences)) * 1e-6

    def _path(self, key: str) -> Path:
        return self._folder / "acquisitions" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.npz"

    def _stored(self, key: str) -> Acquired:
        path = self._path(key)
        try:
            with np.load(io.BytesIO(path.read_bytes())) as arrays:
                number = {name: arrays[name][()] for name in ("shots", "seconds", "clock")}
                data = {n: arrays[n] for n in ("counts", "average", "average_error", "iq") if n in arrays}
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise CorruptRecordError(
                f"The journal says that {key!r} was measured, but {path} does not read back. Restore it from a copy."
            ) from error
        return Acquired(int(number["shots"]), float(number["seconds"]), float(number["clock"]), **data)


def open_simulated(folder: Path, seed: int, options: dict[str, float | str] | None = None) -> SimulatedProcessor:
    """Open, or open again, the simulated processor that lives in `folder`; see `starts.choose` for the options."""
    truth, start = choose(options or {})
    return SimulatedProcessor(folder, seed, truth, start)


def _same_device(path: Path, seed: int, truth: DeviceTruth, start: dict[str, QubitSettings]) -> None:
    """Refuse to go on with another truth, seed or start than the folder's measurements were made with."""
    settings = {name: asdict(qubit) for name, qubit in start.items()}
    numbers = json.dumps(asdict(truth), sort_keys=True)  # a digest, so that the folder does not tell the truth
    ours = {"seed": seed, "truth": hashlib.sha256(numbers.encode()).hexdigest(), "start": settings}
    if not path.exists():
        write_atomic(path, json.dumps(ours, indent=1).encode())
    try:
        theirs = json.loads(path.read_bytes())
    except ValueError as error:
        raise CorruptRecordError(f"{path} is not JSON. Restore it from a copy, or start a new folder.") from error
    if theirs != ours:
        raise InputError(
            f"The device in {path.parent} was opened with another seed or other options. Use the same, or a new folder."
        )


def _each(values: float | NDArray[np.float64] | None, calibrated: float, points: int) -> NDArray[np.float64]:
    chosen = calibrated if values is None else values
    return np.broadcast_to(np.asarray(chosen, dtype=float), (points,)).copy()


def _packed(acquired: Acquired) -> bytes:
    values = {f.name: getattr(acquired, f.name) for f in fields(acquired)}
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in values.items() if value is not None}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()
