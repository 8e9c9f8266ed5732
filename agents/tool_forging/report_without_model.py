"""The rules mind's report: what was asked, assumed, done and found, and what this mind is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labwright.agents.tool_forging.computed_judgements import judged
from labwright.agents.tool_forging.solution import figure_paths, read_solution
from labwright.tools.errors import InputError
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
    figures = figure_paths(workspace)
    try:
        said = family.report(card.compiled(), results, figures)
    except InputError as absent:
        said = f"## Results\n\nIncomplete: {absent}"
    return [said, *(f"![{path}]({path})" for path in figures if path not in said)]


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
