"""The settings book of a device, kept in a journal: history, revert, and one entry a key."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.qpu.append_only_journal import Journal
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.hardware_limits import check_pair_settings, check_settings, require_qubit
from labwright.tools.qpu.settings import PairSettings, QubitSettings, SettingsVersion


class JournaledSettings:
    """A `SettingsBook` in ``settings.jsonl``. A version counts only once its line is on disk."""

    def __init__(
        self,
        path: Path,
        start: dict[str, QubitSettings],
        limits: Limits,
        clock: Callable[[], float],
        verify: Callable[[], None],
        pairs: dict[str, PairSettings] | None = None,
    ) -> None:
        self._limits, self._clock, self._verify = limits, clock, verify
        self._current = dict(start)
        self._pairs = dict(pairs or {})
        self._history = [SettingsVersion(0, "", {}, {}, "opened", "", 0.0, {})]
        self._lock = threading.Lock()  # qubits that are calibrated side by side write in turn
        self._journal = Journal(path)
        for entry in self._journal.entries:
            try:
                self._apply(SettingsVersion(**entry))
            except (TypeError, KeyError) as error:
                raise CorruptRecordError(f"An entry of {path} is not a settings version: {entry}.") from error

    @property
    def version(self) -> int:
        """Number of the newest version; 0 is what the device was opened with."""
        return self._history[-1].version

    def current(self, qubit: str) -> QubitSettings:
        """The settings of `qubit` as they stand."""
        require_qubit(qubit, tuple(self._current))
        return self._current[qubit]

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The coupled pairs, each as its settings name the two qubits."""
        split = [name.partition("-") for name in self._pairs]
        return tuple((first, second) for first, _, second in split)

    def pair(self, name: str) -> PairSettings:
        """The settings of a coupled pair as they stand."""
        if name not in self._pairs:
            coupled = ", ".join(self._pairs) or "none"
            raise InputError(f"The device has no coupled pair {name!r}. Coupled are: {coupled}.")
        return self._pairs[name]

    def update(
        self, qubit: str, changes: dict[str, float], *, key: str, reason: str, notes: dict[str, float] | None = None
    ) -> SettingsVersion:
        """Write `changes` unless `key` was written before.

        Raises:
            HardwareLimitError: the device could not play the new settings.
            InputError: a name is not a setting.
            LeaseError: the device is closed or was taken over.
        """
        with self._lock:
            return self._updated(qubit, changes, key, reason, dict(notes or {}))

    def _updated(
        self, qubit: str, changes: dict[str, float], key: str, reason: str, notes: dict[str, float]
    ) -> SettingsVersion:
        for entry in self._history[1:]:
            if entry.key == key:
                return entry
        old = self.pair(qubit) if qubit in self._pairs else self.current(qubit)
        changes = {name: float(value) for name, value in changes.items()}
        new = old.changed(changes)
        if isinstance(new, PairSettings):
            check_pair_settings(new, self._limits)
        else:
            check_settings(new, self._limits)
        before = {name: float(getattr(old, name)) for name in changes}
        kept = {name: float(value) for name, value in notes.items()}
        entry = SettingsVersion(self.version + 1, qubit, changes, before, reason, key, self._clock(), kept)
        self._verify()  # only the holder of the lease may write
        self._journal.append(asdict(entry))
        self._apply(entry)
        return entry

    def revert(self, version: int, *, key: str, reason: str) -> SettingsVersion:
        """Write the `before` values of `version` as a new version."""
        if not 1 <= version <= self.version:
            raise InputError(f"There is no settings version {version} to revert. Versions are 1 to {self.version}.")
        undone = self._history[version]
        return self.update(undone.qubit, undone.before, key=key, reason=reason)

    def history(self, qubit: str | None = None) -> tuple[SettingsVersion, ...]:
        """All versions, oldest first; those of one qubit if it is named."""
        return tuple(v for v in self._history if qubit is None or v.qubit == qubit)

    def _apply(self, entry: SettingsVersion) -> None:
        if entry.qubit in self._pairs:
            self._pairs[entry.qubit] = self._pairs[entry.qubit].changed(entry.changes)
        else:
            self._current[entry.qubit] = self._current[entry.qubit].changed(entry.changes)
        self._history.append(entry)
