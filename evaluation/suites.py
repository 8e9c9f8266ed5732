"""Which suites there are, and how to run one."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from labwright.evaluation import (
    calibration,
    chip,
    feature_maps,
    fixed_script,
    ghz,
    protocol_configurations,
    protocol_experiments,
    protocols,
    routing,
    runner,
    sizzle,
    trajectories,
    transfer,
    tuning,
    upkeep,
)
from labwright.evaluation.forge import suites as forge
from labwright.evaluation.inspection import suite as inspection
from labwright.evaluation.results import provenance
from labwright.evaluation.runner import OnProgress, Suite
from labwright.tools.durable import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.runs.files import to_json

RUN_BY_RUNNER = (
    calibration.CALIBRATION, chip.SUITE, upkeep.SUITE, calibration.SPOILT, *fixed_script.SUITES, sizzle.SUITE,
    sizzle.HARD, ghz.SUITE, inspection.SUITE, inspection.SEALED, protocols.SUITE, routing.SUITE,
    protocol_experiments.SUITE, protocol_configurations.SUITE, protocol_configurations.RETRIEVED, feature_maps.SEARCH,
    feature_maps.AUGMENTED_SEARCH, trajectories.SUITE, transfer.SUITE, tuning.SUITE,
    *forge.SUITES,
)  # fmt: skip
SUITES: dict[str, Suite | Callable[..., dict[str, Any]]] = {
    **{suite.name: suite for suite in RUN_BY_RUNNER},
    "forge-curriculum": forge.curriculum,
}


def about() -> dict[str, str]:
    """The suites, and the first sentence of what each says of itself."""
    return {name: suite.doc if isinstance(suite, Suite) else _first_line(suite) for name, suite in SUITES.items()}


def _first_line(suite: Callable[..., Any]) -> str:
    line = (inspect.getdoc(suite.func if isinstance(suite, partial) else suite) or "").partition("\n")[0]
    return line.partition(": {")[0].rstrip(".")


def takes(name: str, option: str) -> bool:
    """Whether there is a suite `name` with such an option."""
    suite = SUITES.get(name)
    if suite is None:
        return False
    return option in (suite.options if isinstance(suite, Suite) else inspect.signature(suite).parameters)


def run(name: str, *, out: Path | None = None, on_progress: OnProgress | None = None, **options: Any) -> dict[str, Any]:
    """Run the suite `name`; see `labwright.evaluation.runner.run`.

    Options that are None take the suite's default.

    Raises:
        InputError: there is no such suite, or it does not have such an option.
    """
    if name not in SUITES:
        raise InputError(f"There is no suite {name!r}. Suites are: {', '.join(SUITES)}.")
    suite, given = SUITES[name], {option: value for option, value in options.items() if value is not None}
    if isinstance(suite, Suite):
        return runner.run(suite, out=out, on_progress=on_progress, **given)
    known = inspect.signature(suite).parameters
    given |= {"out": out} if out is not None and "out" in known else {}
    if strange := sorted(given.keys() - known.keys()):
        raise InputError(f"Suite {name!r} has no option {strange[0]!r}. Options are: {', '.join(known)}.")
    began = time.monotonic()
    result = suite(**given, **({"on_progress": on_progress} if on_progress else {}))
    result = {**provenance(time.monotonic() - began), **result}
    if out is not None:
        write_atomic(out / f"{name}.json", to_json(result))
    return result
