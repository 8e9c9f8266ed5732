"""Right and wrong plans drawn from the cards: the right ones complete, the wrong ones are named where they are wrong.

    python -m labwright.evaluation.benchmarks.plan_calls [--calls 2000] [--json FILE]

Right ones have values inside their bounds, in other units, as ranges or centre and span, several qubits, repetitions,
rules, and late values after the step that gives them. They are completed as a text of the short form, and as a YAML
document that a model would write, where every number has to have its unit. Wrong ones are such documents with one thing
broken; a problem has to stand at the path of what was broken.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from labwright.evaluation.benchmarks.drawn_calls import Draw, Order, differences, paper_lab, shipped
from labwright.evaluation.benchmarks.short_form import drawn, understood
from labwright.evaluation.results import provenance
from labwright.tools.durable import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.experiments.call import PROCEDURE, ExperimentCard, ParameterCard
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.catalogue import places, roles
from labwright.tools.specifications.plans import Completed, complete
from labwright.tools.specifications.reading import read_document, to_yaml
from labwright.tools.units import UNITS, canonical_unit

Plain = dict[str, Any]
Break = Callable[[random.Random, Plain, ExperimentCard], str]  # breaks a step; the path from the step, empty: cannot


def document(orders: Sequence[Order]) -> Plain:
    """The orders as a plan that a model would write."""
    steps = []
    for order in orders:
        kind, name = ("procedure", order.card.name.partition(":")[2]) if PROCEDURE in order.card.name else (
            "experiment",
            order.card.name,
        )  # fmt: skip
        parameters = {key: _yaml(value.text, order.means.get(key)) for key, value in order.settings.items()}
        for group in order.groups:
            step: Plain = {kind: name, "qubits": group}
            step |= {"parameters": dict(parameters)} if parameters else {}
            step |= {"repeats": order.repeats} if order.repeats is not None else {}
            step |= {"on": [{"if": condition, "go": goal} for condition, goal in order.rules]} if order.rules else {}
            steps.append(step)
    return {"spec": 1, "system": "lab_calibration", "steps": steps}


def _yaml(text: str, means: Any) -> Any:
    """A value as YAML has it: truth values and whole numbers plain, late values as mappings at times."""
    if isinstance(means, bool):
        return means
    if isinstance(means, int) and text == str(means):
        return means
    if text.startswith("2 * t1"):
        return {"from": "t1.t1", "times": 2}
    return text.strip("'")


def checked(data: Plain) -> Completed:
    """A document as it is read from a file, checked as a model's draft is."""
    return complete(read_document(to_yaml(data)).data, paper_lab(strict_units=True))


def right(number: int, seed: int = 0) -> Plain:
    """The right ones, on both paths."""
    wrong: dict[str, list[str]] = {"short form": [], "YAML": []}
    for each in range(number):
        text, orders = drawn(seed + each)
        wrong["short form"] += _wrong(text, orders, partial(understood, text))
        orders = Draw(seed + each, units=True).orders()
        data = document(orders)
        wrong["YAML"] += _wrong(to_yaml(data), orders, partial(checked, data))
    return {"plans": number, **{f"{path} complete": number - len(found) for path, found in wrong.items()},
            "wrong": [*wrong["short form"][:9], *wrong["YAML"][:9]]}  # fmt: skip


def _wrong(said: str, orders: Sequence[Order], completed: Callable[[], Completed]) -> list[str]:
    try:
        found = differences(orders, completed())
    except InputError as error:
        found = [str(error)]
    return [f"{said[:300]!r}: {found[0]}"] if found else []


def _numbers(card: ExperimentCard) -> list[ParameterCard]:
    own = [each for each in card.parameters if each.name not in roles(card)]
    return [each for each in own if each.type in ("int", "float") and each.minimum is not None]


def _set(step: Plain, name: str, value: Any) -> str:
    for other in ("range", "centre", "center", "span") if name in ("start", "stop") else ():
        step.get("parameters", {}).pop(other, None)
    step.setdefault("parameters", {})[name] = value
    return f"parameters.{name}"


def _unit(each: ParameterCard) -> str:
    return f" {each.unit}" if canonical_unit(each.unit) else ""


