"""What a run has taken of its device, over all of its lives."""

from __future__ import annotations

from pathlib import Path

from labwright.tools.errors import SafetyStop
from labwright.tools.qpu.append_only_journal import Journal
from labwright.tools.specifications.bounds import Bounds, size

ACCOUNT = "device_time.jsonl"  # in the run folder


class Account:
    """Device seconds by acquisition. A claim is on disk before anything is played: a crash is no discount."""

    def __init__(self, folder: Path, version: int) -> None:
        """The account of the run in `folder`; `version` is that of the settings as the run finds them.

        Raises:
            SafetyStop: it is gone, though the run has measured.
        """
        self._journal = Journal(folder / ACCOUNT)
        if not self._journal.entries:
            if (folder / "actions").exists():
                raise SafetyStop(f"What the run has taken of its device is not known: {folder / ACCOUNT} is gone.")
            self._journal.append({"settings_version": version})
        self.begun = int(self._journal.entries[0]["settings_version"])
        self._taken = {each["key"]: float(each["seconds"]) for each in self._journal.entries if "key" in each}

    @classmethod
    def of(cls, folder: Path) -> Account | None:
        """The account of a run that has begun; None where nothing was opened yet."""
        return cls(folder, 0) if (folder / ACCOUNT).exists() else None

    @property
    def seconds(self) -> float:
        """Device time, s."""
        return sum(self._taken.values())

    @property
    def actions(self) -> int:
        """Measurements that have begun; one may take several acquisitions."""
        return len({_action(key) for key in self._taken})

    def require(self, bounds: Bounds, where: str, keys: dict[str, float]) -> None:
        """Raise unless acquisitions (key -> expected s) fit into what is left.

        Raises:
            SafetyStop: they do not.
        """
        new = {key: seconds for key, seconds in keys.items() if key not in self._taken}
        if bounds.device_time and self.seconds + sum(new.values()) > (most := size(bounds.device_time, "s")):
            self._spent(f"{self.seconds:.1f} of {most:g} s of device time", where, "device_time")
        actions = {_action(key) for key in new} - {_action(key) for key in self._taken}
        if bounds.actions and self.actions + len(actions) > bounds.actions:
            self._spent(f"{self.actions} of {bounds.actions} measurements", where, "actions")

    def halt(self, why: str) -> None:
        """The run ends here for good, whoever resumes it.

        Raises:
            SafetyStop: always.
        """
        self._journal.append({"halted": why})
        self.require_sound()

    def require_sound(self) -> None:
        """Raise if the run was halted.

        Raises:
            SafetyStop: it was.
        """
        if why := next((each["halted"] for each in self._journal.entries if "halted" in each), ""):
            raise SafetyStop(why)

    def enter(self, key: str, seconds: float) -> None:
        """Note what an acquisition is expected to take, or took."""
        if abs(self._taken.get(key, -1.0) - seconds) > 1e-9 + 0.01 * seconds:
            self._journal.append({"key": key, "seconds": seconds})
            self._taken[key] = seconds

    def _spent(self, what: str, where: str, field: str) -> None:
        raise SafetyStop(
            f"The run has taken {what}, and the next measurement would exceed that ({where}.{field})."
            " Everything measured is kept; start a new run for the rest."
        )


def keep_account(source: Path, target: Path, actions: set[str]) -> None:
    """Begin the account of a forked run with what the `actions` that it keeps have taken."""
    kept, copy = Journal(source / ACCOUNT).entries, Journal(target / ACCOUNT)
    for entry in kept[:1] + [each for each in kept if _action(each.get("key", "")) in actions]:
        copy.append(entry)


def _action(key: str) -> str:
    return key.partition(".")[0]
