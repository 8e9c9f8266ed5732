"""``labwright eval all``: every suite that needs no model and no data of others, and every recorded suite, on one page.

Rows of a case and seed that the committed result has, too, are compared with it: whether they come out the same today.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from labwright.agents.recordings.manifest import load_manifest
from labwright.evaluation import suites
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.reproduce import RESULT, recorded_result, reproduce, run_suite
from labwright.evaluation.result_comparison import compare, read_result
from labwright.evaluation.result_provenance import provenance
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import to_json

PAGE = "page.md"
RECORDINGS = FOLDER.parent / "recordings"
SEALED = ("arena", "diagnosis")
# Suite -> its options in the small pass, which takes the whole under a quarter of an hour on two cores.
SMALL: dict[str, dict[str, Any]] = {
    "arena": {"seeds": 2},
    "diagnosis": {"seeds": 3},
    "adversarial": {"seeds": 2},
    "coverage": {"seeds": 200, "experiment": ("t1", "ramsey", "spin_echo")},
    "offers": {},
    "chip": {"seeds": 1},
    "offsets": {"seeds": 1, "limit": 6},
    "ghz": {"seeds": 1},
    "inspection": {"share": 0.1},
    "checks": {"seeds": 3},
    "protocol_experiments": {},
    "search_splits": {"seeds": 2, "dataset": ("iris",)},
    "forge-dynamics": {"repeats": 1, "limit": 3},
    "faults": {"seeds": 6},
}
# Suite -> why neither pass runs it.
ELSEWHERE = {
    "arena-models": "needs a model", "desk": "needs a model", "plans": "needs a model",
    "forge-texts": "needs a model", "protocols": "needs a model and --data",
    "search_wishes": "needs a model and --data",
    "qml-benchmarks": "needs --data", "bioprobench": "needs a model and --data",
    "qiskit-humaneval": "needs a model and --data",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One suite on the page. `then` is its committed result; `same` of `shared` rows came out as they had."""

    name: str
    now: Mapping[str, Any]
    then: Mapping[str, Any]
    shared: int
    same: int
    seconds: float

    def cells(self) -> list[str]:
        """As the page shows it."""
        then = f"{_score(self.then)}; {self.then.get('date', '')}, {self.then.get('commit', '')}" if self.then else "-"
        same = f"{self.same} of {self.shared}" if self.shared else "-"
        return [f"`{self.name}`", _score(self.now), then, same, f"{self.seconds:.0f}"]


def run_all(out: Path, small: bool, workers: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Run all, each with its rows and result below `out`, and write ``page.md`` and ``page.json`` there.

    Args:
        out: where an interrupted pass goes on, too.
        small: a few cases of each suite; else all, which takes hours.
        workers: processes of the suites whose cases do not follow one another.
        tell: gets one line a finished case.

    Raises:
        InputError: a suite stopped; what is done is kept in `out`.
    """
    chosen = SMALL if small else {name: {} for name in suites.SUITES if name not in ELSEWHERE}
    begun, lines = time.monotonic(), []
    for name, options in chosen.items():
        if name in SEALED:  # the devices of the committed table, whose secret is public by now
            write_atomic(out / "arena.secret", str(committed(name)["secret"]).encode())
        given: dict[str, Any] = options if suites.SUITES[name].in_order else {**options, "workers": workers}
        run = partial(run_suite, name, out=out, on_progress=tell, **given)
        lines.append(_line(name, committed(name), run))
    for folder in sorted(path.parent for path in RECORDINGS.rglob("manifest.json")):
        if (manifest := load_manifest(folder)).suite and (folder / RESULT).exists():
            where = out / "replayed" / folder.name
            run = partial(reproduce, manifest, suites.run, f"replay:{folder}", out=where, on_progress=tell)
            lines.append(_line(f"{manifest.suite}, replayed", recorded_result(folder), run))
    document = {**provenance(time.monotonic() - begun), "lines": [line.cells() for line in lines]}
    write_atomic(out / "page.json", to_json(document))
    write_atomic(out / PAGE, page(document).encode())
    return document


def committed(name: str) -> dict[str, Any]:
    """The committed result of a suite; empty if there is none with rows."""
    for path in (FOLDER / f"{name}.json", FOLDER / f"{name.replace('-', '_')}.json"):
        if path.exists():
            found = read_result(path)
            return found if all("case" in row and "passed" in row for row in found["rows"]) else {}  # of older form
    return {}


def page(document: Mapping[str, Any]) -> str:
    """The pass in Markdown."""
    head = (
        f"{document['date']}, commit {document['commit']}, {document['seconds'] / 60:.1f} min on"
        f" {document['cores']} cores, Python {document['python']}.",
        "",
        "| suite | now: right of how many (95 %) | committed | rows that came out the same | s |",
        "|---|---|---|---|---:|",
    )
    rows = [f"| {' | '.join(cells)} |" for cells in document["lines"]]
    not_run = ", ".join(f"`{name}` ({why})" for name, why in ELSEWHERE.items())
    return "\n".join(["# Every suite, once", "", *head, *rows, "", f"Not run: {not_run}.", ""])


def _line(name: str, then: Mapping[str, Any], run: Callable[[], dict[str, Any]]) -> Line:
    begun, now = time.monotonic(), run()
    if now.get("stopped"):
        raise InputError(f"Stopped at {name}. The same command goes on.")
    found: dict[str, Any] = compare(then, now) if then and now["rows"] else {"n": 0, "crashed": [], "changed": []}
    shared = found["n"] + len(found["crashed"])
    same = shared - len(found["changed"]) - len(found["crashed"])
    return Line(name, now, then, shared, same, time.monotonic() - begun)


def _score(result: Mapping[str, Any]) -> str:
    if result.get("score") is None:
        return "-"
    low, high = result["interval"]
    crashed = f", {result['crashed']} crashed" if result.get("crashed") else ""
    return f"{result['score'] * result['n']:.4g} of {result['n']} ({low:.2f} to {high:.2f}){crashed}"
