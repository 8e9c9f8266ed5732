"""What a chip costs against its size: wall and processor time, memory, device time and checkpoints.

    python -m labwright.evaluation.benchmarks.chip_size --sides 2 4 8 12

Square lattices of up to 144 qubits are brought up from one sentence, by rules and without figures, each in a process of
its own. A size that is done is in the result at once; the figure is drawn from the result. The slope is that of the
logarithms: 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import LogLocator

from labwright.evaluation.case import Case
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.result_provenance import provenance
from labwright.evaluation.unattended_calibration import started
from labwright.graphs.checkpoints import FILE
from labwright.tools.atomic_files import write_atomic
from labwright.tools.experiments.figures import BLUE, figure
from labwright.tools.runs.hashed_files import to_json

FIGURE = Path(__file__).resolve().parents[2] / "docs" / "figures" / "growth.png"
SHOWN = {
    "processor_seconds": "processor time (s)",
    "memory_megabytes": "memory, largest (MB)",
    "device_seconds": "device time (s)",
    "checkpoint_megabytes": "checkpoints (MB)",
}


def brought_up(side: int, folder: Path) -> dict[str, Any]:
    """One chip of `side` times `side` qubits; for a process of its own, whose memory is the chip's."""
    began, before = time.perf_counter(), time.process_time()
    case = Case("grid", 0, {"device": f"grid:0:{side}"}, "Bring up the chip")
    outcome = started(case, folder, "rules")
    own = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "qubits": side**2,
        "status": outcome.status,
        "complete": sum(each["status"] == "complete" for each in outcome.result["qubits"].values()),
        "rounds": len(outcome.result["rounds"]),
        "wall_seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(time.process_time() - before, 1),
        "load": round(os.getloadavg()[1], 1),
        "memory_megabytes": round(own.ru_maxrss / 1024, 1),
        "device_seconds": round(outcome.result["device_seconds"], 1),
        "acquisitions": outcome.result["acquisitions"],
        "checkpoint_megabytes": round((outcome.run_dir / FILE).stat().st_size / 1e6, 2),
    }


def slope(rows: Sequence[dict[str, Any]], name: str) -> float:
    """How a cost grows with the qubits; 1 is linear."""
    x, y = (np.log([row[key] for row in rows]) for key in ("qubits", name))
    return round(float(np.polyfit(x, y, 1)[0]), 2)


def draw(result: dict[str, Any], path: Path) -> None:
    """A panel a cost, both axes logarithmic, with a straight line of slope 1 through the smallest chip."""
    rows = result["rows"]
    made, axes = figure("", 2, 2, sharex=True)
    x = np.array([row["qubits"] for row in rows], dtype=float)
    for axis, (name, label) in zip(axes, SHOWN.items(), strict=True):
        y = np.array([row[name] for row in rows])
        axis.plot(x, y[0] * x / x[0], "--", color="0.6", linewidth=1, label="linear")
        axis.plot(x, y, "o-", color=BLUE, label=f"slope {result['slopes'][name]:g}")
        axis.set(xscale="log", yscale="log", ylabel=label)
        axis.set_xticks(x, [f"{n:.0f}" for n in x])
        axis.minorticks_off()
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter("{x:g}")
        axis.legend(frameon=False, fontsize=9)
    for axis in axes[2:]:
        axis.set_xlabel("qubits")
    made.savefig(path, dpi=150)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the sizes, write the result after each, draw; 1 if a chip was not brought up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sides", type=int, nargs="+", choices=range(2, 13), default=[2, 4, 8, 12])
    parser.add_argument("--one", action="store_true", help="measure one size in this process, and print it")
    parser.add_argument("--output", type=Path, default=FOLDER / "growth.json")
    given = parser.parse_args(arguments)
    if given.one:
        with tempfile.TemporaryDirectory() as folder:
            sys.stdout.write(json.dumps(brought_up(given.sides[0], Path(folder))) + "\n")
        return 0
    rows: list[dict[str, Any]] = []
    began, head = time.perf_counter(), provenance(0.0)
    for side in given.sides:
        command = [sys.executable, "-m", "labwright.evaluation.benchmarks.chip_size", "--one", "--sides", str(side)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows.append(json.loads(said.splitlines()[-1]))
        sys.stdout.write(said)
        slopes = {name: slope(rows, name) for name in SHOWN} if len(rows) > 1 else {}
        result = {**head, "seconds": round(time.perf_counter() - began, 1), "slopes": slopes, "rows": rows}
        write_atomic(given.output.absolute(), to_json(result))
    if len(rows) > 1:
        draw(result, FIGURE)
    return int(any(row["complete"] < row["qubits"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
