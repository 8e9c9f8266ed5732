"""What can be computed about a solution: the families' judgements, and that everything asked for is there."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from labwright.agents.tool_forging.demands import asked_quantities
from labwright.agents.tool_forging.known import Known, task_of
from labwright.agents.tool_forging.readers.base import Reading
from labwright.agents.tool_forging.solution import REPORT, figure_data, figure_paths, read_solution
from labwright.tools.errors import InputError
from labwright.tools.forge.families.base import Judgement
from labwright.tools.forge.results import Results
from labwright.tools.forge.workspace import Workspace

LEAST_REPORT = 200  # characters
_PLOTS = re.compile(
    r"\b(?:plot|plots|plotted|figure|figures|graph|heat ?map|histogram|visuali[sz]e|draw|bar chart)\b", re.I
)


def judged(read: Sequence[Reading], workspace: Workspace, known: Known) -> list[Judgement]:
    """The families' own judgements on what lies in the workspace."""
    try:
        results = read_solution(workspace)
    except InputError as absent:
        return [Judgement("results.json", False, str(absent), "result_incomplete", "Run the scripts to their end.")]
    figures = {path: figure_data(workspace, path) for path in figure_paths(workspace)}
    made: list[Judgement] = []
    for one in read:
        try:
            made += known.families()[one.family].judge(one.spec, results, figures)
        except InputError as absent:  # a quantity that the family wants to look at is not there
            made.append(Judgement(one.family, False, str(absent), "result_incomplete", "Compute what is missing."))
    return made


def delivered(task: str, workspace: Workspace) -> list[Judgement]:
    """Report, results and figures against what the words of the task ask for."""
    made = [_report(workspace)]
    try:
        results = read_solution(workspace)
    except InputError as absent:
        made.append(Judgement("results.json", False, str(absent), "result_incomplete", "Write results.json."))
    else:
        made += [_finite(results), *_asked(task, workspace, results)]
    figures = figure_paths(workspace)
    if _PLOTS.search(task):
        made.append(
            Judgement(
                "figures",
                bool(figures),
                f"The task asks for figures; there are {len(figures)}.",
                "result_incomplete",
                "Plot what the task asks for into img/.",
            )
        )
    return [*made, *(_figure(workspace, path) for path in figures)]


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


def _asked(task: str, workspace: Workspace, results: Results) -> list[Judgement]:
    there = {one.quantity for one in results.records}
    return [
        Judgement(
            f"quantity {name}",
            name in there,
            f"results.json {'holds' if name in there else 'lacks'} the quantity `{name}`, which the task asks for.",
            "result_incomplete",
            f"Compute `{name}` and record it in results.json.",
        )
        for name in asked_quantities(task_of(task, workspace))
    ]


def _figure(workspace: Workspace, path: str) -> Judgement:
    data = figure_data(workspace, path)
    if data is None:
        message = f"{path} has no plotted data beside it, so nobody can check what it shows."
        return Judgement(path, False, message, "result_incomplete", "Plot with a tool that writes its data.")
    good = all_finite(data) and bool(list(_numbers(data)))
    message = (
        f"{path} shows {sum(1 for _ in _numbers(data))} numbers{'' if good else ', some not finite or none at all'}."
    )
    return Judgement(path, good, message, "bug", "Plot numbers that are there.")


def all_finite(value: Any) -> bool:
    """Whether every number in a JSON value is finite; JSON writes what is not as null or NaN."""
    if isinstance(value, dict):
        return all(map(all_finite, value.values()))
    if isinstance(value, list):
        return all(item is not None and all_finite(item) for item in value)
    return not isinstance(value, float) or math.isfinite(value)


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        for item in value.values():
            yield from _numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value
