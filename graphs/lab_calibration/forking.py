"""A new run that shares its past with an old one, up to a stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.graphs.checkpoints import checkpoints
from labwright.graphs.lab_calibration.graph import build_graph
from labwright.graphs.lab_calibration.request_reading import SYSTEM
from labwright.graphs.lab_calibration.run_context import SPEC
from labwright.tools.errors import InputError
from labwright.tools.limits.device_usage import keep_account
from labwright.tools.limits.files import KEPT
from labwright.tools.limits.plan_approval import APPROVAL
from labwright.tools.qpu.device_fork import device_folder, fork_simulated
from labwright.tools.runs.run import Run, create_run, open_run


def fork(run_id: str, root: Path, *, stage: int | None = None, ask: bool = False) -> str:
    """Make a run that begins where `run_id` had finished `stage` stage runs; returns its name. Resume it to go on.

    Args:
        run_id: the old run; it is not changed.
        root: folder of the runs.
        stage: number of finished stage runs to keep, as the report counts them; 0 starts over, None
            keeps all.
        ask: whether a person is asked before each measurement, and may change its parameters.

    Raises:
        InputError: the run never had so many stages, or its device is real: its settings and its qubits cannot be
            put back by copying files.
    """
    old = open_run(root, run_id)
    if old.record.choices["device"] != "simulated":
        raise InputError(
            f"Run {old.run_id} drives the device {old.record.choices['device']!r}. A fork would need the device as it"
            f" was then; start a new run instead, and revert its settings first if you must."
        )
    if (old.folder / "parts").exists():
        raise InputError(
            f"Run {old.run_id} is that of a whole chip, whose qubits were worked on side by side; only a run of stages"
            " in a row can be forked. Start a new run for the qubits that you want to do otherwise."
        )
    values = _values_at(old, stage)
    tighter = {"approval": "always"} if ask else {}
    new = create_run(
        root,
        SYSTEM,
        old.record.asked,
        {**old.record.choices, "device_folder": "", **tighter},  # what goes on in that folder is another past
        old.record.seed,
        parent={"run_id": old.run_id, "stage": len(values["history"])},
    )
    at = values.get("device_at", {"clock": 0.0, "settings_version": 0})
    fork_simulated(
        device_folder(old.record.choices, old.folder), new.folder / "device", at["clock"], at["settings_version"]
    )
    _copy_past(old, new, values)
    with checkpoints(new.folder) as saver:
        config: Any = {"configurable": {"thread_id": new.run_id}}
        moved = {
            **values,
            "run_dir": str(new.folder),
            "branch": new.run_id,
            "choices": {**values["choices"], **tighter},
        }
        build_graph(saver).update_state(config, moved, as_node="decide" if values["history"] else "begin")
    new.events.append({"kind": "forked", "from": old.run_id, "stage": len(values["history"])})
    return new.run_id


def _values_at(run: Run, stage: int | None) -> dict[str, Any]:
    """The newest state in which `stage` stage runs are done and the next has not begun."""
    config: Any = {"configurable": {"thread_id": run.run_id}}
    most = 0
    with checkpoints(run.folder) as saver:
        for snapshot in build_graph(saver).get_state_history(config):
            values = snapshot.values
            done = len(values.get("history", []))
            most = max(most, done)
            if stage in (None, done) and values.get("phase") in ("stage", "ended") and not values.get("question"):
                return dict(values)
    raise InputError(f"Run {run.run_id} can be forked after 0 to {most} stage runs, not after {stage}.")


def _copy_past(old: Run, new: Run, values: dict[str, Any]) -> None:
    """The plan with its approval and limits; records, arrays, figures and device time of the stage runs kept."""
    for name in (SPEC, APPROVAL, KEPT):
        new.save_bytes(name, (old.folder / name).read_bytes())
    keep_account(old.folder, new.folder, {row["action"] for row in values["history"]})
    for row in values["history"]:
        if not row["action"]:
            continue
        result = old.action(row["action"]).result()
        of_it = [f"actions/{row['action']}/{path.name}" for path in sorted(old.action(row["action"]).folder.iterdir())]
        figures = [Path(figure["path"]) for figure in result["figures"]]
        curves = [f"data/{path.stem}.plot.json" for path in figures]
        for name in (*of_it, result["data"]["path"], *map(str, figures), *curves):
            if name not in curves or (old.folder / name).is_file():
                new.save_bytes(name, (old.folder / name).read_bytes())
