"""What was done before in like cases, and how the instrument is used: looked up for whoever reads a description."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from labwright.agents.protocol_design.draft import Similar
from labwright.tools.errors import CorruptRecordError
from labwright.tools.knowledge.note_search import SOPS, Note, nearest, notes_in
from labwright.tools.named_persons import FINDINGS
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import Run, load_run, run_ids
from labwright.tools.specifications.kinds import SPEC

MOST_RUNS = 500  # finished designs that are looked at, newest first
LONGEST = 6000  # characters of one experiment; a plate of single values is longer and says no more


def similar_to(request: str, run: Run, k: int) -> list[dict[str, Any]]:
    """The `k` nearest finished experiments, and as many notes on the instrument.

    Args:
        run: the run that asks; runs beside it are looked at, itself not.
    """
    if k < 1:
        return []
    near = nearest(finished(run), request, k)
    found = [Similar(kind="experiment", title=one.title, text=one.text) for one in near]
    notes = [Similar(kind="instrument", title=one.title, text=one.text) for one in nearest(notes_in(SOPS), request, k)]
    return [one.model_dump() for one in (*found, *notes)]


def finished(run: Run) -> list[Note]:
    """Designs of other runs in the same folder that ended with a file; damaged ones are left out."""
    root, found = run.folder.parent, list[Note]()
    known = [name for name in reversed(run_ids(root)) if name != run.run_id]
    for name in known[:MOST_RUNS]:
        with suppress(CorruptRecordError):  # `runs list` reports the damage; it does not stop this design
            note = _note(root / name, run.record.system)
            found += [note] if note is not None else []
    return found


def _note(folder: Path, system: str) -> Note | None:
    other, spec = load_run(folder), folder / SPEC
    if (folder / FINDINGS).exists():  # a named person had to accept something: that is no example for others
        return None
    if other.record.system != system or not spec.exists() or (read_result(other) or {}).get("status") != "complete":
        return None
    asked = other.record.asked.strip()
    text = f"{asked}\n\n{spec.read_text(encoding='utf-8', errors='replace').strip()}"
    return Note(f"Run {other.run_id}", asked, text[:LONGEST])
