"""Short searches for tests: a data set of three clouds, and what a search left behind."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import lives
import numpy as np

from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.running import Outcome, SearchRequest, resume, start
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import load_run, run_ids

WORDS = "Find a map for three clouds"
PRELOADED = ("labwright.graphs.feature_map_search.running", "sklearn.svm", "langgraph.checkpoint.sqlite", __name__)
# What a search of `choices` does once each, in this order, when its maps are evaluated.
AFTER = ["tuning", "the test part is opened", "baseline", "the winner's accuracy with shots"]
TIMES = ("seconds", "kernel_seconds", "training_seconds", "time", "claimed")


def clouds(folder: Path, n: int = 120) -> Path:
    """Three clouds of points in eight dimensions that overlap a little, as an archive in `folder`."""
    path = folder / "clouds.npz"
    if not path.exists():
        random = np.random.Generator(np.random.Philox(key=5))
        y = np.arange(n) % 3
        centres = random.normal(size=(3, 8))
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(path, X=centres[y] * 0.7 + random.normal(size=(n, 8)), y=y)
    return path


def choices(root: Path, **more: Any) -> Choices:
    """Of a search that takes seconds: three qubits, six features, one baseline, no figures."""
    small = {"dataset": str(clouds(root.parent)), "qubits": 3, "features": 6, "trials": 2, "figures": False}
    usual = {**small, "preparation": "min-max", "baselines": ("rbf_default",), "approval": "auto"}
    return Choices.model_validate(usual | more)


def search(root: Path, *, on_event: Any = None, on_question: Any = None, **more: Any) -> Outcome:
    """A search of `choices` below `root`."""
    request = SearchRequest(WORDS, choices(root, **more))
    return start(request, root, on_event=on_event, on_question=on_question)


def completed(root: Path, **more: Any) -> Outcome:
    """A `search` that ends with a winner."""
    outcome = search(root, **more)
    assert outcome.status == "complete", outcome.reason
    return outcome


def timeless(value: Any) -> Any:
    """`value` without what differs from run to run: times, and hashes of files that hold times."""
    if isinstance(value, dict):
        return {name: timeless(item) for name, item in value.items() if name not in (*TIMES, "sha256")}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def facts(folder: Path) -> dict[str, Any]:
    """What a finished search found, without names of runs and times."""
    document = read_json(folder / "result.json", "")
    files = sorted(str(path.relative_to(folder)) for path in folder.glob("candidates/*"))
    told = Counter(event["kind"] for event in load_run(folder).events.read() if "once" in event)
    records = [json.loads(path.read_bytes()) for path in sorted(folder.glob("data/candidates/*.json"))]
    found = timeless(
        {
            "status": document["status"],
            "result": document["result"],
            "files": files,
            "code": [(folder / name).read_text() for name in files],
            "records": records,
            "told": dict(told),
            "class": (folder / "feature_map.py").read_text(),
        }
    )
    place = json.dumps(str(folder.parents[1]))[1:-1]  # where the data lie
    told_anywhere: dict[str, Any] = json.loads(json.dumps(found).replace(place, ""))
    return told_anywhere


def notes(folder: Path) -> list[dict[str, Any]]:
    """What the journal's steps were, in the order in which they were begun."""
    claims = [json.loads(path.read_bytes()) for path in folder.glob("actions/*/claim.json")]
    return sorted(claims, key=lambda claim: str(claim["claimed"]))


def unfinished(folder: Path) -> list[str]:
    """Keys of journal steps that were begun and not ended."""
    return [
        path.parent.name for path in folder.glob("actions/*/claim.json") if not (path.parent / "done.json").exists()
    ]


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The log's events of one kind."""
    return [event for event in load_run(folder).events.read() if event["kind"] == kind]


def live(root: Path, more: dict[str, Any]) -> None:
    """One process of a search: it begins, or goes on with the one that is there."""
    if known := run_ids(root):
        resume(known[-1], root)
    else:
        search(root, **more)


def life(root: Path, crash_at: str, **more: Any) -> int | None:
    """The exit code of one process of a search below `root`, -9 if it was killed."""
    return lives.life(live, (root, more), crash_at, PRELOADED)
