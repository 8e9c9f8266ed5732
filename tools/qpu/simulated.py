"""The simulated processor: a `Device` whose every answer comes from one hidden truth.

The folder is the device's own memory. An acquisition is done once its line is in ``journal.jsonl``; its arrays are
renamed into ``acquisitions/`` before that. What a process leaves between the two is played again with the same
random numbers, because these are keyed by the seed and by the ordinal in the journal.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.process_file_lock import Lease
from labwright.tools.qpu.acquisition_storage import file_name, packed, unpacked
from labwright.tools.qpu.append_only_journal import Journal
from labwright.tools.qpu.crosstalk import tones_on
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.drift import drifted, stream, with_lifetime
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.hardware_limits import check_joint, check_program, require_qubit
from labwright.tools.qpu.joint_acquisition import components, draw, joint_seconds, register_of
from labwright.tools.qpu.joint_program import AnyProgram, JointProgram
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.program import Acquired, Program
from labwright.tools.qpu.readout import Readout, draw_average, draw_shots, read_as_one
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.settings_book import JournaledSettings
from labwright.tools.qpu.starting_settings import choose, pairs_without_gate
from labwright.tools.qpu.timing import sequence_times
from labwright.tools.qpu.transmon_register import Register
from labwright.tools.qpu.truth import DeviceTruth


class SimulatedProcessor:
    """A `Device` made of equations, with its memory in `folder`."""

    def __init__(
        self, folder: Path, seed: int, truth: DeviceTruth, start: dict[str, QubitSettings], *, sealed: bool = False
    ) -> None:
        """Open the device.

        Args:
            folder: its memory.
            seed: of noise and drift.
            truth: the processor.
            start: settings to begin with.
            sealed: leave no seed in `folder`; it is then not checked that the same device is opened again.
        """
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "acquisitions").mkdir(exist_ok=True)
        self._folder, self._seed, self._truth = folder, seed, truth
        self._lease = Lease(folder / "lease", f"The device in {folder}").acquire()
        self._lock = threading.Lock()
        try:
            if not sealed:
                _same_device(folder / "device.json", seed, truth, start)
            self._journal = Journal(folder / "journal.jsonl")
            self._played = [entry for line in self._journal.entries for entry in _members(line)]
            self._done = {entry["key"] for entry in (*self._played, *self._journal.entries)}
            self._settings = JournaledSettings(
                folder / "settings.jsonl",
                start,
                self.limits,
                lambda: self.clock,
                self._lease.verify,
                pairs_without_gate(truth, start),
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
        return tuple(self._played)

    def check(self, program: AnyProgram) -> None:
        """Rehearse: raise what `acquire` would refuse."""
        for qubit in _qubits(program):
            require_qubit(qubit, self.qubits)
        if isinstance(program, JointProgram):
            components(program.qubits, self._truth)
            check_joint(program, self._settings.current, self.limits)
            return
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
            self.check(program)
            ordinal = len(self._played)
            if isinstance(program, JointProgram):
                acquired = self._play_joint(program, ordinal)
            else:
                acquired = self._play(program, self.transmon(program.qubit, self._drive(program)), ordinal)
            write_atomic(self._path(key), packed(acquired))
            entry = self._entry(key, program, acquired, ordinal)
            self._write({**entry, "settings_version": self._settings.version})
            return acquired

    def acquire_together(self, programs: Mapping[str, AnyProgram]) -> dict[str, Acquired]:
        """Play programs of different qubits at the same time; see `device.SharedDevice`."""
        with self._lock:
            self._lease.verify()
            new = {key: program for key, program in programs.items() if key not in self._done}
            return {**self._played_together(new), **{key: self._stored(key) for key in programs if key not in new}}

    def _played_together(self, programs: Mapping[str, AnyProgram]) -> dict[str, Acquired]:
        """One line of the journal for all: either every member was played, or none was."""
        if not programs:
            return {}
        ordered = sorted(programs.items(), key=lambda item: self.qubits.index(_qubits(item[1])[0]))
        names = [name for _, program in ordered for name in _qubits(program)]
        if len(set(names)) < len(names):
            raise InputError("Programs that are played together must be for different qubits. Play them in turn.")
        for _, program in ordered:
            self.check(program)
        felt = self._felt({program.qubit: program for _, program in ordered if isinstance(program, Program)})
        got, entries = {}, []
        for ordinal, (key, program) in enumerate(ordered, len(self._played)):
            if isinstance(program, JointProgram):
                got[key] = self._play_joint(program, ordinal)
            else:
                got[key] = self._play(program, felt[program.qubit], ordinal)
            write_atomic(self._path(key), packed(got[key]))
            entries.append(self._entry(key, program, got[key], ordinal))
        after = max(entry["clock_after"] for entry in entries)  # the device is as long as its longest member
        line = {"key": f"together {ordered[0][0]}", "clock": self.clock, "clock_after": after, "together": entries}
        self._write({**line, "settings_version": self._settings.version})
        return got

    def _felt(self, on: Mapping[str, Program]) -> dict[str, Transmon]:
        """Every driven qubit with the tones that it feels of the others."""
        drives = {qubit: self._drive(program) for qubit, program in on.items()}
        rested = {qubit: self.transmon(qubit, drive) for qubit, drive in drives.items()}
        return {qubit: replace(its, tones=tones_on(qubit, drives, on, rested)) for qubit, its in rested.items()}

    def wait(self, seconds: float, key: str) -> None:
        """Let the device stand idle; the same `key` waits once."""
        if seconds < 0:
            raise InputError(f"Argument `seconds` must not be negative, but is {seconds:g}.")
        with self._lock:
            self._lease.verify()
            if key not in self._done:
                self._write({"key": key, "clock": self.clock, "clock_after": self.clock + seconds, "together": []})

    def _entry(self, key: str, program: AnyProgram, acquired: Acquired, ordinal: int) -> dict[str, Any]:
        return {
            "key": key,
            "ordinal": ordinal,
            "clock": acquired.clock,
            "clock_after": acquired.clock + acquired.seconds,
            "qubit": "-".join(program.qubits) if isinstance(program, JointProgram) else program.qubit,
            "points": len(program.sequences),
            "shots": program.shots,
        }

    def _write(self, line: dict[str, Any]) -> None:
        self._journal.append(line)
        self._played += _members(line)
        self._done |= {line["key"], *(entry["key"] for entry in _members(line))}

    def close(self) -> None:
        """Give the device back."""
        self._lease.release()

    def transmon(self, qubit: str, drive_frequency: float, clock: float | None = None) -> Transmon:
        """The true qubit now, or at another device time. For tests and the oracle; no part of `Device`."""
        truth = self._truth.qubit(qubit)
        when = self.clock if clock is None else clock
        shift, gain = drifted(truth, self._seed, self.qubits.index(qubit), when)
        truth = with_lifetime(truth, self._seed, self.qubits.index(qubit), when)
        return Transmon(truth, truth.frequency + shift - drive_frequency, gain)

    def _drive(self, program: Program) -> float:
        """Drive frequency, MHz."""
        calibrated = self._settings.current(program.qubit).frequency
        return calibrated if program.frequency is None else program.frequency

    def _play(self, program: Program, transmon: Transmon, ordinal: int) -> Acquired:
        truth, settings = self._truth.qubit(program.qubit), self._settings.current(program.qubit)
        levels = populations(transmon, program)
        points = len(program.sequences)
        readout = Readout(
            truth,
            _each(program.readout_frequency, settings.readout_frequency, points),
            _each(program.readout_amplitude, settings.readout_amplitude, points),
            _each(program.readout_duration, truth.readout_duration, points),
        )
        rng = stream(self._seed, ordinal)
        clock, seconds = self.clock, self._seconds(program)
        if program.returns == "counts":
            one = read_as_one(readout, settings.readout_angle, settings.readout_threshold)
            chance = np.clip(np.einsum("nl,nl->n", levels, one) / levels.sum(axis=1), 0, 1)
            return Acquired(program.shots, seconds, clock, counts=rng.binomial(program.shots, chance).astype(np.int64))
        if program.returns == "average":
            mean, error = draw_average(readout, levels, program.shots, rng)
            return Acquired(program.shots, seconds, clock, average=mean, average_error=error)
        return Acquired(program.shots, seconds, clock, iq=draw_shots(readout, levels, program.shots, rng))

    def _play_joint(self, program: JointProgram, ordinal: int) -> Acquired:
        clock, seconds = self.clock, joint_seconds(program, self._truth)
        counts = draw(program, self._truth, self._own_frame, self._settings.current, stream(self._seed, ordinal))
        return Acquired(program.shots, seconds, clock, counts=counts)

    def register(self, qubits: Sequence[str], clock: float | None = None) -> Register:
        """Coupled qubits as they truly are now or at another device time. For tests and the oracle."""
        return register_of(qubits, self._truth, partial(self._own_frame, clock=clock), self._settings.current)

    def _own_frame(self, qubit: str, clock: float | None = None) -> Transmon:
        """The true qubit in the frame of its calibrated drive frequency."""
        return self.transmon(qubit, self._settings.current(qubit).frequency, clock)

    def _seconds(self, program: Program) -> float:
        played = float(sequence_times(program).sum())
        points = len(program.sequences)
        windows = _each(program.readout_duration, self._truth.qubit(program.qubit).readout_duration, points)
        return program.shots * (played + self._truth.reset_wait * points + float(windows.sum())) * 1e-6

    def _path(self, key: str) -> Path:
        return self._folder / "acquisitions" / file_name(key)

    def _stored(self, key: str) -> Acquired:
        return unpacked(self._path(key), key)


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
            f"The device in {path.parent} was opened with another seed or other options than stand in {path.name}."
            " Use the same, or a new folder; if they are the same, restore the file from a copy."
        )


def _qubits(program: AnyProgram) -> tuple[str, ...]:
    return program.qubits if isinstance(program, JointProgram) else (program.qubit,)


def _members(line: dict[str, Any]) -> list[dict[str, Any]]:
    """The acquisitions of one line of the journal; none if it only waited."""
    if "together" not in line:
        return [line]
    return [{**entry, "settings_version": line.get("settings_version", 0)} for entry in line["together"]]


def _each(values: float | NDArray[np.float64] | None, calibrated: float, points: int) -> NDArray[np.float64]:
    chosen = calibrated if values is None else values
    return np.broadcast_to(np.asarray(chosen, dtype=float), (points,)).copy()
