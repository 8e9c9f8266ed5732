"""A suite of small cases that leave a mark each time they run; some crash, are slow, or kill their process."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labwright.evaluation import runner
from labwright.evaluation.runner import Context, Options, Row, Suite


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    seed: int = 0


def cases(options: Options) -> list[Case]:
    return [Case(f"case {number}", seed) for number in range(options["n"]) for seed in range(options["seeds"])]


def mark(case: Case, context: Context) -> Row:
    with Path(str(context.options["marks"])).open("a") as file:
        file.write(f"{case.name} {case.seed}\n")
    number = int(case.name.split()[1])
    time.sleep(context.options["wait"])
    if number == context.options["crash"]:
        raise ZeroDivisionError("no such number")
    if number == context.options["die"]:
        os.kill(os.getpid(), signal.SIGKILL)
    if list(context.folder.iterdir()):
        raise RuntimeError("the folder holds something of an earlier try")
    (context.folder / "kept.txt").write_text(case.name)
    return {"passed": number % 3 != 0, "faults": "divisible by 3", "value": 0.5 * number + case.seed}


def always(case: Case, context: Context) -> Row:
    return {"passed": True, "faults": ""}


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    return {"total": sum(row["value"] for row in rows), "others": sorted(context.beside)}


SUITE = Suite(
    name="small",
    doc="Small cases",
    cases=cases,
    run=mark,
    options={"n": 6, "seeds": 1, "marks": os.devnull, "wait": 0.0, "crash": -1, "die": -1, "mind": None},
    chooses=("n", "seeds", "wait", "crash", "die"),
    summarise=summarise,
    beside=lambda options: {"always": always},
    columns=("case", "passed"),
    required=0.5,
)

if __name__ == "__main__":  # a program of its own, to be killed: folder, marks, workers
    runner.run(SUITE, out=Path(sys.argv[1]), workers=int(sys.argv[3]), n=40, marks=sys.argv[2], wait=0.05)
