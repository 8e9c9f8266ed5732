"""Which suites there are, and how to run one."""

from __future__ import annotations

from typing import Any

from labwright.evaluation import (
    adversarial_experiments,
    bioprobench,
    chip,
    desk,
    desk_offers_without_model,
    digits_search,
    error_bar_coverage,
    frequency_offsets,
    ghz_preparation,
    plan_mutants,
    plan_reading,
    protocol_experiment_suite,
    protocol_text_suite,
    qiskit_humaneval,
    qml_benchmarks,
    runner,
    search_requests,
    search_splits,
    sizzle,
    upkeep,
)
from labwright.evaluation.arena import double_fault_diagnosis
from labwright.evaluation.arena import suite as arena
from labwright.evaluation.faults import suite as faults
from labwright.evaluation.forge import suites as forge
from labwright.evaluation.forge import text_tasks
from labwright.evaluation.inspection import suite as inspection
from labwright.evaluation.runner import Suite
from labwright.tools.errors import InputError

ALL = (
    arena.SUITE, arena.MODELS, double_fault_diagnosis.SUITE,
    adversarial_experiments.SUITE, error_bar_coverage.SUITE, desk.MESSAGES, desk_offers_without_model.SUITE,
    chip.SUITE, upkeep.SUITE, frequency_offsets.SUITE,
    sizzle.SUITE, sizzle.STRONG, ghz_preparation.SUITE, inspection.SUITE, inspection.SEALED,
    plan_mutants.SUITE, plan_reading.SUITE,
    protocol_experiment_suite.SUITE, protocol_text_suite.SUITE, digits_search.SEARCH,
    bioprobench.SUITE, qiskit_humaneval.SUITE, qml_benchmarks.SUITE, search_splits.SUITE,
    search_requests.SUITE,
    *forge.SUITES, text_tasks.SUITE, faults.SUITE,
)  # fmt: skip
SUITES: dict[str, Suite] = {suite.name: suite for suite in ALL}


def about() -> dict[str, str]:
    """The suites, and what each says of itself."""
    return {name: suite.doc for name, suite in SUITES.items()}


def run(name: str, **options: Any) -> dict[str, Any]:
    """Run the suite `name`; options that are None take its default. See `labwright.evaluation.runner.run`.

    Raises:
        InputError: there is no such suite, or it does not have such an option.
    """
    if name not in SUITES:
        raise InputError(f"There is no suite {name!r}. Suites are: {', '.join(SUITES)}.")
    return runner.run(SUITES[name], **{option: value for option, value in options.items() if value is not None})
