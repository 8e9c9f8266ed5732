"""Suite `forge-texts`: tasks in words with independent references, matched by the names the texts ask for.

`--source FOLDER`, thirty tasks of a stranger if left out (thirty of another lie in ``texts2``), holds one folder a
text: ``question.md``, ``inputs/``, and ``reference.json``::

    {"doable": true, "demands": [{"name": "p_max", "value": 0.93, "unit": "1", "tolerance": 1e-3}]}

`tolerance` is absolute; `value` is a number or a list of numbers. A demand is met by the records of ``results.json``
with that name (as quantity or label) and of its shape, in its unit. Right: complete, every demand met; of a text that
cannot be done, a refusal or a question. Complete with a demand missed is silently wrong. A toolset grows meanwhile.
Without a model the ``card.yaml`` beside a text is run, which somebody wrote who knew the documents only.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from labwright.agents.errors import AgentGaveUp
from labwright.agents.typed_call import Question, Refusal
from labwright.agents.workspace_task import InWorkspace, WorkspaceTask
from labwright.evaluation.forge.running import spent
from labwright.evaluation.forge.units import factor
from labwright.evaluation.language_suites import Given, given_of, outcome_of
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.running import ForgeRequest, start
from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.results import Record, read_results
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.sandbox import open_sandbox
from labwright.tools.specifications.task import read_card
from labwright.tools.workspace.workspace import Workspace


class AloneIn(BaseModel):
    """The task's words."""

    task: str


class AloneOut(BaseModel, extra="forbid"):
    """What was done."""

    scripts: list[InWorkspace] = Field(description="Paths of the scripts that recorded the results.")
    summary: str = Field(description="What came out, in two or three sentences.")


def _no_rules(_given: AloneIn, _workspace: Workspace) -> Refusal:
    return Refusal(reason="Writing the scripts needs a model.")


FORGE_ALONE = WorkspaceTask(
    "evaluation.forge_alone",
    "evaluation/forge_alone.md",
    AloneIn,
    AloneOut,
    _no_rules,
    abilities=frozenset({"write", "run"}),
)


TEXTS = Path(__file__).parents[1] / "cases" / "forge" / "texts"


@dataclass(frozen=True, slots=True)
class Text:
    """One task in words."""

    name: str
    folder: str
    reference: dict[str, Any]
    seed: int = 0


def texts(options: Options) -> list[Text]:
    """The folders of ``source``; ``tasks`` names some.

    Raises:
        InputError: a folder lacks its reference.
    """
    folders = sorted(path.parent for path in Path(options["source"] or TEXTS).glob("*/question.md"))
    chosen = [one for one in folders if not options["tasks"] or one.name in options["tasks"]]
    fix = "Write its demands, see evaluation/forge/text_tasks.py."
    return [Text(one.name, str(one), read_json(one / "reference.json", fix)) for one in chosen]


def solve(case: Text, context: Context) -> Row:
    """Forge for one text, and compare."""
    folder, options = Path(case.folder), context.options
    inputs = {path.name: path.read_bytes() for path in sorted((folder / "inputs").glob("*")) if path.is_file()}
    choices = Choices(
        mind=options["mind"], mode=options["mode"], toolset=str(options["toolset"] or context.folder / "toolset"),
        approval="auto", answers="defaults",
    )  # fmt: skip
    card = folder / "card.yaml"
    words = card if options["mind"] == "rules" and card.is_file() else folder / "question.md"
    outcome = start(ForgeRequest(words.read_text(encoding="utf-8"), inputs, choices), context.folder)
    row = _judged(case, given_of(outcome.status), outcome.run_dir / "results.json", outcome.reason)
    return {**spent(outcome), "status": outcome.status, "way": _way(outcome.run_dir), **row}


def alone(case: Text, context: Context) -> Row:
    """The same text to one agent with a shell, in the same sandbox."""
    source, folder = Path(case.folder), context.folder / "workspace"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("reference.json"))
    workspace = Workspace(folder, open_sandbox(report=lambda _line: None))
    given: Given = "done"
    try:
        reply = context.mind.work(FORGE_ALONE, AloneIn(task=workspace.question), workspace)
    except AgentGaveUp as gave_up:
        reply = Refusal(reason=str(gave_up))
    why = ""
    if isinstance(reply, Question | Refusal):
        given = "asked" if isinstance(reply, Question) else "refused"
        why = reply.text if isinstance(reply, Question) else reply.reason
    return {"way": "alone", **_judged(case, given, folder / "results.json", why)}


def _judged(case: Text, given: Given, results: Path, why: str) -> Row:
    faults = missed(case.reference["demands"], results) if given == "done" else []
    right = given == "done" and not faults if case.reference["doable"] else given != "done"
    said = "" if right else why[:500] or "complete, though it cannot be done"
    return {"passed": right, "outcome": outcome_of(right, given), "faults": "; ".join(faults) or said}


def _way(run_dir: Path) -> str:
    """How it was done: by a card, by a card and programs, or by programs alone."""
    work = run_dir / "workspace"
    if (work / "inputs" / "card_results.json").is_file():
        return "card and forged"
    task = work / "question.md"
    return "card" if task.is_file() and read_card(task.read_text(encoding="utf-8")) else "forged"


def missed(demands: list[dict[str, Any]], results: Path) -> list[str]:
    """The demands that no record meets, with what is there instead.

    Args:
        demands: name, value, unit, tolerance (absolute) of each.
        results: ``results.json`` of the run.
    """
    try:
        records = read_results(results).records
    except InputError as wrong:
        return [str(wrong)]
    found = []
    for one in demands:
        named = [each for each in records if one["name"] == each.quantity]
        named = named or [each for each in records if one["name"] in each.labels.values()]
        wanted = np.array(one["value"], dtype=float)
        values = [_value(each, str(one.get("unit") or "")) for each in named]
        alike = [value for value in values if value is not None and value.shape == wanted.shape]
        if not alike or any(np.any(~(np.abs(value - wanted) <= float(one["tolerance"]))) for value in alike):
            found.append(f"{one['name']}: {[each.value for each in named][:3] or 'no record'} for {one['value']}")
    return found


def _value(record: Record, unit: str) -> NDArray[np.float64] | None:
    """The record's numbers in `unit`; None where they have none, or another kind of unit."""
    scale = factor(record.unit, unit)
    try:
        return None if scale is None or record.value is None else np.array(record.value, dtype=float) * scale
    except (TypeError, ValueError):
        return None


SUITE = Suite(
    name="forge-texts",
    doc="Tasks in words with independent references, thirty of a stranger or those in the folder --source",
    cases=texts,
    run=solve,
    options={"mind": "rules", "mode": "forge", "source": None, "toolset": None, "tasks": ()},
    beside=lambda options: {} if options["mind"] == "rules" else {"alone": alone},
    columns=("case", "outcome", "way", "calls", "seconds", "faults"),
    chooses=("source", "tasks"),
)
