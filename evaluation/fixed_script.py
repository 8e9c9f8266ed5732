"""Baselines `fixed_script` and `expert_script`: the experiments in a fixed order; no result is inspected.

Same experiments, fits and gates on updates, same devices and criteria as the suite `calibration`. What they lack is
what the agents add: nothing is inspected, repeated, changed or done again. The fixed script plays each experiment once,
beginning with the procedure's first Ramsey. The expert script was written for this evaluation's devices: its sweeps
suit every drawn start, and it plays the second ping-pong and the long Ramsey without being asked.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from labwright.evaluation.case import QUBIT, Case, drawn_cases
from labwright.evaluation.reading import read_device, start_ratio
from labwright.evaluation.row import COLUMNS, row_of, summarise
from labwright.evaluation.runner import Context, Options, Row, RunCase, Suite
from labwright.evaluation.scoring import Ended, case_faults
from labwright.tools.experiments import registry
from labwright.tools.experiments.base import Report
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import perform
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.opening import open_device

Script = tuple[tuple[str, dict[str, Any]], ...]
BENCHMARK: Script = (("t1", {}), ("spin_echo", {}), ("single_qubit_rb", {}))
SCRIPTS: dict[str, Script] = {
    "fixed_script": (
        ("ramsey", {"offset": 3.0, "stop": 0.5}),
        ("rabi", {}),
        ("amplitude_pingpong", {}),
        ("drag_calibration", {}),
        *BENCHMARK,
    ),
    "expert_script": (
        ("ramsey", {"offset": 5.0, "stop": 2.0}),
        ("rabi", {}),
        ("amplitude_pingpong", {}),
        ("drag_calibration", {}),
        ("amplitude_pingpong", {}),
        ("ramsey", {"offset": 0.1, "stop": 50.0}),
        *BENCHMARK,
    ),
}


def play(case: Case, context: Context, script: str) -> Row:
    """Play a script on one device and judge what it left."""
    begun, folder = time.monotonic(), context.folder
    device = open_device("simulated", folder / "device", case.seed, case.options)
    try:
        said = _played(device, SCRIPTS[script])
    finally:
        device.close()
    seconds = time.monotonic() - begun
    true, spent = read_device(folder / "device", case.seed, case.options, QUBIT)
    runs = dict(Counter(name for name, _ in SCRIPTS[script]))
    faults = case_faults(case.causes, said, true)
    row = row_of(case, said, true, start_ratio(case.options, QUBIT), spent, runs, faults)
    return {**row, "wall_seconds": round(seconds, 2)}


def _played(device: Device, script: Script) -> Ended:
    """What the script says of itself: it always believes that it is done."""
    known: dict[str, float] = {}
    last: Report | None = None
    for step, (name, arguments) in enumerate(script):
        kind = registry.experiments()[name]
        accepted = {parameter.name for parameter in registry.card(kind).parameters}
        given = {key: value for key, value in known.items() if key in accepted}
        call = ExperimentCall(name, {"qubit": QUBIT, **arguments, **given})
        last = perform(kind, call, device, f"script.{step}").report
        known |= last.variables
    assert last is not None
    error, limit = last.estimates.get("error_per_gate"), last.estimates.get("limit_error_per_gate")
    return Ended(
        status="complete",
        rb_error=error.value if error else None,
        rb_std=error.error if error else None,
        measured_limit=limit.value if limit else None,
    )


def beside(options: Options) -> Mapping[str, RunCase]:
    """Both scripts as baselines of another suite, unless it is to run without."""
    return {name: partial(play, script=name) for name in SCRIPTS} if options["baseline"] else {}


SUITES = tuple(
    Suite(
        name=name,
        doc=f"Baseline `{name}` alone, on the devices of `calibration`",
        cases=drawn_cases,
        run=partial(play, script=name),
        options={"seeds": 20, "first": 0},
        summarise=summarise,
        columns=COLUMNS,
        workers=2,
    )
    for name in SCRIPTS
)
