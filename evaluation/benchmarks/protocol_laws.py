"""Do drawn designs keep the laws: `python -m labwright.evaluation.benchmarks.protocol_laws --designs 2000`."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from labwright.evaluation.protocol_laws import breaches
from labwright.evaluation.random_designs import random_design


def measure(designs: int, seed: int = 0) -> dict[str, Any]:
    """How many of `designs` drawn designs break a law, and how."""
    began = perf_counter()
    broken = {}
    for number in range(designs):
        if found := breaches(random_design(random.Random(f"{seed} {number}"))):
            broken[number] = found[:3]
    seconds = round(perf_counter() - began, 1)
    return {"designs": designs, "seed": seed, "broken": len(broken), "which": broken, "seconds": seconds}


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, look, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    result = measure(given.designs, given.seed)
    sys.stdout.write(json.dumps(result, indent=1) + "\n")
    return int(result["broken"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
