"""The arena in plain Python, on the agent's side: `Arena` asks the grader, `ArenaDevice` plays as a `Device`."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any, Literal, cast

from labwright.evaluation.arena.pipe import Pipe
from labwright.evaluation.arena.wire_format import acquired_of, plain_program
from labwright.tools import errors
from labwright.tools.atomic_files import write_atomic
from labwright.tools.experiments.duration_estimate import SIMULATED_OVERHEAD
from labwright.tools.qpu.acquisition_storage import file_name, packed, unpacked
from labwright.tools.qpu.append_only_journal import Journal
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.hardware_limits import check_joint, check_program, require_qubit
from labwright.tools.qpu.joint_program import AnyProgram, JointProgram
from labwright.tools.qpu.program import Acquired
from labwright.tools.qpu.settings import PairSettings, QubitSettings, SettingsVersion
from labwright.tools.qpu.settings_book import JournaledSettings

_open: dict[str, Bench] = {}  # for `open_device`, which gets plain options only


class Bench(Pipe):
    """A device on the bench, whose refusals are errors of the tools layer."""

    def __init__(self, ask: IO[str], told: IO[str]) -> None:
        super().__init__(ask, told)
        self.name = f"bench-{secrets.token_hex(8)}"
        _open[self.name] = self

    def refused(self, reply: dict[str, Any]) -> errors.ToolError:
        """The error that the bench raised, as far as its type is public."""
        if reply.get("limit"):
            return errors.HardwareLimitError(*reply["limit"])
        kinds: tuple[type[errors.ToolError], ...] = (errors.DataError, errors.UnreachableError, errors.SafetyStop)
        return {kind.__name__: kind for kind in kinds}.get(reply["type"], errors.InputError)(reply["error"])

    def close(self) -> None:
        """Give the streams back."""
        _open.pop(self.name, None)
        super().close()


class Arena(Bench):
    """The grader in a process of its own, and one device after the other on its bench.

    >>> with Arena() as arena:
    ...     arena.open(0)
    ...     arena.call("run_experiment", name="rabi")
    ...     arena.call("hand_in", status="refused", cause="other")
    ...     arena.grade()
    """

    def __init__(self, secret: Path | None = None, *, at_once: bool = False) -> None:
        """Start the grader.

        Args:
            secret: file with a secret in hexadecimal digits, to see the same devices again; else one is drawn.
            at_once: answer as soon as possible, not on a grid of times.
        """
        command = [sys.executable, "-m", "labwright.evaluation.arena.grader"]
        command += [*(["--secret", str(secret)] if secret else []), *(["--at-once"] if at_once else [])]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        super().__init__(cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout))

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(
        self, number: int, kind: str = "qubit", condition: str = "any", budget: dict[str, float] | None = None
    ) -> None:
        """Have device `number` drawn and put on the bench; a fresh one each time."""
        self._ask({"do": "open", "number": number, "kind": kind, "condition": condition, "budget": budget})

    def grade(self) -> dict[str, Any]:
        """End with this device, and have what was handed in graded."""
        return self._ask({"do": "grade"})

    def forward(self, line: bytes) -> bytes:
        """The answer to a line of somebody else's: a call of a tool and nothing else."""
        try:
            asked = json.loads(line)
            reply = {"ok": self.call(asked["tool"], **asked["arguments"])}
        except errors.ToolError as error:
            reply = told(error)
        except (ValueError, TypeError, KeyError, RecursionError):
            reply = told(errors.InputError("A line is an object with tool and arguments."))
        return json.dumps(reply).encode() + b"\n"

    def close(self) -> None:
        """End the grader."""
        super().close()
        self._process.wait(timeout=60)


def told(error: Exception) -> dict[str, Any]:
    """What an agent reads of an error: our own words, and of others only that there was one."""
    if not isinstance(error, errors.ToolError):
        return {"error": "The bench failed at this. Try something else.", "type": "ToolError"}
    limit = type(error) is errors.HardwareLimitError
    numbers = [getattr(error, name) for name in ("quantity", "value", "minimum", "maximum", "unit") if limit]
    return {"error": str(error), "type": type(error).__name__, "limit": numbers}