def beyond(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A limit exceeded."""
    for each in rng.sample(_numbers(card), min(1, len(_numbers(card)))):
        assert each.minimum is not None
        assert each.maximum is not None
        far = rng.choice((each.maximum * 2 + 1, each.minimum - 1 - abs(each.minimum)))
        return _set(step, each.name, int(far) if each.type == "int" else f"{far}{_unit(each)}")
    return ""


def unknown_parameter(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A parameter that the experiment has not."""
    return _set(step, rng.choice(("averages", "detunings", "power", "stopp", "colour", "n_points", "qubit")), 3)


def invented_qubit(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A qubit that the device has not."""
    step["qubits"] = [*step["qubits"][:-1], rng.choice(("Q9", "Q0", "q1", "qubit 1", "Q1-Q2", "dut", ""))]
    return "qubits"


def number_of_qubits(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """Too many qubits, or one twice."""
    if places(card) is None:
        step["qubits"] = [step["qubits"][0]] * 2
    else:
        step["qubits"] = ["Q1", "Q2", "Q3", "Q4"][: (places(card) or 0) + 1]
    return "qubits"


def dimension(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A unit of another dimension."""
    numbers = _numbers(card)
    if not numbers:
        return ""
    each = rng.choice(numbers)
    own = UNITS[canonical_unit(each.unit)][0]
    others = [unit for unit, (kind, _) in UNITS.items() if kind not in (own, "number")]
    return _set(step, each.name, f"3 {rng.choice(others)}")


def bare(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A number without its unit."""
    numbers = [each for each in _numbers(card) if UNITS[canonical_unit(each.unit)][0] != "number" and each.maximum]
    if not numbers:
        return ""
    each = rng.choice(numbers)
    return _set(step, each.name, each.maximum)


def backwards(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """`start` above `stop`."""
    own = {each.name: each for each in _numbers(card)}
    if not {"start", "stop"} <= set(own):
        return ""
    start, stop = own["start"], own["stop"]
    assert start.maximum is not None
    assert stop.minimum is not None
    if start.maximum <= stop.minimum:
        return ""
    _set(step, "start", f"{start.maximum}{_unit(start)}")
    _set(step, "stop", f"{stop.minimum}{_unit(stop)}")
    return "parameters"


def fraction(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A fractional count."""
    counts = [each for each in _numbers(card) if each.type == "int" and each.minimum is not None]
    if not counts:
        return ""
    each = rng.choice(counts)
    return _set(step, each.name, rng.choice((float(each.minimum or 0) + 0.5, f"{each.minimum} + 0.25")))


def unknown_task(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """An experiment or procedure that does not exist."""
    kind = "experiment" if "experiment" in step else "procedure"
    step[kind] = rng.choice(("t3", "T2", "t2", "rabbi", "Ramsey fringe count", "cross entropy benchmarking", "iswap"))
    return kind


def unknown_cause(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A cause that the experiment does not report."""
    cause = rng.choice(("no_signal", "too_cold", "no_respons", "not_enough", "broken"))
    step["on"] = [{"if": rng.choice((cause, f"failed and {cause}", f"not {cause}")), "go": "FAILED"}]
    return "on.0.if"


def unknown_estimate(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A comparison with something that the experiment does not measure, such as ``t2``."""
    step["on"] = [{"if": f"{rng.choice(('t2', 'T2', 'chi', 't3.t3', 'fidelty', 'Q9.frequency'))} < 5", "go": "FAILED"}]
    return "on.0.if"


def unknown_goal(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A goal that does not exist."""
    goal = rng.choice(("Stage 99", "stage 1", "End", "complete", "the step before", "Stage one"))
    step["on"] = [{"if": "failed", "go": goal}]
    return "on.0.go"


def early(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A late value before its step, or of something that no step gives."""
    numbers = _numbers(card)
    if not numbers:
        return ""
    late = rng.choice(("process_tomography.spam_error", "2 * t9.t1", {"from": "t2.t2", "times": 3}, "Q9.frequency"))
    return _set(step, rng.choice(numbers).name, late)


def twice(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A sweep that is said twice."""
    if not {"start", "stop"} <= {each.name for each in _numbers(card)}:
        return ""
    step["parameters"] = {**step.get("parameters", {}), "stop": "1 us", "range": "0 to 3 us"}
    return "parameters.range"


def wrong_form(rng: random.Random, step: Plain, card: ExperimentCard) -> str:
    """A field of the wrong form."""
    name, value = rng.choice((("qubits", "Q1"), ("repeats", 99), ("repeats", "often"), ("on", {"if": "failed"})))
    step[name] = value
    return name


BREAKS: tuple[Break, ...] = (
    beyond,
    unknown_parameter,
    invented_qubit,
    number_of_qubits,
    dimension,
    bare,
    backwards,
    fraction,
    unknown_task,
    unknown_cause,
    unknown_estimate,
    unknown_goal,
    early,
    twice,
    wrong_form,
)


def wrong(number: int, seed: int = 0) -> Plain:
    """The wrong ones: each has a problem at the path of what was broken."""
    missed: list[str] = []
    count: Counter[str] = Counter()
    draw = 0
    while sum(count.values()) < number:
        rng = random.Random(seed + draw)
        data = document(Draw(seed + draw, units=True).orders())
        draw += 1
        at, broken = rng.randrange(len(data["steps"])), BREAKS[sum(count.values()) % len(BREAKS)]
        data = copy.deepcopy(data)
        step = data["steps"][at]
        card = shipped().card(step.get("experiment", ""), step.get("procedure", ""))
        assert card is not None
        path = broken(rng, step, card)
        if not path:
            continue
        count[broken.__name__] += 1
        found = _fields(data)
        if not any(field == f"steps.{at}.{path}" for field in found):
            missed.append(f"{broken.__name__}: {step}: {found or 'no problem'}")
    return {"plans": number, "named": number - len(missed), "kinds": dict(count), "missed": missed[:20]}


def _fields(data: Plain) -> list[str]:
    try:
        return [problem.field for problem in checked(data).problems]
    except SpecificationError as error:
        return [problem.field for problem in error.problems]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    began = perf_counter()
    result = {"right": right(given.calls, given.seed), "wrong": wrong(given.calls, given.seed)}
    for name, part in result.items():
        sys.stdout.write(f"{name}\n" + "".join(f"  {key:24} {value}\n" for key, value in part.items()))
    if given.json:
        whole = {**provenance(perf_counter() - began), "seed": given.seed, **result}
        write_atomic(given.json.absolute(), (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode())
    return int(bool(result["right"]["wrong"] or result["wrong"]["missed"]))


if __name__ == "__main__":
    sys.exit(main())
