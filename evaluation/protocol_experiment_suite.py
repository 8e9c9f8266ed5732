"""Suite `protocol_experiments`: whole descriptions to the robot's file, against procedures worked out by hand.

A row passes if a file is written after few enough questions, its vials hold what the reference's hold, and its steps
are the reference's. The protocol is the case's YAML, or with `words` its description, which needs a model; questions
are then answered by what the author meant (`answers` of the case). Nobody corrects a finished protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

from labwright.evaluation.autolabs_scores import nrmse, step_agreement
from labwright.evaluation.case import Case
from labwright.evaluation.language_suites import given_of, outcome_of
from labwright.evaluation.protocol_contents import compare_contents, differing, fair_agreement
from labwright.evaluation.protocol_reference_procedures import Experiment, Procedure, load_experiments, procedure_of
from labwright.evaluation.runner import Context, Options, Row, Suite, spent
from labwright.evaluation.scripted_signer import named_person
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.running import DesignRequest, Outcome, start
from labwright.graphs.questions import Answer, Question
from labwright.graphs.running import OnQuestion
from labwright.tools.liquid_handler.lsr_reader import read_lsr
from labwright.tools.runs.run import open_run

MOST_QUESTIONS = 3
MOST_ERROR = 0.01  # content-matched nRMSE
LEAST_F1 = 0.95
COLUMNS = (
    "case", "status", "passed", "questions", "content_nrmse", "worst", "f1", "fair_f1", "nrmse", "tokens",
    "seconds",
)  # fmt: skip


def cases_of(options: Options) -> list[Case]:
    """Every experiment, drawn `seeds` times."""
    names = [experiment.name for experiment in load_experiments()]
    return [Case(name, seed, {}) for seed in range(options["seeds"]) for name in names]


def design(case: Case, context: Context) -> Row:
    """One experiment, found by its name."""
    [experiment] = [one for one in load_experiments() if one.name == case.name]
    return scored(experiment, context.folder, context.options["mind"], case.seed, words=context.options["words"])


def scored(experiment: Experiment, root: Path, mind: str, seed: int = 0, *, words: bool = False) -> Row:
    """One experiment designed and compared."""
    choices = Choices(mind=mind, seed=seed, approval="auto", figures=False, outputs=())
    text = experiment.text if words else experiment.protocol
    with named_person(root, author(experiment.answers)) as answer:
        outcome = start(DesignRequest(text, choices), root, on_question=answer)
    procedure: Procedure = ()
    if outcome.status == "complete":
        procedure = procedure_of(read_lsr((outcome.run_dir / outcome.result["xml"]).read_bytes()))
    row = {**_ended(outcome), **compared(procedure, experiment.reference)}
    faults = _faults(row)
    row |= {"outcome": outcome_of(not faults, given_of(outcome.status)), **spent(outcome.document.get("usage", {}))}
    return {**row, "passed": not faults, "faults": "; ".join(faults)}


def compared(procedure: Procedure, reference: Procedure) -> Row:
    """Every score of a procedure; see `autolabs_scores` and `protocol_contents`."""
    contents = compare_contents(procedure, reference)
    steps, fair = step_agreement(procedure, reference), fair_agreement(procedure, reference)
    missing, extra = differing(procedure, reference)
    return {
        "content_nrmse": round(contents.nrmse, 5),
        "worst": round(contents.worst, 4),
        "by_chemical": {name: round(error, 4) for name, error in contents.by_chemical.items()},
        "vials_missing": contents.missing,
        "vials_extra": contents.extra,
        "precision": round(steps.precision, 4),
        "recall": round(steps.recall, 4),
        "f1": round(steps.f1, 4),
        "fair_f1": round(fair.f1, 4),
        "steps_missing": missing,
        "steps_extra": extra,
        "nrmse": round(nrmse(procedure, reference), 5),
        "steps": len(procedure),
    }


def _ended(outcome: Outcome) -> Row:
    """How the run ended and what it took: questions, tokens."""
    events = list(open_run(outcome.run_dir.parent, outcome.run_id).events.read())
    usage = outcome.document.get("usage", {}).get("total", {})
    signs = {event["question"]["id"] for event in events if event["kind"] == "question" and event["question"]["signs"]}
    answered = sum(event["kind"] == "answer" and event["id"] not in signs for event in events)
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "questions": answered + sum(not each["signs"] for each in outcome.questions),  # a sign-off is none
        "assumptions": outcome.result.get("assumptions", []) if outcome.result else [],
        "warnings": [one["message"] for one in (outcome.result or {}).get("findings", [])],
        "tokens": usage.get("input_tokens", 0) + usage.get("output_tokens", 0),
    }


def _faults(row: Row) -> list[str]:
    """Everything that keeps a row from passing."""
    if row["status"] != "complete":
        return [f"{row['status']}: {row['reason']}"]
    demands = [
        (row["questions"] <= MOST_QUESTIONS, f"{row['questions']} questions"),
        (len(row["assumptions"]) == row["questions"] or not row["assumptions"], "an assumption is not listed"),
        (row["content_nrmse"] <= MOST_ERROR, f"contents differ by {row['content_nrmse']}"),
        (row["f1"] >= LEAST_F1, f"step F1 {row['f1']}"),
        (row["fair_f1"] >= LEAST_F1, f"fair step F1 {row['fair_f1']}: {row['steps_missing']}, {row['steps_extra']}"),
    ]
    return [words for held, words in demands if not held]


def author(answers: Mapping[str, str]) -> OnQuestion:
    """Whoever wrote the description: what was meant, by words that the question has; else waits."""

    def answer(question: Question) -> Answer | None:
        asked = f"{question.title} {question.body_markdown}".lower()
        meant = [said for words, said in answers.items() if words.lower() in asked]
        return Answer(id=question.id, decision=meant[0]) if meant and question.kind == "clarify" else None

    return answer


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Means of the scores."""
    names = ("content_nrmse", "f1", "fair_f1", "nrmse")
    return {"summary": {name: round(mean(row[name] for row in rows), 5) for name in names}}


SUITE = Suite(
    name="protocol_experiments",
    doc="Whole descriptions to the robot's file, against procedures worked out by hand",
    cases=cases_of,
    run=design,
    options={"seeds": 1, "mind": "rules", "words": False},
    summarise=summarise,
    columns=COLUMNS,
    required=1.0,
)
