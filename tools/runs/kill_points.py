"""Named places where a test can kill the process, to prove that a run survives it."""

from __future__ import annotations

import os
import signal
from collections import Counter

VARIABLE = "LABWRIGHT_CRASH_AT"
POINTS = ("after_claim", "after_act", "after_data", "after_done", "after_writes", "after_checkpoint")

_passed: Counter[str] = Counter()


def crash_point(name: str) -> None:
    """Kill this process (SIGKILL) if ``LABWRIGHT_CRASH_AT`` is `name`, or ``name:k`` at the k-th passage.

    Passages are counted in this process, from 1. Without the variable this costs one look-up.
    """
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        return
    _passed[name] += 1
    place, _, occurrence = wanted.partition(":")
    if place == name and _passed[name] == int(occurrence or 1):
        # SIGKILL, not an exception: nothing may be flushed, closed or cleaned up, as in a power cut.
        os.kill(os.getpid(), signal.SIGKILL)
