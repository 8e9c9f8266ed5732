"""References that take minutes: made once by a command, committed as ``<name>.json``, and tested against quick limits.

``python -m labwright.evaluation.forge.references.slow_references hubbard fmo`` makes them anew.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from labwright.evaluation.forge.references.hubbard import longer, typical
from labwright.evaluation.forge.references.open_systems import FMO, heom_populations

FOLDER = Path(__file__).parent
FMO_DEPTH = 3  # depth 2 differs from it by at most 0.024 at 300 K and 0.004 at 77 K


def hubbard() -> dict[str, Any]:
    """Ten sites, U = 4, half filling: averages a site against beta, with free and with fixed numbers of electrons."""
    betas = [0.25 * k for k in range(9)]
    table: dict[str, Any] = {"beta": betas, "sites": 10, "u": 4.0}
    grand = [longer(10, 4.0, beta, 2.0) for beta in betas]
    for ensemble, found in (
        ("grand", grand),
        ("canonical", typical(10, 4.0, betas, canonical=True, vectors=40)),
    ):
        table[ensemble] = {
            name: [round(getattr(one, name), 5) for one in found] for name in ("energy", "density", "double")
        }
    return table


def fmo() -> dict[str, Any]:
    """Populations of the Fenna-Matthews-Olson complex every 10 fs, two Matsubara terms, without and with terminator."""
    times = np.arange(0.0, 1001.0, 10.0)
    table: dict[str, Any] = {"time": times.tolist(), "depth": FMO_DEPTH, "terms": 2}
    for temperature in (300, 77):
        for terminator in (False, True):
            bath = (35.0, 50.0, float(temperature), FMO_DEPTH, 2)
            populations = heom_populations(FMO, *bath, times, terminator=terminator)
            name = f"{temperature} terminated" if terminator else str(temperature)
            table[name] = np.round(populations, 5).tolist()
    return table


@cache
def read(name: str) -> dict[str, Any]:
    """A committed table."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        made = {"hubbard": hubbard, "fmo": fmo}[wanted]()
        (FOLDER / f"{wanted}.json").write_text(json.dumps(made) + "\n", encoding="utf-8")
        sys.stderr.write(f"{wanted}\n")
