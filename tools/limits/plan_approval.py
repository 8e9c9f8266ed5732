"""The approval of a plan: for exactly this document, under these limits, for a time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labwright.tools.errors import CorruptRecordError, SafetyStop
from labwright.tools.limits.device_usage import Account
from labwright.tools.limits.files import KEPT
from labwright.tools.limits.limits_document import Law
from labwright.tools.runs.hash_chain import Chain
from labwright.tools.runs.hashed_files import read_json, sha256_of, to_json
from labwright.tools.specifications.bounds import Bounds, size

APPROVAL = "approval.json"  # in the run folder
AGAIN = "Approve it by starting it anew: labwright run {}"


def approve(folder: Path, plan: str, laws: tuple[Law, ...], by: dict[str, str]) -> None:
    """Note that `plan` was approved now; who has approved the same text before keeps that time.

    Args:
        folder: of the run.
        plan: the whole document.
        laws: in force.
        by: who, and under which policy.

    Raises:
        SafetyStop: another plan was approved, and something was measured under it.
    """
    path = folder / APPROVAL
    new = {"plan": sha256_of(plan.encode()), "limits": [sha256_of(law.text.encode()) for law in laws], **by}
    if (
        path.exists()
        and (old := read_json(path, "Restore it from a copy, or start the run anew."))["plan"] != new["plan"]
    ):
        if (account := Account.of(folder)) and account.actions:
            raise SafetyStop(f"The plan is not the one that was approved at {old['at']}. Start a new run for it.")
    elif path.exists():
        return
    Chain(folder).write(APPROVAL, to_json({**new, "at": datetime.now(UTC).isoformat(timespec="seconds")}))


def require(folder: Path, spec: Path, laws: tuple[Law, ...], bounds: tuple[tuple[Bounds, str], ...]) -> None:
    """Raise unless the plan of the run in `folder` is approved as it stands in `spec`, and still is.

    Raises:
        SafetyStop: it is not.
    """
    approval, again = require_text(folder, spec), AGAIN.format(spec)
    if not set(approval["limits"]) <= {sha256_of(law.text.encode()) for law in laws}:
        raise SafetyStop(f"The limits that this run began under are gone or were changed ({folder / KEPT}). {again}")
    age = (datetime.now(UTC) - datetime.fromisoformat(approval["at"])).total_seconds()
    for each, where in bounds:
        if each.valid and not 0 <= age + 1 <= size(each.valid, "s") + 1:
            raise SafetyStop(f"The approval of {approval['at']} held for {each.valid} ({where}.valid). {again}")


def require_text(folder: Path, spec: Path) -> dict[str, Any]:
    """The approval of exactly the plan in `spec`.

    Raises:
        SafetyStop: there is none.
    """
    path, again = folder / APPROVAL, AGAIN.format(spec)
    if not path.exists():
        raise SafetyStop(f"The plan of this run was never approved, or {path} is gone. Restore that file. {again}")
    try:
        Chain(folder).demand(APPROVAL, f"Restore that file from a copy. {again}")
    except CorruptRecordError as forged:
        raise SafetyStop(str(forged)) from forged
    approval = read_json(path, again)
    if not spec.is_file() or sha256_of(spec.read_bytes()) != approval["plan"]:
        raise SafetyStop(
            f"{spec} was changed after it was approved at {approval.get('at', 'an unknown time')}, or {path.name} was."
            f" Restore the file from a copy. {again}"
        )
    return approval
