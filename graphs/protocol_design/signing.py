"""Findings that a named person must accept, whatever approval policy holds; see `tools.named_persons` for the proof."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labwright.agents.settings import Settings
from labwright.graphs.protocol_design.computed_design import Planned
from labwright.graphs.protocol_design.run_context import Workroom
from labwright.graphs.questions import Option, Question
from labwright.tools.named_persons import FINDINGS, digest, signed
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import Run

ACCEPT, ABORT = "accept", "abort"
MOST_TRIES = 5  # answers without a sign-off that one run takes
UNSIGNED = "**Nobody whom this laboratory knows has signed these findings.**"
OPTIONS = [
    Option(value=ACCEPT, label="Accept these findings, with name and passphrase"),
    Option(value=ABORT, label="Abort the run"),
]


def findings_to_sign(room: Workroom, planned: Planned) -> list[str] | None:
    """What a named person has yet to accept; None where nothing needs one, or one has accepted exactly this."""
    findings = [f"{one.message} {one.mend}" for one in planned.made.findings if one.person]
    if not findings:
        return None
    which = digest(findings)
    if (found := signed(Settings().people, room.run.folder, which)) is not None:
        room.emit({"kind": "signed", "name": found.name, "findings": findings}, once=f"signed {which}")
        return None
    room.run.save_json(FINDINGS, {"digest": which, "findings": findings})  # such a run is no example from here on
    return findings


def sign_question(run: Run, findings: list[str], tries: int, refused: str = "") -> Question:
    """What the person reads; the way to correct the protocol instead is open.

    Args:
        refused: why the last answer was not taken.
    """
    count = "a finding" if len(findings) == 1 else f"{len(findings)} findings"
    how = (
        f"No approval policy, text or model can accept this. In a terminal `labwright sign {run.run_id}` asks for name"
        f" and passphrase; then answer `{ACCEPT}`. Or change the protocol, in words or as `PATH = VALUE`."
    )
    return Question(
        id=f"sign {tries + 1}",
        kind="approve",
        title=f"A named person must accept {count} before the robot's file is written",
        body_markdown="\n\n".join([*filter(None, [refused]), "\n".join(f"- {line}" for line in findings), how]),
        options=OPTIONS,
        free=True,
        signs=digest(findings),
    )


def accepted(run: Run) -> dict[str, Any] | None:
    """Who accepted what, for the run's result; None where nothing needed a person."""
    if not (run.folder / FINDINGS).exists():
        return None
    kept = read_json(run.folder / FINDINGS, "Resume the run to write it anew.")
    found = signed(Settings().people, run.folder, kept["digest"])
    return {"findings": kept["findings"], "by": None if found is None else asdict(found)}
