"""A plan in plain sentences, made by code: what is measured, what follows, what is written, how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from labwright.tools.experiments.call import ExperimentCall, ParameterCard
from labwright.tools.specifications.calibration import CalibrationPlan, Step
from labwright.tools.specifications.catalogue import Catalogue, listed, updates
from labwright.tools.specifications.plan_completion import DUT, PAIR_ROLES, filled, line_of_step, slug_of_step
from labwright.tools.specifications.step_checks import split_arguments

PLACEHOLDERS = (DUT, *PAIR_ROLES)
Estimate = Callable[[ExperimentCall], float | None]
WHERE = {
    "next": "go on with the next step",
    "repeat": "repeat it",
    "previous": "do the step before again",
    "COMPLETE": "end as complete",
    "FAILED": "end as failed",
}


# Parameters that decide how long an experiment takes, by the names that cards give them; a Ramsey offset sets its step.
SAMPLING = (
    "start", "stop", "step", "offset", "span", "longest", "points", "iterations", "repetitions", "rounds", "interval",
    "pulses", "max_length", "lengths", "kinds", "gates", "frequencies", "acquisitions", "shots", "averages",
)  # fmt: skip


def read_back(plan: CalibrationPlan, catalogue: Catalogue, estimate: Estimate, *, sampling: bool = False) -> str:
    """The plan as Markdown; with `sampling` also how each step samples by default, and its device time."""
    asks = [] if plan.approval == "as the run says" else [f"Asks {plan.approval}."]
    if plan.mode == "maintain":
        kept = f"Checks {_for(plan)} and calibrates again only what has gone stale. Writes the settings that are off."
        return " ".join([kept, *asks])
    alone = [plan.model_copy(update={"steps": [step]}) for step in plan.steps]
    parts = [cost(each, catalogue, estimate) for each in alone]
    costs = [
        _sampled(each, catalogue) + _took(*part[1:]) if sampling else ""
        for each, part in zip(alone, parts, strict=True)
    ]
    lines = [f"{number}. {line}" for number, line in enumerate(_steps(plan, costs), 1)]
    head = f"For {_for(plan)}:" if plan.for_ else "In this order:"
    written = set[str]().union(*(part[0] for part in parts))
    seconds, bound = sum(part[1] for part in parts), any(part[2] for part in parts)
    tail = [f"Writes: {listed(sorted(written)) if written else 'nothing'}."]
    if seconds:
        tail.append(f"Device time without repetitions: {'at least ' if bound else 'about '}{_duration(seconds)}.")
    return "\n".join([head, "", *lines, "", *tail, *asks])


def _for(plan: CalibrationPlan) -> str:
    if plan.for_ in ("", "all"):
        return "all qubits, side by side" + (f", then the couplers {listed(plan.couplers)}" if plan.couplers else "")
    if plan.for_ == "pairs":
        return "every coupled pair in turn"
    return listed(plan.for_) + (", side by side" if len(plan.for_) > 1 else "")


def _sampled(plan: CalibrationPlan, catalogue: Catalogue) -> str:
    """What the line of a plan's only step does not say of its sampling: `` (default: shots = 4000)``."""
    step, calls = plan.steps[0], list(calls_of(plan, catalogue))
    if not isinstance(step, Step) or not calls:
        return ""
    if step.procedure:
        return f" ({', '.join(filter(None, (f'{len(calls)} steps', _shots(calls, plan, catalogue))))})"
    kept = plan.defaults.get(step.experiment, {})
    told = [
        f"{each.name} = {_of_default(each, kept.get(each.name, each.default))}"
        for each in catalogue.cards[step.experiment].parameters
        if each.name in SAMPLING and not each.required and each.name not in step.parameters
    ]
    return f" (default: {', '.join(told)})" if told else ""


def _took(seconds: float, bound: bool) -> str:
    """``, 3.2 s``: the device time of a step; empty if nobody can tell."""
    took = _duration(seconds) if seconds >= 10 else f"{seconds:.1f} s"
    return f", {'at least ' if bound else ''}{took}" if seconds else ""


def _of_default(parameter: ParameterCard, value: Any) -> str:
    """A default with its unit; a stop or step of 0 is chosen by the experiment."""
    if value == 0 and parameter.name in ("stop", "step"):
        return "automatic"
    return f"{value} {parameter.unit}".rstrip() if isinstance(value, str) else f"{value:g} {parameter.unit}".rstrip()


