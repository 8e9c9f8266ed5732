"""Do drawn designs keep the laws? `python -m labwright.evaluation.benchmarks.protocol_laws --designs 2000`.

Writes results/protocol_laws.json.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from labwright.evaluation.committed import FOLDER
from labwright.evaluation.protocol_laws import breaches
from labwright.evaluation.random_designs import random_design
from labwright.evaluation.results import provenance
from labwright.tools.durable import write_atomic
from labwright.tools.runs.files import to_json


def measure(designs: int, seed: int = 0) -> dict[str, Any]:
    """How many of `designs` drawn designs break a law, and how."""
    broken = {}
    for number in range(designs):
        if found := breaches(random_design(random.Random(f"{seed} {number}"))):
            broken[number] = found[:3]
    return {"designs": designs, "seed": seed, "broken": len(broken), "which": broken}


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, look, write, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=FOLDER / "protocol_laws.json")
    given, began = parser.parse_args(arguments), perf_counter()
    result = measure(given.designs, given.seed)
    write_atomic(given.output.absolute(), to_json({**provenance(perf_counter() - began), **result}))
    sys.stdout.write(f"{result['designs'] - result['broken']} of {result['designs']} keep all laws\n")
    return int(result["broken"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
