"""Seconds to plan, check and write 96 vials of 12 chemicals: `python -m labwright.evaluation.benchmarks.protocols`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.liquid_handler.protocol import Made, make_protocol
from labwright.tools.liquid_handler.writing import write

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
    """The best and the first of a few repeats, in seconds, and the best in seconds of processor time.

    Everything but the figure: amounts, layout, steps, checks, both files of the robot, report and tables.
    """
    design, seconds, processor = big_design(), [], []
    made = None
    for _ in range(repeats):
        start, started = perf_counter(), process_time()
        made = make_protocol(design)
        if isinstance(made, Made):
            with TemporaryDirectory() as folder:
                write(made, Path(folder), figure=False)
        seconds.append(perf_counter() - start)
        processor.append(process_time() - started)
    if not isinstance(made, Made) or made.blocked:
        raise RuntimeError("The benchmark's design must give a clean protocol.")
    return {
        "vials": len(made.amounts.vials),
        "chemicals": len(made.protocol.sources),
        "best_seconds": min(seconds),
        "first_seconds": seconds[0],
        "best_processor_seconds": min(processor),
        "file_bytes": len(made.file),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(), indent=1) + "\n")
