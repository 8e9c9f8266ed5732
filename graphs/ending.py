"""The result document of a run that ended or waits."""

from __future__ import annotations

from typing import Any

from labwright.graphs.surroundings import Surroundings
from labwright.tools.runs.files import read_json, sha256_of
from labwright.tools.runs.run import Run, load_run


def write_end(
    lab: Surroundings[Any], status: str, reason: str, questions: list[dict[str, Any]], seconds: float
) -> dict[str, Any]:
    """Write ``usage.json`` and ``result.json``, say so in the log, and return the document."""
    run, usage = lab.run, lab.meter.state()
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
    run.save_json("usage.json", usage)
    run.save_json("result.json", document)
    lab.emit({"kind": "run_finished", "status": status, "reason": reason})
    return document


def _result(run: Run, status: str) -> dict[str, Any]:
    """What the report node found; empty if the run has not come so far, or went on after it."""
    path = run.folder / "outcome.json"
    outcome = (
        read_json(path, f"Write it anew: `labwright runs resume {run.run_id} --rebuild`.") if path.exists() else {}
    )
    found = outcome["result"] if outcome.get("status") == status else {}
    return dict(found)


def artifacts(run: Run) -> list[dict[str, str]]:
    """Report, figures, data, code and files for a robot, with their hashes."""
    kinds = {"figures": "figure", "data": "data", "robot": "data", "candidates": "text", "pipeline": "data"}
    found = [path for folder in kinds for path in sorted((run.folder / folder).rglob("*")) if path.is_file()]
    loose = {"report.md": "report", "feature_map.py": "text", "circuit.json": "json", "circuit.qasm": "text"}
    own = [run.folder / name for name in loose if (run.folder / name).exists()]
    listed = [
        {
            "path": str(path.relative_to(run.folder)),
            "kind": (kinds | loose)[path.relative_to(run.folder).parts[0]],
            "sha256": sha256_of(path.read_bytes()),
        }
        for path in [*own, *found]
        if not path.name.startswith(".")
    ]
    for record in sorted((run.folder / "parts").glob("*/run.json")):
        inner = artifacts(load_run(record.parent))
        listed += [{**one, "path": f"parts/{record.parent.name}/{one['path']}"} for one in inner]
    return listed
