"""What a stage costs besides device, analysis and model, and what a run's checkpoints weigh.

    python -m labwright.evaluation.benchmarks.orchestration

The real graph runs on the real checkpoint store with the rules mind. Its only experiment measures nothing and
draws nothing, so what is left is the graph, the checkpoints, the journal, the log and the policies.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.result_provenance import provenance
from labwright.graphs import checkpoints, run_context
from labwright.graphs.checkpoints import FILE
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start
from labwright.tools.atomic_files import write_atomic
from labwright.tools.runs import run
from labwright.tools.runs.events import EventLog
from labwright.tools.runs.hash_chain import Chain
from labwright.tools.runs.hashed_files import sha256_of, to_json
from labwright.tools.runs.run import open_run
from labwright.tools.runs.spending import USAGE

MILLISECONDS, MEGABYTES, SEALS = 30.0, 5.0, 3.0  # the targets: a stage, a run, what seals and chain add to a stage
EXPERIMENT = '''
from labwright.tools.experiments.base import Experiment, Report


class NothingCheck(Experiment):
    """Measures nothing."""

    name = "nothing_check"
    summary_instructions = "It always succeeds."

    def run(self, qubit: str) -> None:
        """Nothing check: measures nothing, to see what everything else costs.

        Use it to time the orchestration.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
        """
        self.remember(qubit=qubit)

    def report(self) -> Report:
        return Report("success", "nothing was measured", "Nothing was measured.")

    def plot(self) -> None:
        return None
'''


def idle_run(folder: Path, stages: int) -> Outcome:
    """A run of `stages` stages that measure nothing."""
    lab = folder / "lab"
    lab.mkdir(parents=True)
    (lab / "nothing_check.py").write_text(EXPERIMENT)
    steps = "\n".join("- Run the nothing check on 'dut'." for _ in range(stages))
    text = f"# Time the orchestration of 'dut'\n## Steps\n{steps}\n"
    return start(CalibrationRequest(text, Choices(qubits=("Q1",), lab=str(lab))), folder / "runs")


def milliseconds_a_stage(outcome: Outcome) -> list[float]:
    """Time of each stage but the first, which opens things: from its beginning to the next one's, without the agents.

    The agents' own seconds are taken off, since a policy stands here for a model.
    """
    events = open_run(outcome.run_dir.parent, outcome.run_id).events.read()
    times: list[float] = []
    begun, thought = 0.0, 0.0
    for event in events:
        if "agent" in event:
            thought += float(event["seconds"])
        if event["kind"] == "stage_started":
            now = datetime.fromisoformat(event["time"]).timestamp()
            times.append(1000 * (now - begun - thought))
            begun, thought = now, 0.0
    return times[2:]


def checkpoint_bytes(folder: Path) -> int:
    """Size of the run's checkpoint files, the write-ahead log included."""
    return sum(path.stat().st_size for path in folder.glob(f"{FILE}*"))


@contextmanager
def unsealed() -> Iterator[None]:
    """Runs whose files and events are only written: no hash, no seal, no record, no head."""

    def write(self: Chain, name: str, content: bytes, *, sync: bool = True) -> str:
        write_atomic(self.folder / name, content, sync=sync)
        return sha256_of(content)

    with ExitStack() as stack:
        for target, name, plain in (
            (Chain, "write", write),
            (Chain, "demand", lambda self, name, cure: b""),
            (Chain, "settle", lambda self: None),
            (run_context, "keep_usage", lambda folder, usage, sync=True: write(Chain(folder), USAGE, to_json(usage))),
            (run, "log_of", lambda folder, name: EventLog(folder / name)),
            (checkpoints, "Sealed", lambda thread: checkpoints.Packed()),
        ):
            stack.enter_context(mock.patch.object(target, name, plain))
        yield


def demo_run(folder: Path) -> Outcome:
    """The demo's run, without figures."""
    choices = Choices(approval="auto", answers="defaults", figures=False)
    return start(CalibrationRequest("Calibrate qubit Q1 and benchmark it", choices), folder / "runs")


def measure(folder: Path, stages: int = 40, rounds: int = 3) -> dict[str, Any]:
    """The numbers, beside their targets, as a JSON-plain result.

    The time is that of the fastest of `rounds` runs: whatever else the machine does can only add to it. What the seals
    cost is counted in processor time, with them and without them in turns; they wait for no disk.
    """
    runs, sealed, bare = [], [], []
    for number in range(rounds):  # by turns: the machine is as busy for the one as for the other
        began = time.process_time()
        runs.append(milliseconds_a_stage(idle_run(folder / f"idle{number}", stages)))
        sealed.append(1000 * (time.process_time() - began) / stages)
        with unsealed():
            began = time.process_time()
            idle_run(folder / f"bare{number}", stages)
            bare.append(1000 * (time.process_time() - began) / stages)
    times = min(runs, key=statistics.median)
    demo = demo_run(folder / "demo")
    return {
        "stages": stages,
        "rounds": rounds,
        "milliseconds_a_stage": {
            "median": round(statistics.median(times), 2),
            "largest": round(max(times), 2),
            "target": MILLISECONDS,
        },
        "seals": {
            "processor_milliseconds_a_stage": round(min(sealed), 2),
            "without_them": round(min(bare), 2),
            "difference": round(min(sealed) - min(bare), 2),
            "target": SEALS,
        },
        "demo": {
            "status": demo.status,
            "stage_runs": len(demo.result.get("stages", [])),
            "checkpoint_megabytes": round(checkpoint_bytes(demo.run_dir) / 1e6, 2),
            "target": MEGABYTES,
        },
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write the result; 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stages", type=int, default=40)
    parser.add_argument("--output", type=Path, default=FOLDER / "orchestration.json")
    given = parser.parse_args(arguments)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), given.stages)
    content = to_json({**provenance(time.perf_counter() - began), **result})
    write_atomic(given.output.absolute(), content)
    sys.stdout.write(content.decode())
    stage, demo = result["milliseconds_a_stage"], result["demo"]
    return int(
        stage["median"] >= MILLISECONDS
        or result["seals"]["difference"] >= SEALS
        or demo["checkpoint_megabytes"] >= MEGABYTES
    )


if __name__ == "__main__":
    sys.exit(main())
