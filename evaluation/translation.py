"""Suite `translation`: instructions, each to become the right calls, a question, or nothing.

`run` scores the development half with every method; `run_sealed` the newest of the sets that were sealed when they were
first run. See `translation_cases` for how the sets came about.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any

from labwright.agents.call import Mind
from labwright.agents.lab_calibration.translate import Library, Situation, build_library
from labwright.agents.models import make_mind
from labwright.evaluation.scoring import wilson
from labwright.evaluation.tokens import tokenizer
from labwright.evaluation.translation_cases import SEVERAL, Case, Split, load_cases
from labwright.evaluation.translation_methods import (
    METHODS,
    OURS,
    QUBITS,
    CountingMind,
    Method,
    Translated,
    every_order,
)
from labwright.tools.experiments import registry
from labwright.tools.experiments.call import ExperimentCall, ExperimentCard
from labwright.tools.knowledge.procedures import load_procedures

Row = dict[str, Any]
COLUMNS = ("instruction", "expected", "got", "verdict")
RIGHT = "right"
NEWEST: Split = "fourth"
# what a row may reach, each step including those before it
STEPS = ("class", "call", "values")


def run(
    mind: str = "rules", on_progress: Callable[[str], None] = lambda _: None, split: Split = "dev",
    only: Iterable[str] = tuple(METHODS),
) -> dict[str, Any]:  # fmt: skip
    """Instructions of the development half, by many agents, by RAG and by a long prompt: {suite, n, score, ...}."""
    began = time.perf_counter()
    answering = make_mind(mind)
    library = shipped_library(answering)
    cases = load_cases(split)
    tables = {}
    for name in only:
        on_progress(f"{name}: {len(cases)} instructions")
        tables[name] = scored(answering, METHODS[name](), cases, library, several=name.startswith("agents"))
    ours = tables.pop(OURS) if OURS in tables else tables.pop(next(iter(tables)))
    return {
        "suite": "translation" if split == "dev" else f"translation-{split}",
        "split": split,
        "mind": answering.name,
        "tokenizer": tokenizer(),
        "columns": COLUMNS,
        **ours,
        "methods": {name: {key: table[key] for key in table if key != "rows"} for name, table in tables.items()},
        "notes": notes(ours, tables),
        "seconds": round(time.perf_counter() - began, 3),
    }


def run_sealed(mind: str = "rules", on_progress: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Instructions of the newest set that was sealed, in other voices: {suite, n, score, interval, ...}."""
    return {**run(mind, on_progress, NEWEST), "suite": "translation-sealed"}


def shipped_library(mind: Mind) -> Library:
    """The agents of all shipped experiments and procedures."""
    cards = {name: registry.card(kind) for name, kind in registry.experiments().items()}
    return build_library(mind, cards, load_procedures())


def scored(mind: Mind, method: Method, cases: list[Case], library: Library, several: bool) -> dict[str, Any]:
    """Rows and shares of one method; only the agents can do procedures and lists of orders."""
    rows, counting = [], CountingMind(mind)
    for case in cases:
        if several or case.single:
            situation = Situation(case.variables, QUBITS)
            got = translated(method, counting, case, library, situation)
            rows.append(row_of(case, got, library.cards))
    tokens = round(counting.counted.total / len(rows))
    return {**shares(rows), "input_tokens_per_instruction": tokens, "rows": rows}


def translated(method: Method, mind: Mind, case: Case, library: Library, situation: Situation) -> Translated:
    """What `method` makes of a case."""
    if case.kind == SEVERAL:
        return every_order(method, mind, case.instruction, library, situation)
    return method(mind, case.instruction, library, situation)


def row_of(case: Case, got: Translated, cards: dict[str, ExperimentCard]) -> Row:
    """One line: what was expected and what came."""
    said = verdict(case, got, cards)
    reached = 0 if case.outcome != "call" else _reached(case, got, said)
    return {
        "instruction": case.instruction,
        "kind": case.kind or case.outcome,
        "voice": case.voice,
        "expected": ", ".join(call.experiment for call in case.calls) or case.outcome,
        "outcome": case.outcome,
        "got": ", ".join(call.experiment for call in got.calls) or got.outcome,
        "verdict": said,
        "class": reached >= 1,
        "call": reached >= 2,
        "values": reached >= 3,
        "passed": said == RIGHT,
    }


def verdict(case: Case, got: Translated, cards: dict[str, ExperimentCard]) -> str:
    """``right``, or how it is wrong: class first, then whether the call is valid, then its values."""
    if got.outcome != case.outcome:
        return f"{case.outcome} expected, {got.outcome} given"
    if case.outcome != "call":
        return RIGHT
    names = [call.experiment for call in got.calls]
    if names != [call.experiment for call in case.calls]:
        return f"wrong experiment: {', '.join(names) or 'none'}"
    if got.detail:
        return f"not valid: {got.detail}"
    wrong = [
        name
        for mine, wanted in zip(got.calls, case.calls, strict=True)
        for name in _differing(mine, wanted, cards.get(wanted.experiment))
    ]
    return f"wrong values: {', '.join(wrong)}" if wrong else RIGHT


def shares(rows: list[Row]) -> dict[str, Any]:
    """Right ones of all, and step by step of those that are calls, refusals, questions; with Wilson intervals."""
    passed = sum(row["passed"] for row in rows)
    calls = [row for row in rows if row["outcome"] == "call"]
    steps = {step: _share([row[step] for row in calls]) for step in STEPS}
    for outcome, name in (("refuse", "refused"), ("ask", "asked")):
        steps[name] = _share([row["passed"] for row in rows if row["outcome"] == outcome])
    kinds = sorted({row["kind"] for row in rows})
    return {
        "n": len(rows),
        "score": passed / len(rows),
        "interval": wilson(passed, len(rows)),
        "steps": steps,
        "by_kind": {kind: _count([row["passed"] for row in rows if row["kind"] == kind]) for kind in kinds},
    }


def notes(ours: dict[str, Any], others: dict[str, dict[str, Any]]) -> list[str]:
    """What a terminal says below the table."""
    found = [_line(OURS, ours)]
    return found + [_line(name, table) for name, table in others.items()]


def _line(name: str, table: dict[str, Any]) -> str:
    steps = ", ".join(f"{step} {share['passed']}/{share['n']}" for step, share in table["steps"].items())
    tokens = table["input_tokens_per_instruction"]
    return f"{name}: score {table['score']:.3f} of {table['n']}; {steps}; {tokens} input tokens an instruction"


def _share(passed: list[bool]) -> dict[str, Any]:
    return {"passed": sum(passed), "n": len(passed), "interval": wilson(sum(passed), max(len(passed), 1))}


def _count(passed: list[bool]) -> list[int]:
    return [sum(passed), len(passed)]


def _reached(case: Case, got: Translated, said: str) -> int:
    """How many steps a call has gone: right class, valid, right values."""
    if said == RIGHT:
        return len(STEPS)
    if said.startswith("wrong values"):
        return 2
    return 1 if said.startswith("not valid") else 0


def _differing(mine: ExperimentCall, wanted: ExperimentCall, card: ExperimentCard | None) -> list[str]:
    """Arguments that are not as wanted; what is not given has its default."""
    defaults = {parameter.name: parameter.default for parameter in card.parameters} if card else {}
    full, right = defaults | mine.arguments, defaults | wanted.arguments
    return [name for name in full.keys() | right.keys() if not _equal(full.get(name), right.get(name))]


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float | int) and isinstance(b, float | int) and not isinstance(a, bool):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12)
    return bool(a == b)