def _shots(calls: Sequence[Step], plan: CalibrationPlan, catalogue: Catalogue) -> str:
    """``shots = 1000 to 4000``: the fewest and the most of these calls; empty if none has a number of shots."""
    found = [
        step.parameters.get("shots", plan.defaults.get(step.experiment, {}).get("shots", each.default))
        for step in calls
        for each in catalogue.cards[step.experiment].parameters
        if each.name == "shots"
    ]
    numbers = sorted({int(each) for each in found if str(each).isdecimal()})
    return f"shots = {' to '.join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))}" if numbers else ""


def _steps(plan: CalibrationPlan, costs: Sequence[str]) -> Iterator[str]:
    for step, takes in zip(plan.steps, costs, strict=True):
        if isinstance(step, str):
            yield step
            continue
        parts = [f"`{_line(step)}`{takes}"]
        parts += [f"repeat at most {step.repeats} times"] if step.repeats is not None else []
        for each in step.on:
            goal = WHERE.get(each.go, f"go to {each.go}")
            changed = ", ".join(f"{name} = {value}" for name, value in each.change.items())
            then = f"if {each.if_}, {goal}{f' with {changed}' if changed else ''}"
            parts.append(f"decide by: {each.rule}" if each.rule else then)
        parts += [f"inserted: {step.inserted}"] if step.inserted else []
        yield "; ".join(parts)


def _line(step: Step) -> str:
    """A step as a line, in which quotes show where a procedure's name ends and what stands for a qubit."""
    qubits = [f"'{name}'" if name in PLACEHOLDERS else name for name in step.qubits]
    name, line = step.procedure.replace("-", " "), line_of_step(step.model_copy(update={"qubits": qubits}))
    return f'"{name}"{line.removeprefix(name)}' if " " in name else line


def cost(plan: CalibrationPlan, catalogue: Catalogue, estimate: Estimate) -> tuple[set[str], float, bool]:
    """(settings that are written, s of device time, whether that is a lower bound)."""
    written: set[str] = set()
    total, bound = 0.0, plan.for_ == "all" or bool(plan.couplers)
    for step in calls_of(plan, catalogue):
        card = catalogue.cards[step.experiment]
        arguments, late = split_arguments(step, card)
        written |= set(card.writes) if updates(card, arguments) and step.writes != "none" else set()
        seconds = None if late else estimate(ExperimentCall(card.name, arguments))
        bound, total = bound or seconds is None, total + (seconds or 0.0)
    return written, total, bound


def written_if_needed(plan: CalibrationPlan, catalogue: Catalogue) -> list[str]:
    """Settings that only such steps write as are passed over where every step before them succeeds."""
    sure = plan.model_copy(
        update={
            "steps": _passed(plan.steps),
            "procedures": {
                name: one.model_copy(update={"steps": _passed(one.steps)}) for name, one in plan.procedures.items()
            },
        }
    )
    always, whole = (cost(one, catalogue, lambda _call: None)[0] for one in (sure, plan))
    return sorted(whole - always)


def _passed(steps: Sequence[Any]) -> list[Any]:
    """The steps that are done where each succeeds."""
    labels = {(getattr(one, "label", "") or f"Stage {number}"): number for number, one in enumerate(steps, 1)}
    found, at = [], 1
    while 0 < at <= len(steps) and steps[at - 1] not in found:
        step = steps[at - 1]
        found.append(step)
        go = next((one.go for one in getattr(step, "on", []) if one.if_ == "success"), "next")
        at = labels.get(go, at + 1 if go == "next" else 0)
    return found


def calls_of(plan: CalibrationPlan, catalogue: Catalogue, names: Mapping[str, str] | None = None) -> Iterator[Step]:
    """Every experiment step of the plan and of the procedures below it, once each, placeholders filled if they can.

    `names` says what they stand for, such as {"dut": "Q1"}; the first qubit that the plan is for if it does not.
    """
    if names is None:
        names = {DUT: plan.for_[0]} if isinstance(plan.for_, list) and plan.for_ else {}
    yield from _calls([step for step in plan.steps if isinstance(step, Step)], names, plan, catalogue)


def _calls(steps: list[Step], names: Mapping[str, str], plan: CalibrationPlan, catalogue: Catalogue) -> Iterator[Step]:
    for step in steps:
        own = filled(step, names)
        if not own.procedure:
            if own.experiment in catalogue.cards:
                yield own
            continue
        inner = plan.procedures.get(slug_of_step(own))
        if inner is not None:
            below = dict(zip(inner.parameters, own.qubits, strict=False))
            yield from _calls([each for each in inner.steps if isinstance(each, Step)], below, plan, catalogue)


def _duration(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )
