"""Whether dangerous mixtures ask for a named person and harmless ones do not.

`python -m labwright.evaluation.benchmarks.protocol_safety` writes results/protocol_safety.json: pairs of real
substances over all pairs of groups of the chart, and the mixtures of ``cases/protocol_mixtures.csv``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.protocol_safety import Outcome, drawn, listed, written
from labwright.evaluation.result_provenance import provenance
from labwright.tools.atomic_files import write_atomic
from labwright.tools.runs.hashed_files import to_json

SHOWN = 20  # wrong ones on the screen; the file has all


def counted(outcomes: list[Outcome]) -> dict[str, Any]:
    """How many were stopped, and those that went the other way."""
    wrong = [{"contents": one.contents, "why": one.why, "found": [h.text for h in one.found if h.person]}
             for one in outcomes if not one.right]  # fmt: skip
    return {"n": len(outcomes), "stopped": sum(one.stopped for one in outcomes), "wrong": wrong}


def main(argv: Sequence[str] | None = None) -> int:
    """Run it and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of-each", type=int, default=1000, help="substances a group at most; all by default")
    parser.add_argument("--seed", type=int, default=0)
    options, begun = parser.parse_args(argv), perf_counter()
    dangerous, harmless, uncovered = drawn(options.of_each, options.seed)
    beforehand, published = written(), listed()
    result: dict[str, dict[str, Any]] = {
        "pairs": {"dangerous": counted(dangerous), "harmless": counted(harmless), "cells not covered": uncovered},
        "mixtures": {
            expected: counted([one for one in beforehand if one.expected == expected]) for expected in ("stop", "pass")
        },
        "list": {"stop": counted(published)},
    }
    for name, part in (("pairs", "dangerous"), ("pairs", "harmless"), ("mixtures", "stop"), ("mixtures", "pass"),
                       ("list", "stop")):  # fmt: skip
        found = result[name][part]
        lines = [f"{name:9} {part:10} {found['stopped']:6} of {found['n']:6} stopped"]
        lines += [f"    {one['contents']}: {' '.join(one['found'])[:110]}" for one in found["wrong"][:SHOWN]]
        sys.stdout.write("\n".join(lines) + "\n")
    options_used = {"of_each": options.of_each, "seed": options.seed}
    kept = {"benchmark": "protocol_safety", **provenance(perf_counter() - begun), **options_used, **result}
    write_atomic(FOLDER / "protocol_safety.json", to_json(kept))
    share = result["pairs"]["harmless"]["stopped"] / max(1, result["pairs"]["harmless"]["n"])
    return int(bool(result["pairs"]["dangerous"]["wrong"] or uncovered or share > 0.03))


if __name__ == "__main__":
    sys.exit(main())
