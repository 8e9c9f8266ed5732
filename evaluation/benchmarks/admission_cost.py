"""What an admission costs, on the clock, in the check `use` and of the processor, of eight good tools; and a call."""

from __future__ import annotations

import resource
import statistics
import sys
import time

from labwright.evaluation.forge.attacks import GOOD, read_attack
from labwright.tools.forge.calls.call_processes import Servers
from labwright.tools.forge.gate import GateBench
from labwright.tools.sandbox import Sandbox, open_sandbox

CALLS = 400
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


def _say_calls(sandbox: Sandbox) -> None:
    """What a call of a tool costs once its server stands: medians of the clock, and processor time."""
    source = read_attack(GOOD / NAMES[0]).source
    fields = {"receptor_total": 1.0, "ligand_total": [1.5], "dissociation_constant": 0.5}
    texts = {"tools.binding_isotherm": source}
    request = {"ask": "call", "module": "tools.binding_isotherm", "texts": texts, "data": fields, "files": []}
    spent, servers, clock = _spent(), Servers(sandbox), list[float]()
    for _ in range(CALLS + 1):
        began = time.monotonic()
        servers.ask(request)
        clock.append(time.monotonic() - began)
    servers.close()
    processor = (_spent() - spent) / CALLS
    sys.stdout.write(f"start and first call {clock[0]:.2f} s; a call {1e3 * statistics.median(clock[1:]):.1f} ms")
    sys.stdout.write(f" (median of {CALLS}), processor {1e3 * processor:.1f} ms with the start\n")


def main() -> None:
    """Print one line a tool, and the means."""
    sandbox, rows = open_sandbox(), list[tuple[float, float, float]]()
    for name in NAMES:
        began, spent = time.monotonic(), _spent()
        with GateBench(sandbox) as gate:  # one each: its processes count once they have ended
            report = gate.report(read_attack(GOOD / name))
        rows.append((time.monotonic() - began, report.seconds.get("use", 0.0), _spent() - spent))
        _say(name, *rows[-1])
    _say_calls(sandbox)
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    _say("mean", *means)


if __name__ == "__main__":
    main()
