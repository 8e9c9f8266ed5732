"""Which faults there are, and how one is drawn from its number."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from random import Random

from labwright.evaluation.faults.model_server import FAILURES

JUMPS = (-86400.0, -7200.0, -90.0, -1.0, 1.0, 90.0, 7200.0, 86400.0)  # s
DAMAGES = ("a flipped byte", "cut off", "emptied", "deleted")
# What a life of each kind of fault is armed with, see `children.KINDS`, and the error that the system then gives.
ARMED: dict[str, tuple[tuple[str, int], ...]] = {
    "clock": (("clock", 0), ("kill torn", 0)),
    "full disk": (("fail once", errno.ENOSPC), ("fail on", errno.ENOSPC)),
    "input/output error": (("fail once", errno.EIO), ("fail settle", errno.EIO), ("fail on", errno.EIO)),
    "kill": (("kill before", 0), ("kill after", 0), ("kill torn", 0)),
    "damaged file": (("kill after", 0), ("kill torn", 0)),
    "two workers": (("kill after", 0), ("kill torn", 0)),
}
KINDS = ("kill", "damaged file", "full disk", "clock", "damaged file", "input/output error", "kill", "two workers",
         "damaged file", "model")  # fmt: skip
# Searches and forged tasks take ten times as long as the others.
RUNS = (*("calibration", "design") * 12, "search", "forge")
BY_MODEL = ("calibration by a model", "design by a model")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault in one small run.

    Attributes:
        name: with its number, in words.
        seed: its number.
        run: which small run.
        kind: of the fault.
        armed: what the first life is armed with; empty for a model.
        error: number of the system's error.
        place: where in the run, 0 .. 1.
        step: seconds by which the clock jumps, or by which it is wrong in the first life.
        damage: what happens to a file between two lives.
        file: which of the run's files, 0 .. 1.
        byte: where in the file, 0 .. 1.
        failure: what the model server does.
        times: how many requests it hits.
    """

    name: str
    seed: int
    run: str
    kind: str
    armed: str = ""
    error: int = 0
    place: float = 0.0
    step: float = 0.0
    damage: str = ""
    file: float = 0.0
    byte: float = 0.0
    failure: str = ""
    times: int = 1


def drawn(number: int) -> Fault:
    """The fault of this number."""
    random = Random(number)
    kind = KINDS[number % len(KINDS)]
    if kind == "model":
        failure, run = random.choice(FAILURES), random.choice(BY_MODEL)
        times = random.choice((1, 2, 100))
        return Fault(
            f"{number} {kind} {failure}", number, run, kind, place=random.random(), failure=failure, times=times
        )
    armed, error = random.choice(ARMED[kind])
    damage = random.choice(DAMAGES) if kind == "damaged file" else ""
    return Fault(
        f"{number} {kind}, {damage or armed}",
        number,
        random.choice(RUNS),
        kind,
        armed,
        error,
        random.random(),
        step=random.choice(JUMPS) if kind == "clock" else 0.0,
        damage=damage,
        file=random.random(),
        byte=random.random(),
    )
