"""The rules mind's report: what was asked, assumed, done and found, and what this mind is."""

from __future__ import annotations

from collections.abc import Sequence

from labwright.agents.tool_forging.clarified import set_aside
from labwright.agents.tool_forging.judging import judged
from labwright.agents.tool_forging.known import Known
from labwright.agents.tool_forging.readers.base import Reading
from labwright.agents.tool_forging.solution import ExecuteIn, figure_paths, read_solution
from labwright.tools.errors import InputError
from labwright.tools.forge.workspace import Workspace

MIND = (
    "This report was made without a language model: the task was read by rules, which compose recipes that they know,"
    " and every judgement below was computed. Work outside the recipe book needs a model."
)


def report_of(
    given: ExecuteIn,
    read: Sequence[Reading],
    scripts: Sequence[str],
    tools: Sequence[str],
    workspace: Workspace,
    known: Known,
) -> str:
    """``report.md``."""
    assumed = [*(text for one in read for text in one.assumptions), *set_aside(given.task)]
    parts = [
        f"# {_title(given.task)}",
        MIND,
        "## Task",
        _quoted(given.task),
        "## Assumptions",
        _listed(assumed, "None: the task says all that was needed."),
        "## Method",
        _listed([f"`{name}`" for name in tools], "No tools."),
        _listed(scripts, "Nothing was run."),
        *_findings(read, workspace, known),
        "## Judgements",
        _judgements(read, workspace, known),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _findings(read: Sequence[Reading], workspace: Workspace, known: Known) -> list[str]:
    """What each family says of its results; nothing where there are none."""
    try:
        results = read_solution(workspace)
    except InputError as absent:
        return ["## Results", f"There are none: {absent}"]
    figures = figure_paths(workspace)
    said: list[str] = []
    for one in read:
        try:
            said.append(known.families()[one.family].report(one.spec, results, figures))
        except InputError as absent:
            said.append(f"## Results\n\nIncomplete: {absent}")
    told = "\n".join(said)
    unseen = [path for path in figures if path not in told]
    return [*said, *(f"![{path}]({path})" for path in unseen)]


def _judgements(read: Sequence[Reading], workspace: Workspace, known: Known) -> str:
    lines = [
        f"{'holds' if one.passed else 'FAILS'}: {one.name}. {one.message}" for one in judged(read, workspace, known)
    ]
    return _listed(lines, "None was computed.")


def _title(task: str) -> str:
    lines = [line.strip("# ").strip() for line in task.splitlines() if line.strip("# ").strip()]
    return lines[0][:120] if lines else "Report"


def _quoted(task: str) -> str:
    """The task as a code block: nothing in it becomes a link or a picture of this report."""
    fence = "`" * 4
    return f"{fence}text\n{task.strip().replace(fence, '```')}\n{fence}"


def _listed(lines: Sequence[str], none: str) -> str:
    return "\n".join(f"- {' '.join(line.split())}" for line in lines) or none
