"""Which suites there are, and how to run one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
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
    sizzle,
    spoilt,
    trajectories,
    transfer,
    tuning,
    upkeep,
)
from labwright.evaluation.forge import suites as forge
from labwright.evaluation.forge.tasks import expected_sets
from labwright.evaluation.inspection import suite as inspection
from labwright.tools.errors import InputError

SUITES: dict[str, Callable[..., dict[str, Any]]] = {
    "calibration": calibration.run,
    "chip": chip.run,
    "upkeep": upkeep.run,
    "spoilt": spoilt.run,
    "fixed_script": fixed_script.run,
    "expert_script": partial(fixed_script.run, script="expert_script"),
    "sizzle": sizzle.run,
    "sizzle-hard": partial(sizzle.run, first=0, kind="hard_pair"),
    "ghz": ghz.run,
    "inspection": inspection.run,
    "inspection-sealed": inspection.run_sealed,
    "protocols": protocols.run,
    "routing": routing.run,
    "protocol_experiments": protocol_experiments.run,
    "protocol_configurations": protocol_configurations.run,
    "protocol_configurations_retrieved": partial(protocol_configurations.run, retrieve=3),
    "search": feature_maps.run,
    "search_augmented": feature_maps.run_augmented,
    "search_trajectories": trajectories.run,
    "search_transfer": transfer.run,
    "search_tuning": tuning.run,
    "forge-dynamics": forge.dynamics,
    "forge-chemistry": forge.chemistry,
    "forge-studies": forge.studies,
    "forge-open": forge.open_tasks,
    "forge-curriculum": forge.curriculum,
    "forge-sealed": forge.sealed,
    **{f"forge-{name}": partial(forge.expected, name) for name in expected_sets()},
}


def about() -> dict[str, str]:
    """The suites, and the first sentence of what each says of itself."""
    functions = {name: suite.func if isinstance(suite, partial) else suite for name, suite in SUITES.items()}
    lines = {name: (inspect.getdoc(suite) or "").partition("\n")[0] for name, suite in functions.items()}
    return {name: line.partition(": {")[0].rstrip(".") for name, line in lines.items()}


def run(name: str, **options: Any) -> dict[str, Any]:
    """Run the suite `name`: {suite, n, score, interval, rows, ...}.

    Options that are None take the suite's default; a suite that is done at once has nobody to tell its progress.

    Raises:
        InputError: there is no such suite, or it does not have such an option.
    """
    if name not in SUITES:
        raise InputError(f"There is no suite {name!r}. Suites are: {', '.join(SUITES)}.")
    suite = SUITES[name]
    given = {option: value for option, value in options.items() if value is not None}
    known = inspect.signature(suite).parameters
    if "on_progress" not in known:
        given.pop("on_progress", None)
    if strange := sorted(given.keys() - known.keys()):
        raise InputError(f"Suite {name!r} has no option {strange[0]!r}. Options are: {', '.join(known)}.")
    return suite(**given)
