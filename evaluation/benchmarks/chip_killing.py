"""Kill the bring-up of a whole chip with SIGKILL again and again, resume it, and compare it with its undisturbed twin.

python -m labwright.evaluation.benchmarks.chip_killing            # sixteen qubits, three kills, about 10 minutes
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from labwright.evaluation.benchmarks.killing import Case, Job, Life, disturbed, forked_life, undisturbed
from labwright.evaluation.committed import FOLDER
from labwright.evaluation.results import provenance
from labwright.tools.durable import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.runs.files import to_json

TEXT = "Bring up the chip"
MARGIN = 0.9  # of the undisturbed time that all kills lie in


def whole_chip(text: str = TEXT, seed: int = 3) -> Job:
    """All qubits of a drawn chip, unattended and without figures."""
    choices = {"seed": seed, "device_options": {"device": f"grid:{seed}"}, "approval": "auto", "answers": "defaults"}
    return Job(text, {**choices, "figures": False})


def moments(seconds: float, kills: int, seed: int) -> tuple[float, ...]:
    """Lengths of life, s, of the processes that are killed: one in each equal part of the run, at a random place."""
    rng, share = random.Random(seed), MARGIN * seconds / kills
    ends = [(number + rng.uniform(0.3, 1.0)) * share for number in range(kills)]
    return tuple(end - before for end, before in zip(ends, [0.0, *ends[:-1]], strict=True))


def measure(
    job: Job, folder: Path, kills: int, say: Callable[[str], None], life: Life = forked_life, seed: int = 7
) -> dict[str, Any]:
    """The undisturbed run and one that is killed `kills` times, below `folder`, as a JSON-plain result."""
    expected, seconds = undisturbed(job, folder / "undisturbed", life)
    say(f"undisturbed: {expected.status}, {len(expected.acquisitions)} acquisitions, {seconds:.0f} s")
    if not expected.acquisitions:
        raise InputError(f"The undisturbed run measured nothing and ended {expected.status}. Mend that first.")
    delays = moments(seconds, kills, seed)
    row = disturbed(job, Case(f"{kills} moments", delays=delays), folder / "killed", expected, life)
    say(f"killed {row.kills} times: {row.lives} lives, {row.acquisitions} acquisitions, {row.faults or 'equal'}")
    passed = sum(bool(entry["after"]) for entry in expected.settings.values())
    return {
        "request": job.text,
        "choices": job.choices,
        "status": expected.status,
        "qubits": passed,
        "undisturbed_seconds": round(seconds, 1),
        "stage_runs": len(expected.stages),
        "acquisitions": len(expected.acquisitions),
        "delays": [round(delay, 1) for delay in delays],
        **asdict(row),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it, print what came of it, write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", default=TEXT)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--output", type=Path, default=FOLDER / "chip_killing.json")
    given = parser.parse_args(arguments)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(whole_chip(given.text, given.seed), Path(folder), given.kills, _say)
    write_atomic(given.output.absolute(), to_json({**provenance(time.perf_counter() - began), **result}))
    _say(f"written to {given.output}")
    return int(bool(result["faults"]))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
