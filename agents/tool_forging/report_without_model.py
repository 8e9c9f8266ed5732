"""The rules mind's report: what was asked, assumed, done and found, and what this mind is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labwright.agents.tool_forging.computed_judgements import judged
from labwright.agents.tool_forging.solution import figure_paths, read_solution
from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.expressions import names_in
from labwright.tools.forge.tasks.results import EXTREMA, Results, between, quantities
from labwright.tools.forge.tasks.task_type import Family
from labwright.tools.specifications.examples import conventions
from labwright.tools.specifications.task import Card
from labwright.tools.workspace.workspace import Workspace

MIND = (
    "This report was made without a language model: the card says the task completely, its family composed tools that"
    " are known to work, and every judgement below was computed."
)


def report_of(
    task: str, family: Family[Any], card: Card, scripts: Sequence[str], tools: Sequence[str], workspace: Workspace
) -> str:
    """``report.md``."""
    parts = [
        f"# {card.title or family.name}",
        MIND,
        "## Task",
        _quoted(task),
        "## Assumptions",
        _listed(card.unsaid(), "None: the card says all that was needed."),
        "## Method",
        _listed([f"`{name}`" for name in tools], "No tools."),
        _listed(scripts, "Nothing was run."),
        "## Conventions",
        _listed(conventions(family.name), "None."),
        *_findings(family, card, workspace),
        "## Judgements",
        _judgements(family, card, workspace),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _findings(family: Family[Any], card: Card, workspace: Workspace) -> list[str]:
    """What the family says of its results; nothing where there are none."""
    try:
        results = read_solution(workspace)
    except InputError as absent:
        return ["## Results", f"There are none: {absent}"]
    figures, own = figure_paths(workspace), _named(card, results)
    try:
        said = family.report(card.compiled(), results, figures)
    except InputError as absent:
        said = f"## Results\n\nIncomplete: {absent}"
    return [*own, said, *(f"![{path}]({path})" for path in figures if path not in said)]


def _named(card: Card, results: Results) -> list[str]:
    """A table of what the card names; below it of which points an extremum is the largest or smallest."""
    rows, notes, known = [], [], quantities(results)
    for name, one in card.named.items():
        for record in results.find(name):
            value = f"{len(record.value)} values" if isinstance(record.value, list) else record.value
            error = "" if record.uncertainty is None else f"{record.uncertainty:.1e}"
            rows.append(f"| {name} | {value} | {error} | {record.unit} |")
        words = names_in(one.expression) if one.expression else set()
        counted = [each for each in words & {*known} if known[each].axes and not between(known[each].axes[0])]
        for each in sorted(counted) if words & EXTREMA else ():
            number, axis = len(known[each].axes[0].values), known[each].axes[0].name
            along = "cases" if axis == "index" else f"points along {axis}"
            notes.append(f"{name} is an extremum among {number} {along}; what lies between them was not computed.")
    if not rows:
        return []
    table = "\n".join(["| name | value | uncertainty | unit |", "|---|---|---|---|", *rows])
    return ["## Named results", table, *([_listed(notes, "")] if notes else [])]


def _judgements(family: Family[Any], card: Card, workspace: Workspace) -> str:
    lines = [
        f"{'holds' if one.passed else 'FAILS'}: {one.name}. {one.message}" for one in judged(family, card, workspace)
    ]
    return _listed(lines, "None was computed.")


def _quoted(task: str) -> str:
    """The task as a code block: nothing in it becomes a link or a picture of this report."""
    fence = "`" * 4
    return f"{fence}text\n{task.strip().replace(fence, '```')}\n{fence}"


def _listed(lines: Sequence[str], none: str) -> str:
    return "\n".join(f"- {' '.join(line.split())}" for line in lines) or none
