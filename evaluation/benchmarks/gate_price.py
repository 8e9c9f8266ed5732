"""What an admission costs: seconds on the clock, those of the check `use`, and processor time, of eight good tools."""

from __future__ import annotations

import resource
import sys
import time

from labwright.evaluation.forge.attacks import GOOD, read_attack
from labwright.tools.forge.gate import GateBench
from labwright.tools.sandbox import open_sandbox

NAMES = (
    "binding_isotherm",
    "bit_flip_counts",
    "clebsch_gordan_table",
    "hopping_current",
    "photon_counts",
    "quasienergy_ladder",
    "spectral_lines",
    "stabiliser_syndrome",
)


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _say(name: str, clock: float, use: float, processor: float) -> None:
    sys.stdout.write(f"{name:24} {clock:6.1f} s, use {use:5.1f} s, processor {processor:5.2f} s\n")


def main() -> None:
    """Print one line a tool, and the means."""
    sandbox, rows = open_sandbox(), list[tuple[float, float, float]]()
    for name in NAMES:
        began, spent = time.monotonic(), _spent()
        with GateBench(sandbox) as gate:  # one each: its processes count once they have ended
            report = gate.report(read_attack(GOOD / name))
        rows.append((time.monotonic() - began, report.seconds.get("use", 0.0), _spent() - spent))
        _say(name, *rows[-1])
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    _say("mean", *means)


if __name__ == "__main__":
    main()
