"""What can be computed about a solution: its family's judgements, and that report and results are there."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from labwright.agents.tool_forging.solution import REPORT, figure_data, figure_paths, read_solution
from labwright.tools.errors import InputError
from labwright.tools.forge.gate.output_laws import broken_laws
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.task_type import Family, Judgement
from labwright.tools.forge.toolset.contract import Parameter, ToolContract
from labwright.tools.specifications.task import Card
from labwright.tools.workspace.workspace import Workspace

LEAST_REPORT = 200  # characters


def judged(family: Family[Any], card: Card, workspace: Workspace) -> list[Judgement]:
    """The family's own judgements on what lies in the workspace: every demand of the card, and the laws."""
    try:
        results = read_solution(workspace)
    except InputError as absent:
        return [Judgement("results.json", False, str(absent), "result_incomplete", "Run the scripts to their end.")]
    figures = {path: figure_data(workspace, path) for path in figure_paths(workspace)}
    try:
        return [*family.judge(card.compiled(), results, figures), *(_table(path, workspace) for path in card.tables)]
    except InputError as absent:  # a quantity that the family wants to look at is not there
        return [Judgement(family.name, False, str(absent), "result_incomplete", "Compute what is missing.")]


def _table(path: str, workspace: Workspace) -> Judgement:
    there = workspace.files.exists(path)
    return Judgement(
        path, there, f"The table {path} is {'there' if there else 'missing'}.", "result_incomplete", "Write it."
    )


def delivered(workspace: Workspace) -> list[Judgement]:
    """That report and results are there and finite, and figures show numbers."""
    made = [_report(workspace)]
    try:
        results = read_solution(workspace)
    except InputError as absent:
        made.append(Judgement("results.json", False, str(absent), "result_incomplete", "Write results.json."))
    else:
        made += [_finite(results), *lawful(results)]
    return [*made, *(_figure(workspace, path) for path in figure_paths(workspace))]


def _report(workspace: Workspace) -> Judgement:
    length = len(workspace.files.text(REPORT)) if workspace.files.exists(REPORT) else 0
    message = f"{REPORT} has {length} characters."
    return Judgement("report", length >= LEAST_REPORT, message, "result_incomplete", f"Write {REPORT}.")


def _finite(results: Results) -> Judgement:
    bad = sorted({one.quantity for one in results.records if not all_finite(one.value)})
    message = (
        f"Not a number in: {', '.join(bad)}." if bad else f"All numbers of {len(results.records)} records are finite."
    )
    return Judgement("finite numbers", not bad, message, "bug", "Find where the number is lost; do not replace it.")


def lawful(results: Results) -> list[Judgement]:
    """What physics forbids in a record, by its quantity: a probability outside of 0 to 1, a negative entropy, a density
    matrix without trace 1, a matrix that is no unitary. One judgement for all that hold, one for each that does not."""
    broken = []
    for one in results.records:
        field = Parameter(name=one.quantity, type="float", description=one.quantity, unit=one.unit)
        contract = ToolContract.model_construct(outputs=[field])
        try:
            broken += list(broken_laws(contract, [json.dumps({one.quantity: one.value})]))
        except (ValueError, TypeError):  # words, or a form without laws
            continue
    if not broken:
        return [Judgement("laws", True, "No record breaks a law that its quantity's name implies.")]
    mend = "Find the cause in script or tool."
    return [Judgement("laws", False, said, "bug", mend) for said in dict.fromkeys(broken)]


def _figure(workspace: Workspace, path: str) -> Judgement:
    data = figure_data(workspace, path)
    if data is None:
        message = f"{path} has no plotted data beside it, so nobody can check what it shows."
        return Judgement(path, False, message, "result_incomplete", "Plot with a tool that writes its data.")
    count = len(list(numbers(data)))
    good = all_finite(data) and bool(count)
    message = f"{path} shows {count} numbers{'' if good else ', some not finite or none at all'}."
    return Judgement(path, good, message, "bug", "Plot numbers that are there.")


def all_finite(value: Any) -> bool:
    """Whether every number in a JSON value is finite; JSON writes what is not as null or NaN."""
    if isinstance(value, dict):
        return all(map(all_finite, value.values()))
    if isinstance(value, list):
        return all(item is not None and all_finite(item) for item in value)
    return not isinstance(value, float) or math.isfinite(value)


def numbers(value: Any) -> Iterator[float]:
    """The numbers in a JSON value, finite or not."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside:
        yield from numbers(one)
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
