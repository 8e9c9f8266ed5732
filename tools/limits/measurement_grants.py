"""A person's approval of one measurement, for exactly this call in this place of this run, or of all that follow."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from labwright.tools.errors import CorruptRecordError, SafetyStop
from labwright.tools.runs.hash_chain import GRANTS, Chain
from labwright.tools.runs.hashed_files import read_json, to_json

EVERY = "every"  # in place of the key of a measurement: all that follow in the run
VALID = 24 * 3600.0  # s; a measurement follows its approval at once, unless the run is stopped between them


def grant(folder: Path, action: str, call: str, by: str) -> None:
    """Note that a person approved `call` now; an approval that is there already keeps its time.

    Args:
        folder: of the run.
        action: key of the measurement, which is made of run, branch, place and call; or `EVERY`.
        call: in words.
        by: account under which the answer was given.
    """
    if not (folder / _name(action)).exists():
        at = datetime.now(UTC).isoformat(timespec="seconds")
        Chain(folder).write(_name(action), to_json({"action": action, "call": call, "by": by, "at": at}))


def require_grant(folder: Path, action: str, why: str) -> None:
    """Raise unless a person approved the measurement `action` of the run in `folder`, and not too long ago.

    Raises:
        SafetyStop: nobody did, the approval is another lab's or too old; says `why` one is needed.
    """
    cure = f"{why} Fork the run before this stage, and approve it there: `labwright runs fork {folder.name} --stage N`."
    try:
        Chain(folder).demand(_name(action), cure)
    except CorruptRecordError as missing:
        raise SafetyStop(f"Nobody has approved this measurement. {missing}") from missing
    found = read_json(folder / _name(action), cure)
    age = (datetime.now(UTC) - datetime.fromisoformat(found["at"])).total_seconds()
    if not -60.0 <= age <= VALID:
        raise SafetyStop(f"The approval of {found['call']} at {found['at']} held for {VALID / 3600:g} h. {cure}")


def every_granted(folder: Path) -> bool:
    """Whether a person approved all further measurements of the run in `folder`, and not too long ago."""
    try:
        require_grant(folder, EVERY, "")
    except SafetyStop:
        return False
    return True


def _name(action: str) -> str:
    return f"{GRANTS}/{action}.json"
