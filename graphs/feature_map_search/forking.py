"""A new search that shares its past with an old one, up to a trial."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.graphs.checkpoints import checkpoints
from labwright.graphs.feature_map_search.graph import build_graph
from labwright.graphs.feature_map_search.run_context import DATA_SET, SYSTEM
from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import Run, create_run, open_run


def fork(run_id: str, root: Path, *, stage: int | None = None) -> str:
    """Make a search that begins where `run_id` had finished `stage` trials; returns its name. Resume it to go on.

    Args:
        run_id: the old search; it is not changed.
        root: folder of the runs.
        stage: number of finished trials to keep; 0 starts over, None keeps all.

    Raises:
        InputError: the search never had so many trials.
    """
    old = open_run(root, run_id)
    values = _values_at(old, stage)
    parent = {"run_id": old.run_id, "stage": values["trial"], "test_part_was_opened": _was_opened(old)}
    new = create_run(root, SYSTEM, old.record.asked, old.record.choices, old.record.seed, parent=parent)
    _copy_past(old, new, values)
    with checkpoints(new.folder) as saver:
        config: Any = {"configurable": {"thread_id": new.run_id}}
        moved = {**values, "run_dir": str(new.folder), "branch": new.run_id}
        build_graph(saver).update_state(config, moved, as_node="review" if values["trial"] else "prepare")
    new.events.append({"kind": "forked", "from": old.run_id, "stage": values["trial"]})
    return new.run_id


def _was_opened(run: Run) -> bool:
    """Whether a test part that the fork will open was seen before; a person may have forked because of what it said."""
    inherited = bool((run.record.parent or {}).get("test_part_was_opened"))
    return inherited or any(event.get("kind") == "revealed" for event in run.events.read())


def _values_at(run: Run, stage: int | None) -> dict[str, Any]:
    """The newest state in which `stage` trials are done and the next has not begun."""
    config: Any = {"configurable": {"thread_id": run.run_id}}
    most = 0
    with checkpoints(run.folder) as saver:
        for snapshot in build_graph(saver).get_state_history(config):
            values = snapshot.values
            if values.get("phase") != "next" or values.get("question"):
                continue
            most = max(most, values["trial"])
            if stage in (None, values["trial"]):
                return dict(values)
    raise InputError(f"Run {run.run_id} can be forked after 0 to {most} trials, not after {stage}.")


def _copy_past(old: Run, new: Run, values: dict[str, Any]) -> None:
    """Which data there were, and records and code of the candidates that are kept."""
    if (old.folder / DATA_SET).exists():
        new.save_json(DATA_SET, read_json(old.folder / DATA_SET, "Start a new search."))
    for row in values.get("tried", []):
        record = read_json(old.folder / row["file"], "Fork the run from an earlier trial.")
        for name in filter(None, (row["file"], record.get("source"))):
            new.save_bytes(name, (old.folder / name).read_bytes())
