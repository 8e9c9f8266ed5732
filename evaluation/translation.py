"""Suite `translation`: instructions of one sentence, each to become one right call, a question, or nothing.

The cases were written before the policy was tuned and are split by a hash of their text. The development half may be
looked at while the policy is improved; the sealed half may not, and is run to report.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from labwright.agents.call import Mind, Question, Refusal
from labwright.agents.lab_calibration.select import choose
from labwright.agents.lab_calibration.translate import Library, Situation, build_library, candidates
from labwright.agents.rules import RulesMind
from labwright.evaluation.scoring import wilson
from labwright.tools.experiments import registry
from labwright.tools.experiments.call import ExperimentCall, ExperimentCard, parse_call
from labwright.tools.experiments.check_call import CheckContext, check_all
from labwright.tools.knowledge.procedures import load_procedures

CASES = Path(__file__).parent / "cases" / "translation"
QUBITS = ["Q1", "Q2", "Q8"]
ROUNDS = (3, 5, 7, 9)
Split = Literal["dev", "sealed"]
Outcome = Literal["call", "ask", "refuse"]


@dataclass(frozen=True, slots=True)
class Case:
    """One instruction and what it should become.

    Attributes:
        arguments: every argument that differs from its default.
        variables: the variable table.
    """

    instruction: str
    outcome: Outcome
    experiment: str
    arguments: dict[str, Any]
    variables: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Translated:
    """What came out: a call, a question's text, or neither."""

    outcome: Outcome
    call: ExperimentCall | None = None
    detail: str = ""


def split_of(instruction: str) -> Split:
    """Half of all texts are sealed, by the first bit of their hash."""
    return "sealed" if hashlib.sha256(instruction.encode()).digest()[0] & 1 else "dev"


def load_cases(split: Split) -> list[Case]:
    """The cases of one half."""
    lines = (CASES / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Case(**json.loads(line)) for line in lines]


def translate(mind: Mind, case: Case, library: Library) -> Translated:
    """Algorithm 1 with the candidate's checks, outside any graph."""
    situation = Situation(case.variables, QUBITS)
    for n_k in ROUNDS:
        found = candidates(mind, case.instruction, library, situation, n_k)
        if isinstance(found, Question):
            return Translated("ask", detail=found.text)
        if found:
            chosen = choose(mind, case.instruction, found, situation)
            if isinstance(chosen, Question):
                return Translated("ask", detail=chosen.text)
            if isinstance(chosen, Refusal):
                return Translated("refuse", detail=chosen.reason)
            context = CheckContext(case.instruction, library.cards, case.variables, tuple(QUBITS))
            faults = "; ".join(finding.message for finding in check_all(chosen.code, context))
            return Translated("call", parse_call(chosen.code, library.cards, case.variables), faults)
    return Translated("refuse", detail=f"no candidate among the {ROUNDS[-1]} nearest agents")


def verdict(case: Case, got: Translated, card: ExperimentCard | None) -> str:
    """``right``, or how it is wrong."""
    if got.outcome != case.outcome:
        return f"{case.outcome} expected, {got.outcome} given"
    if case.outcome != "call":
        return "right"
    assert got.call is not None
    if got.call.experiment != case.experiment:
        return f"wrong experiment: {got.call.experiment}"
    if got.detail:
        return f"not valid: {got.detail}"
    defaults = {parameter.name: parameter.default for parameter in card.parameters} if card else {}
    full, wanted = defaults | got.call.arguments, defaults | case.arguments
    wrong = [name for name in full if not _equal(full[name], wanted.get(name))]
    wrong += [name for name in wanted if name not in full]
    return f"wrong values: {', '.join(wrong)}" if wrong else "right"


def run(split: Split = "dev", mind: Mind | None = None) -> dict[str, Any]:
    """Score one half: {suite, split, mind, n, score, interval, by_outcome, seconds, rows}."""
    mind = mind or RulesMind()
    cards = {name: registry.card(kind) for name, kind in registry.experiments().items()}
    library = build_library(mind, cards, load_procedures())
    began = time.perf_counter()
    rows = []
    for case in load_cases(split):
        got = translate(mind, case, library)
        said = verdict(case, got, library.cards.get(case.experiment))
        rows.append(
            {
                "instruction": case.instruction,
                "expected": case.experiment or case.outcome,
                "outcome": case.outcome,
                "got": got.call.experiment if got.call else got.outcome,
                "verdict": said,
                "passed": said == "right",
            }
        )
    passed = sum(bool(row["passed"]) for row in rows)
    return {
        "suite": "translation",
        "split": split,
        "mind": mind.name,
        "n": len(rows),
        "score": passed / len(rows),
        "interval": wilson(passed, len(rows)),
        "by_outcome": _by(rows, lambda row: str(row["outcome"])),
        "seconds": round(time.perf_counter() - began, 3),
        "rows": rows,
    }


def _by(rows: list[dict[str, Any]], key: Callable[[dict[str, Any]], str]) -> dict[str, list[int]]:
    """Key -> [passed, of]."""
    table: dict[str, list[int]] = {}
    for row in rows:
        entry = table.setdefault(key(row), [0, 0])
        entry[0] += bool(row["passed"])
        entry[1] += 1
    return table


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float | int) and isinstance(b, float | int) and not isinstance(a, bool):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12)
    return bool(a == b)
