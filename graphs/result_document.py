"""The result document of a run that ended or waits."""

from __future__ import annotations

from typing import Any

from labwright.graphs.run_context import Surroundings
from labwright.tools.runs.hashed_files import read_json, sha256_of
from labwright.tools.runs.run import Run, load_run
from labwright.tools.runs.spending import keep_usage

KINDS = {"figures": "figure", "data": "data", "robot": "data", "candidates": "text", "pipeline": "data"}
LOOSE = {"report.md": "report", "feature_map.py": "text", "circuit.json": "json", "circuit.qasm": "text"}


def write_end(
    lab: Surroundings[Any], status: str, reason: str, questions: list[dict[str, Any]], seconds: float
) -> dict[str, Any]:
    """Write ``usage.json`` and ``result.json``, say so in the log, and return the document."""
    run, usage = lab.run, lab.meter.state()
    for name in _damaged(run) if status != "stopped" else ():
        text = f"{run.folder / name} is gone, or not what this run has written. Restore it from a copy."
        lab.emit({"kind": "warning", "text": text}, once=f"damaged {name}")
    document = {
        "run_id": run.run_id,
        "system": run.record.system,
        "status": status,
        "reason": reason,
        "seconds": round(seconds, 3),
        "mind": lab.choices.mind,
        "seed": run.record.seed,
        "usage": usage,
        "questions": questions,
        "result": _result(run, status),
        "artifacts": artifacts(run),
    }
    keep_usage(run.folder, usage)
    run.save_json("result.json", document)
    lab.emit({"kind": "run_finished", "status": status, "reason": reason})
    return document


def end_without_driver(lab: Surroundings[Any], status: str, reason: str) -> None:
    """Write the end where a server such as Studio's ran the graph, and so no driver does."""
    if not lab.driven:
        write_end(lab, status, reason, [], lab.meter.wall)


def _result(run: Run, status: str) -> dict[str, Any]:
    """What the report node found; empty if the run has not come so far, or went on after it."""
    path = run.folder / "outcome.json"
    outcome = (
        read_json(path, f"Write it anew: `labwright runs resume {run.run_id} --rebuild`.") if path.exists() else {}
    )
    found = outcome["result"] if outcome.get("status") == status else {}
    return dict(found)


def _written(run: Run) -> dict[str, str]:
    """Artifacts that this run has written, and their hashes; those that it has taken away again are left out."""
    newest = {name: hashes[-1] for name, hashes in run.chain.written().items()}
    own = {name: found for name, found in newest.items() if found and name.split("/")[0] in KINDS | LOOSE}
    return {name: found for name, found in own.items() if not name.split("/")[-1].startswith(".")}


def _damaged(run: Run) -> list[str]:
    """Artifacts that are gone, or not what was written."""
    return [
        name
        for name, found in _written(run).items()
        if not (run.folder / name).is_file() or sha256_of((run.folder / name).read_bytes()) != found
    ]


def artifacts(run: Run) -> list[dict[str, str]]:
    """Report, figures, data, code and files for a robot, with their hashes."""
    found = [path for folder in KINDS for path in sorted((run.folder / folder).rglob("*")) if path.is_file()]
    own = [run.folder / name for name in LOOSE if (run.folder / name).exists()]
    there = [path.relative_to(run.folder).as_posix() for path in [*own, *found] if not path.name.startswith(".")]
    written = _written(run)
    listed = [
        {
            "path": name,
            "kind": (KINDS | LOOSE)[name.split("/")[0]],
            "sha256": written.get(name) or sha256_of((run.folder / name).read_bytes()),
        }
        for name in dict.fromkeys([*there, *written])
    ]
    for record in sorted((run.folder / "parts").glob("*/run.json")):
        inner = artifacts(load_run(record.parent))
        listed += [{**one, "path": f"parts/{record.parent.name}/{one['path']}"} for one in inner]
    return listed