class ArenaDevice:
    """The device on the bench as a `labwright.tools.qpu.device.Device`, with a memory of keys in `folder`."""

    def __init__(self, arena: Bench, folder: Path) -> None:
        (folder / "acquisitions").mkdir(parents=True, exist_ok=True)
        self._arena, self._folder, self._lock = arena, folder, threading.Lock()
        said = arena.call("describe")
        start = {name: QubitSettings(**arena.call("settings", name=name)["settings"]) for name in said["qubits"]}
        pairs = {name: PairSettings(**arena.call("settings", name=name)["settings"]) for name in said["pairs"]}
        self._journal = Journal(folder / "journal.jsonl")
        self._done = {entry["key"] for entry in self._journal.entries}
        self._names = tuple(start)
        self._settings = _Written(
            arena, folder / "settings.jsonl", start, self.limits, lambda: self.clock, lambda: None, pairs
        )

    @property
    def name(self) -> str:
        return "arena"

    @property
    def qubits(self) -> tuple[str, ...]:
        return self._names

    @property
    def limits(self) -> Limits:
        return Limits()

    @property
    def settings(self) -> JournaledSettings:
        return self._settings

    @property
    def clock(self) -> float:
        """Device seconds that were played."""
        return float(self._journal.entries[-1]["clock_after"]) if self._journal.entries else 0.0

    @property
    def shot_overhead(self) -> float:
        """Readout and reset of one shot, us."""
        return SIMULATED_OVERHEAD

    def check(self, program: AnyProgram) -> None:
        """Rehearse: raise what `acquire` would refuse."""
        for qubit in program.qubits if isinstance(program, JointProgram) else (program.qubit,):
            require_qubit(qubit, self.qubits)
        if isinstance(program, JointProgram):
            check_joint(program, self._settings.current, self.limits)
        else:
            check_program(program, self._settings.current, self.limits)

    def status(self, key: str) -> Literal["absent", "done", "unknown"]:
        """``done`` once the acquisition came back."""
        return "done" if key in self._done else "absent"

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        """Have `program` played, or return what was stored under `key`."""
        path = self._folder / "acquisitions" / file_name(key)
        with self._lock:
            if key in self._done:
                return unpacked(path, key)
            self.check(program)
            tool = "play_together" if isinstance(program, JointProgram) else "play"
            acquired = acquired_of(self._arena.call(tool, program=plain_program(program)))
            write_atomic(path, packed(acquired))
            self._journal.append({"key": key, "clock_after": acquired.clock + acquired.seconds})
            self._done.add(key)
            return acquired

    def close(self) -> None:
        """Nothing: the bench stays with the arena."""


class _Written(JournaledSettings):
    """A settings book whose every new version is written to the bench."""

    def __init__(self, arena: Bench, *rest: Any) -> None:
        super().__init__(*rest)
        self._arena = arena

    def update(
        self, qubit: str, changes: dict[str, float], *, key: str, reason: str, notes: dict[str, float] | None = None
    ) -> SettingsVersion:
        """See `SettingsBook.update`."""
        before = self.version
        entry = super().update(qubit, changes, key=key, reason=reason, notes=notes)
        if entry.version > before:
            self._arena.call("write_settings", name=qubit, changes=entry.changes)
        return entry


def open_device(folder: Path, _seed: int, options: dict[str, float | str]) -> ArenaDevice:
    """The factory of `ArenaDevice` for ``--device``: option ``arena`` is the `name` of a `Bench` of this process.

    Raises:
        InputError: there is none.
    """
    if options.get("arena") not in _open:
        raise errors.InputError("Option `arena` must be the name of an open bench of this process.")
    return ArenaDevice(_open[str(options["arena"])], folder)
