"""Suite `protocol_experiments`: whole descriptions to the robot's file, against procedures worked out by hand.

A row passes if a file is written after few enough questions, its vials hold what the reference's hold, and its steps
are the reference's. Questions are answered by their defaults, or by a scripted person (see `PEOPLE`). Nobody corrects
a finished protocol: what an expert would mend counts against the row.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from labwright.evaluation.procedures import Experiment, Procedure, load_experiments, procedure_of
from labwright.evaluation.protocol_contents import compare_contents, differing, fair_agreement
from labwright.evaluation.protocol_metrics import (
    corrected,
    match_steps,
    nrmse,
    spearman,
    step_agreement,
    superfluous_additions,
)
from labwright.evaluation.scoring import wilson
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.running import DesignRequest, Outcome, start
from labwright.graphs.questions import Answer, Question
from labwright.graphs.running import OnQuestion
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.reading import read_lsr
from labwright.tools.runs.run import open_run

Human = Literal["none", "non-expert", "expert"]
MOST_QUESTIONS = 3
MOST_ERROR = 0.01  # content-matched nRMSE
LEAST_F1 = 0.95
COLUMNS = (
    "case", "status", "passed", "questions", "content_nrmse", "worst", "f1", "fair_f1", "nrmse", "spearman",
    "spearman_corrected", "path_length", "tokens", "seconds",
)  # fmt: skip
Row = dict[str, Any]


def run(
    mind: str = "rules",
    human: Human = "none",
    wording: str = "first",
    out: Path | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Score every experiment: {suite, mind, human, n, score, interval, columns, summary, rows, passed}.

    Args:
        human: ``none`` takes every default; ``non-expert`` answers what is asked with the first thing offered;
            ``expert`` answers with what the description's author meant (`answers` of the case).
        wording: the same experiments in other words (``second`` to ``fifth``).
        out: where the run folders are kept; None throws them away.

    Raises:
        InputError: there is no such kind of person, or no such wording.
    """
    if human not in PEOPLE:
        raise InputError(f"There is no human {human!r}. Choose one of: {', '.join(PEOPLE)}.")
    rows = []
    for experiment in load_experiments(wording):
        with tempfile.TemporaryDirectory() as scratch:
            rows.append(scored(experiment, out or Path(scratch), mind, human))
        if on_progress is not None:
            on_progress(f"{experiment.name}: {'passed' if rows[-1]['passed'] else rows[-1]['faults']}")
    passed = sum(row["passed"] for row in rows)
    return {
        "suite": "protocol_experiments",
        "mind": mind,
        "human": human,
        "wording": wording,
        "n": len(rows),
        "score": passed / len(rows),
        "interval": wilson(passed, len(rows)),
        "passed": passed == len(rows),
        "columns": COLUMNS,
        "summary": {name: _mean([row[name] for row in rows]) for name in ("content_nrmse", "f1", "fair_f1", "nrmse")},
        "rows": rows,
    }


def scored(experiment: Experiment, root: Path, mind: str, human: Human) -> Row:
    """One experiment designed and compared."""
    began = time.perf_counter()
    policy: Any = "defaults" if human == "none" else "ask"
    choices = Choices(mind=mind, approval="auto", answers=policy, figures=False)
    outcome = start(DesignRequest(experiment.text, choices), root, on_question=PEOPLE[human](experiment))
    seconds = time.perf_counter() - began
    procedure: Procedure = ()
    if outcome.status == "complete":
        procedure = procedure_of(read_lsr((outcome.run_dir / outcome.result["xml"]).read_bytes()))
    row = {"case": experiment.name, **_ended(outcome), **compared(procedure, experiment.reference)}
    faults = _faults(row)
    return {**row, "seconds": round(seconds, 2), "passed": not faults, "faults": "; ".join(faults)}


def compared(procedure: Procedure, reference: Procedure) -> Row:
    """Every score of a procedure; see `protocol_metrics` and `protocol_contents`."""
    pairs = match_steps(procedure, reference)
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
        "f1_additions": round(step_agreement(procedure, reference, "Add").f1, 4),
        "f1_parameters": round(step_agreement(procedure, reference, "Set").f1, 4),
        "fair_f1": round(fair.f1, 4),
        "steps_missing": missing,
        "steps_extra": extra,
        "nrmse": round(nrmse(procedure, reference), 5),
        "spearman": _rounded(spearman(pairs)),
        "spearman_corrected": _rounded(spearman(corrected(pairs, procedure, reference))),
        "superfluous_additions": superfluous_additions(procedure, reference),
        "steps": len(procedure),
    }


def _ended(outcome: Outcome) -> Row:
    """How the run ended and what it took: questions, agents called on the way, tokens."""
    events = list(open_run(outcome.run_dir.parent, outcome.run_id).events.read())
    usage = outcome.document.get("usage", {}).get("total", {})
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "questions": sum(event["kind"] == "answer" for event in events) + len(outcome.questions),
        "assumptions": outcome.result.get("assumptions", []) if outcome.result else [],
        "warnings": [one["message"] for one in (outcome.result or {}).get("findings", [])],
        "path_length": sum(event["kind"] == "agent" for event in events),
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


def _nobody(experiment: Experiment) -> None:
    """Nobody is there; the run takes the defaults."""


def _layman(experiment: Experiment) -> OnQuestion:
    """Someone who knows little: the first thing offered, else what the question suggests."""

    def answer(question: Question) -> Answer:
        offered = [option.value for option in question.options]
        return Answer(id=question.id, decision=(offered or [question.default or "I do not know"])[0])

    return answer


def _author(experiment: Experiment) -> OnQuestion:
    """Whoever wrote the description: what was meant, whatever the question suggests; else waits."""

    def answer(question: Question) -> Answer | None:
        meant = [said for words, said in experiment.answers.items() if words in question.title.lower()]
        return Answer(id=question.id, decision=meant[0]) if meant else None

    return answer


PEOPLE: dict[str, Callable[[Experiment], OnQuestion | None]] = {
    "none": _nobody,
    "non-expert": _layman,
    "expert": _author,
}


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 5)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
