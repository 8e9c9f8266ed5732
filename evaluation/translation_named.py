"""Suite `translation-named`: instructions that name the experiment and its parameters, drawn for every experiment.

Free words are read as far as the lexicon goes (`translation`). Whoever uses the names of an experiment and of its
parameters, as `docs/experiments.md` lists them, is to be understood always: here that is tried.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from labwright.agents.lab_calibration.translate import Situation
from labwright.agents.models import make_mind
from labwright.evaluation.scoring import wilson
from labwright.evaluation.translation import COLUMNS, row_of, shipped_library, translated
from labwright.evaluation.translation_cases import Case
from labwright.evaluation.translation_methods import METHODS, OURS, QUBITS
from labwright.tools.experiments import registry
from labwright.tools.experiments.call import ExperimentCall, ExperimentCard, ParameterCard, render_call

PAIRS = (("Q2", "Q1"), ("Q1", "Q8"), ("Q1", "Q2"), ("Q8", "Q1"))
WHO = ("qubit", "partner", "qubits")
FORMS = ("title with name = value", "name, name=value", "title, name value", "call")
FACTORS = (0.5, 0.6, 0.75, 0.8, 1.2, 1.25, 1.5, 1.6, 2.0)  # of a default


def run(seeds: int = 10, mind: str = "rules", on_progress: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Every experiment asked for by its name, with parameters by theirs, in four forms: {suite, n, score, rows, ...}.

    Args:
        seeds: drawn calls of each experiment.
        mind: ``rules``, or ``provider:model``.
    """
    began, answering = time.perf_counter(), make_mind(mind)
    library, method = shipped_library(answering), METHODS[OURS]()
    rows = []
    for name, card in library.cards.items():
        if name not in registry.experiments():
            continue  # a procedure has no parameters of its own
        on_progress(name)
        for form, case in drawn(card, seeds):
            got = translated(method, answering, case, library, Situation({}, QUBITS))
            rows.append({**row_of(case, got, library.cards), "form": form})
    right = sum(row["passed"] for row in rows)
    of_form = {form: [row["passed"] for row in rows if row["form"] == form] for form in FORMS}
    return {
        "suite": "translation-named",
        "mind": answering.name,
        "columns": COLUMNS,
        "n": len(rows),
        "score": right / len(rows),
        "interval": wilson(right, len(rows)),
        "passed": right == len(rows),
        "rows": [row for row in rows if not row["passed"]],
        "by_form": {form: [sum(passed), len(passed)] for form, passed in of_form.items()},
        "notes": [f"{form}: {sum(passed)} of {len(passed)}" for form, passed in of_form.items()],
        "seconds": round(time.perf_counter() - began, 3),
    }


def drawn(card: ExperimentCard, count: int) -> Iterator[tuple[str, Case]]:
    """`count` calls of an experiment with up to three parameters, each said in four forms."""
    dice = random.Random(f"named {card.name}")
    for _ in range(count):
        call = ExperimentCall(card.name, _arguments(card, dice))
        for form, words in zip(FORMS, _said(card, call), strict=True):
            yield form, Case(words, "call", (call,))


def _arguments(card: ExperimentCard, dice: random.Random) -> dict[str, Any]:
    names = {one.name for one in card.parameters}
    first, second = dice.choice(PAIRS)
    arguments: dict[str, Any] = {"qubit": first} if "qubit" in names else {}
    if "partner" in names:
        arguments["partner"] = second
    if "qubits" in names:
        arguments["qubits"] = dice.choice(("Q1", "Q2,Q1", "Q2,Q1,Q8"))
    others = [one for one in card.parameters if one.name not in WHO and one.type != "str"]
    chosen = [one for one in others if one.required]
    free = [one for one in others if not one.required]
    chosen += dice.sample(free, min(len(free), dice.randint(0, 3)))
    arguments |= {one.name: _value(one, dice) for one in chosen}
    whole = {one.name: one.default for one in card.parameters} | arguments
    if {"start", "stop"} <= whole.keys() and whole["start"] >= whole["stop"]:
        return {name: value for name, value in arguments.items() if name not in ("start", "stop")}
    return arguments


def _value(parameter: ParameterCard, dice: random.Random) -> Any:
    """A number within the bounds with two digits or three, as a person would choose it."""
    if parameter.type == "bool":
        return dice.random() < 0.5
    low, high = parameter.minimum or 0.0, parameter.maximum if parameter.maximum is not None else 1000.0
    usual = parameter.default or 0.0
    value = usual * dice.choice(FACTORS) if usual else low + (min(high, low + 1000.0) - low) * dice.random()
    value = float(f"{min(high, max(low, value)):.3g}")
    if parameter.type == "int":
        return min(int(high), max(int(-(-low // 1)), round(value)))
    return value


def _said(card: ExperimentCard, call: ExperimentCall) -> tuple[str, str, str, str]:
    title = card.summary.partition(":")[0].partition(" (")[0]
    given = [(one, call.arguments[one.name]) for one in card.parameters if one.name in call.arguments]
    settings = [(one.name, _shown(one, value)) for one, value in given if one.name not in WHO]
    who = call.arguments.get("qubits") or " and ".join(
        call.arguments[name] for name in ("qubit", "partner") if name in call.arguments
    )
    equal = ", ".join(f"{name} = {value}" for name, value in settings)
    plain = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings)
    return (
        f"{title} on {who} with {equal}" if equal else f"{title} on {who}",
        ", ".join([f"{card.name} {who}", *(f"{name}={value}" for name, value in settings)]),
        f"Run {title} on {who}, {plain}." if plain else f"Run {title} on {who}.",
        render_call(call),
    )


def _shown(parameter: ParameterCard, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    unit = "" if parameter.unit in ("", "full scale") else f" {parameter.unit}"
    return f"{value:g}{unit}"
