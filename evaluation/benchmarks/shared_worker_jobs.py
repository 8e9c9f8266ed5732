"""What workers share in the benchmark: runs of all four systems, and what is compared of each."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from labwright.agents.front_desk.actions import System as Name
from labwright.evaluation.benchmarks.run_comparison import (
    broken_files,
    differences,
    first_difference,
    repeated_actions,
    witness,
)
from labwright.evaluation.faults.small_runs import RUNS
from labwright.graphs.registry import choices_type, driver
from labwright.tools.jobs import JobService, LocalRunner
from labwright.tools.liquid_handler.lsr_reader import read_lsr
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import Run, load_run

SEARCH = {"trials": 1, "ideas": 1, "qubits": 4, "features": 8, "baselines": ["rbf_default"]}
# Of every 25 runs: 12 calibrations, 7 designs, 4 searches and 2 forged tasks, spread over the queue.
MIX = "cdcscdcdcfcdcscdcdscdcfcs"
VOLATILE = ("seconds", "toolset")  # how the names of a result's wall times end, and that of a folder's path
_KEY = re.compile(r"\b[0-9a-f]{64}\b")
_REPORT_SIZE = re.compile(r"report\.md has \d+")  # a forged report tells how many seconds a script took
# artifacts that repeat the run's name or wall times; their facts stand in the result
NAMED = ("report.md", "pipeline/README.md")


@dataclass(frozen=True, slots=True)
class Job:
    """One run: its number is its seed."""

    number: int
    system: str
    text: str
    choices: dict[str, Any] = field(default_factory=dict)

    def prepare(self, root: Path) -> Run:
        """The run's folder, nothing begun."""
        return driver(self.system).prepare(self.text, self._chosen(), root, seed=self.number)

    def undisturbed(self, root: Path) -> Path:
        """The folder of a twin that this process drives from its beginning to its end."""
        return driver(self.system).start(self.text, self._chosen(), root, seed=self.number).run_dir

    def _chosen(self) -> Any:
        common = {"seed": self.number, "approval": "auto", "answers": "defaults"}
        return choices_type(cast(Name, self.system)).model_validate({**common, **self.choices})


def jobs(count: int, mix: str = MIX) -> list[Job]:
    """`count` runs of the systems that `mix` names by their first letters, over and over."""
    kinds: dict[str, tuple[str, str, dict[str, Any]]] = {
        "c": ("lab_calibration", "Calibrate qubit Q1", {}),
        "d": ("protocol_design", RUNS["design"].text, {}),
        "s": ("feature_map_search", "Find a quantum feature map for digits", SEARCH),
        "f": ("tool_forging", RUNS["forge"].text, {"mode": "direct"}),
    }
    return [Job(number, *kinds[mix[number % len(mix)]]) for number in range(count)]


def faults_of(folder: Path, twin: Path) -> list[str]:
    """Where the run in `folder` is not what nobody disturbed in `twin`, a line each."""
    run = load_run(folder)
    numbers = [event["seq"] for event in run.events.read()]
    lost = [] if numbers == list(range(1, len(numbers) + 1)) else ["events are lost or doubled"]
    once = Counter(event["once"] for event in run.events.read() if event.get("once"))
    doubled = [f"said {count} times: {name}" for name, count in once.items() if count > 1]
    if run.record.system == "lab_calibration":
        differ = differences(witness(folder), witness(twin))
    else:
        ours, theirs = facts(folder), facts(twin)
        differ = [] if ours == theirs else [first_difference(ours, theirs)]
    return [*differ, *repeated_actions(folder), *broken_files(folder), *lost, *doubled]


def facts(folder: Path) -> dict[str, Any]:
    """What a finished run of any system left, without names of runs and wall times."""
    document = read_json(folder / "result.json", "The run has not ended; resume it.")
    jobs = JobService(folder / "jobs", LocalRunner()).list() if (folder / "jobs").exists() else []
    return {
        "status": document["status"],
        "result": _steady(document["result"]),
        "files": {item["path"]: _content(folder, item) for item in document["artifacts"] if item["path"] not in NAMED},
        "jobs": [(job.name, job.state) for job in jobs],
        "said": sorted(_unnamed(event["once"]) for event in load_run(folder).events.read() if event.get("once")),
    }


def _content(folder: Path, item: dict[str, Any]) -> Any:
    """The hash of a file, or what it says where it also says when it was made."""
    path = folder / item["path"]
    if path.suffix == ".lsr":
        return read_lsr(path.read_bytes())
    if item["path"] == "pipeline/pipeline.json":  # it names the run, and the hash of a page that does
        found = read_json(path, "")
        return {**found, "data": {**found["data"], "run": ""}, "files": {**found["files"], "README.md": ""}}
    if item["path"].startswith("data/candidates/"):
        return _steady(read_json(path, ""))
    return item["sha256"]


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _steady(each) for name, each in value.items() if not name.endswith(VOLATILE)}
    if isinstance(value, list):
        return [_steady(each) for each in value]
    return _REPORT_SIZE.sub("report.md has some", value) if isinstance(value, str) else value


def _unnamed(mark: str) -> str:
    """A once-only mark without the keys of actions: they are hashes of the run's name, too."""
    return _KEY.sub("KEY", mark)
