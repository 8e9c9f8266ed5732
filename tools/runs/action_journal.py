"""The journal that lets a dear step happen once, whatever kills the process in between.

``actions/<key>/claim.json`` says that the step was begun, ``done.json`` holds its result; both appear by rename.
Between them the outcome is known only to whoever acted: it is asked by the same key, and if it cannot tell,
a person is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from labwright.tools.errors import UnknownOutcomeError
from labwright.tools.runs.hash_chain import Chain
from labwright.tools.runs.hashed_files import read_json, to_json
from labwright.tools.runs.kill_points import crash_point

State = Literal["absent", "claimed", "done"]
Outcome = Literal["absent", "done", "unknown"]
T = TypeVar("T")


def action_key(run: str, branch: str, path: str, stage: int, attempt: int, parameters: dict[str, Any]) -> str:
    """The name of one action: the same step of the same branch always gets the same 64 hex digits.

    Args:
        run: run id.
        branch: changes when a run is forked or rewound, so that the new branch acts anew.
        path: procedure path of the stage, such as ``bring-up/calibrate``.
        stage: index of the stage in its procedure.
        attempt: how often the stage was begun, from 0.
        parameters: what the step was asked to do; JSON-plain, order does not matter.
    """
    content = [run, branch, path, stage, attempt, parameters]
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Action:
    """One step of a run that must not happen twice."""

    folder: Path  # actions/<key>

    @property
    def key(self) -> str:
        """The action's key."""
        return self.folder.name

    @property
    def state(self) -> State:
        """``absent``, ``claimed`` (begun, end unknown) or ``done``."""
        if (self.folder / "done.json").exists():
            return "done"
        return "claimed" if (self.folder / "claim.json").exists() else "absent"

    def claim(self, note: dict[str, Any] | None = None) -> None:
        """Record, before acting, that the step begins. `note` says what it is, for a person who reads the folder."""
        content = {"key": self.key, "claimed": datetime.now(UTC).isoformat(), **(note or {})}
        self._write("claim.json", content)
        crash_point("after_claim")

    def finish(self, result: dict[str, Any]) -> dict[str, Any]:
        """Record the JSON-plain `result`; a second call changes nothing. Returns what is stored."""
        if self.state != "done":
            self._write("done.json", result)
            crash_point("after_done")
        return self.result()

    def result(self) -> dict[str, Any]:
        """What `finish` stored.

        Raises:
            CorruptRecordError: it was not stored, does not read back, or this run has not written it.
        """
        cure = (
            "Delete it if it is there, and replay the run: `labwright runs resume"
            f" {self._run.name} --rebuild` asks whoever did the step for its outcome, by the step's key."
        )
        Chain(self._run).demand(f"actions/{self.key}/done.json", cure)
        return read_json(self.folder / "done.json", cure)

    @property
    def _run(self) -> Path:
        return self.folder.parents[1]

    def _write(self, name: str, content: dict[str, Any]) -> None:
        Chain(self._run).write(f"actions/{self.key}/{name}", to_json(content))

    def perform(
        self,
        act: Callable[[], T],
        store: Callable[[T], dict[str, Any]],
        *,
        ask: Callable[[], Outcome],
        note: dict[str, Any] | None = None,
        repeat: bool = False,
    ) -> dict[str, Any]:
        """Claim, act, store the data, finish; or return the stored result if all that was done before.

        Args:
            act: the dear step. It is called again after a crash only where that is harmless: `ask` said that it never
                happened, or that it did (then `act`, given the same key, must return what it returned before).
            store: writes the data and returns the JSON-plain result; may be called again with the same outcome.
            ask: what whoever acts knows about this key.
            note: goes into the claim.
            repeat: a person allowed the step although its outcome is unknown.

        Raises:
            UnknownOutcomeError: begun before, and it is unknown whether it happened.
        """
        state = self.state
        if state == "done":
            return self.result()
        if state == "claimed" and not repeat and ask() == "unknown":
            raise UnknownOutcomeError(self.key)
        if state == "absent":
            self.claim(note)
        outcome = act()
        crash_point("after_act")
        result = store(outcome)
        crash_point("after_data")
        return self.finish(result)
