"""Seconds to plan, check and write 96 vials of 12 chemicals: `python -m labwright.evaluation.benchmarks.protocols`."""

from __future__ import annotations

import json
import sys
from time import perf_counter

from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.liquid_handler.protocol import Made, make_protocol

SALTS = (
    "sodium chloride", "potassium chloride", "sodium bromide", "potassium bromide", "sodium iodide",
    "potassium iodide", "sodium nitrate", "ammonium chloride", "glucose", "sucrose", "urea",
)  # fmt: skip


def big_design(vials: int = 96) -> ExperimentDesign:
    """Eleven stocks and water; every amount differs from vial to vial."""
    factors = [
        {"name": f"c{index}", "levels": [f"{10 + 0.1 * ((7 * vial + 13 * index) % 97):g} mM" for vial in range(vials)]}
        for index in range(len(SALTS))
    ]
    doses = [
        {"substance": salt, "kind": "molarity", "factor": f"c{index}", "via": f"{salt} stock"}
        for index, salt in enumerate(SALTS)
    ]
    stocks = [
        {"name": f"{salt} stock", "solute": salt, "solvent": "water", "concentration": "1 M", "basis": "M"}
        for salt in SALTS
    ]
    group = {
        "factors": factors,
        "combine": "zip",
        "doses": [*doses, {"substance": "water", "kind": "remainder"}],
        "total_volume": "0.8 mL",
    }
    chemicals = [{"name": name} for name in (*SALTS, "water")]
    conditions = [{"kind": "wait", "time": "10 min"}]
    document = {"chemicals": chemicals, "stocks": stocks, "groups": [group], "conditions": conditions}
    return ExperimentDesign.model_validate(document)


def measure(repeats: int = 5) -> dict[str, float | int]:
    """The best and the first of a few repeats, in seconds."""
    design, seconds = big_design(), []
    made = None
    for _ in range(repeats):
        start = perf_counter()
        made = make_protocol(design)
        seconds.append(perf_counter() - start)
    if not isinstance(made, Made) or made.blocked:
        raise RuntimeError("The benchmark's design must give a clean protocol.")
    return {
        "vials": len(made.amounts.vials),
        "chemicals": len(made.protocol.sources),
        "best_seconds": min(seconds),
        "first_seconds": seconds[0],
        "file_bytes": len(made.file),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(), indent=1) + "\n")
