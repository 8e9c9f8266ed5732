"""Findings that a named person must accept, whatever approval policy holds; see `tools.people` for the proof."""

from __future__ import annotations

from dataclasses import asdict
from textwrap import shorten
from typing import Any

from labwright.agents.settings import Settings
from labwright.graphs.protocol_design.bench import Planned
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import workroom
from labwright.graphs.questions import Option, Question
from labwright.tools.people import FINDINGS, digest, signed
from labwright.tools.runs.run import Run

Update = dict[str, Any]
ACCEPT, ABORT = "accept", "abort"
SHORT = 110  # characters of the first finding in the question's title
MOST_TRIES = 5  # answers without a sign-off that one run takes
OPTIONS = [
    Option(value=ACCEPT, label="Accept these findings, with name and passphrase"),
    Option(value=ABORT, label="Abort the run"),
]


def needed(state: DesignState, planned: Planned) -> Update | None:
    """The question to a named person; None where nothing needs one, or one has accepted exactly these findings."""
    findings = [finding for finding in planned.made.findings if finding.person]
    if not findings:
        return None
    lines = [f"{one.message} {one.mend}" for one in findings]
    run, which = workroom(state).run, digest(lines)
    if (found := signed(Settings().people, run.folder, which)) is not None:
        workroom(state).emit({"kind": "signed", "name": found.name, "findings": lines}, once=f"signed {which}")
        return None
    run.save_json(FINDINGS, {"digest": which, "findings": lines})  # before anybody is asked: such a run is no example
    tries = len([key for key in state["answers"] if key.startswith("sign ")])
    if tries >= MOST_TRIES:
        cause = f"Nobody signed the findings in {MOST_TRIES} answers: {lines[0]}"
        return {"phase": "report", "status": "stopped", "cause": cause}
    return {
        "question": {"purpose": "sign", "form": _question(run, lines, which, tries), "about": which},
        "phase": "ask",
    }


def _question(run: Run, lines: list[str], which: str, tries: int) -> dict[str, Any]:
    how = (
        f"A named person must accept this before the robot's file is written: `labwright sign {run.run_id}` asks for"
        f" name and passphrase; then answer `{ACCEPT}`. No approval policy, text or model can do it."
    )
    again = ["**Nobody whom this laboratory knows has signed these findings.**"] if tries else []
    first = shorten(lines[0], SHORT, placeholder=" ...")
    count = "a finding" if len(lines) == 1 else f"{len(lines)} findings"
    return Question(
        id=f"sign {tries + 1}",
        kind="approve",
        title=f"A named person must accept {count}: {first}",
        body_markdown="\n\n".join([*again, "\n".join(f"- {line}" for line in lines), how]),
        options=OPTIONS,
        signs=which,
    ).model_dump()


def accepted(run: Run) -> dict[str, Any] | None:
    """Who accepted what, for the run's result; None where nothing needed a person."""
    path = run.folder / FINDINGS
    if not path.exists():
        return None
    from labwright.tools.runs.files import read_json

    kept = read_json(path, "Resume the run to write it anew.")
    found = signed(Settings().people, run.folder, kept["digest"])
    return {"findings": kept["findings"], "by": None if found is None else asdict(found)}
