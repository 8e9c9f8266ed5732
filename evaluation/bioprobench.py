"""Suite `bioprobench`: is a step of a published protocol right, or was an error put into it?

`--data` names ``ERR_test.json`` of BioProBench (Liu and others, arXiv:2505.07889; CC BY 4.0; the file lies in the
repository YuyangSunshine/bioprotocolbench): a list of ``{id, context: {purpose, prior_step, next_step},
corrupted_text, corrected_text, is_correct, type, error_description?}``, 1,200 of them. Graded as there: right or wrong;
precision, recall and F1 of the errors.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from labwright.evaluation.published_questions import (
    CHOOSES,
    OPTIONS,
    Case,
    Item,
    PublishedIn,
    asked,
    chosen,
    graded,
    load,
    path_of,
)
from labwright.evaluation.runner import Context, Options, Row, Suite

WHAT = "BioProBench's file of error recognition, ERR_test.json"
QUESTION = (
    "Is this step of a protocol consistent, necessary and accurate where it stands, or does it hold an error in an"
    " operation, a reagent or a parameter?"
)
RIGHT, WRONG = "right", "holds an error"


class Around(BaseModel):
    """What the step is for, and what stands before and after it; a first step has nothing before it."""

    purpose: str
    prior_step: str | None
    next_step: str | None


class Step(Item):
    """A step, with an error or without."""

    id: str
    context: Around
    corrupted_text: str | None
    corrected_text: str
    is_correct: bool
    type: str

    @property
    def key(self) -> str:
        """Its published name."""
        return self.id

    @property
    def shown(self) -> str:
        """The step that is judged."""
        return self.corrected_text if self.is_correct or self.corrupted_text is None else self.corrupted_text


def cases_of(options: Options) -> list[Case]:
    """The steps of the file."""
    return chosen([*load(path_of(options, WHAT), Step, WHAT)], options)


def run(case: Case, context: Context) -> Row:
    """One step, judged."""
    step = load(path_of(context.options, WHAT), Step, WHAT)[case.name]
    around = {name: text or "(none)" for name, text in step.context}
    material = {"step": step.shown, **around}
    given = PublishedIn(question=QUESTION, material=material, choices=[RIGHT, WRONG], form="one of the choices")
    said, row = asked(context, given)
    row |= {"kind": step.type, "expected": RIGHT if step.is_correct else WRONG}
    return graded(row, float(said is not None and said.answer == row["expected"]))


def summarise(rows: list[Row], _context: Context) -> dict[str, Any]:
    """Errors found and missed, as the published script counts them."""
    pairs = [(row["said"], row["expected"]) for row in rows]
    found, false, missed = (pairs.count(pair) for pair in ((WRONG, WRONG), (WRONG, RIGHT), (RIGHT, WRONG)))
    precision, recall = found / max(1, found + false), found / max(1, found + missed)
    f1 = 2 * precision * recall / (precision + recall) if found else 0.0
    kinds = {kind: [row["passed"] for row in rows if row["kind"] == kind] for kind in {row["kind"] for row in rows}}
    shares = {kind: f"{sum(held)} of {len(held)}" for kind, held in sorted(kinds.items())}
    return {"summary": {"precision": precision, "recall": recall, "f1": f1, "right by kind": shares}}


SUITE = Suite(
    name="bioprobench",
    doc="Published steps of protocols with and without an error (--data ERR_test.json)",
    cases=cases_of,
    run=run,
    options=OPTIONS,
    summarise=summarise,
    chooses=CHOOSES,
    columns=("case", "kind", "expected", "said", "reason"),
)
