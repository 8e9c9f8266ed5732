"""A plan against the lab's limits and its own bounds, before it is approved. The guard of the device has the say."""

from __future__ import annotations

from collections.abc import Iterator

from labwright.graphs.lab_calibration.run_context import Laboratory
from labwright.tools.errors import InputError, LabLimitError
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import rehearse
from labwright.tools.specifications.base import Problem
from labwright.tools.specifications.bounds import Bounds, size
from labwright.tools.specifications.calibration import CalibrationPlan, Step
from labwright.tools.specifications.catalogue import updates
from labwright.tools.specifications.plan_completion import line_of_step
from labwright.tools.specifications.plan_to_sentences import calls_of, cost
from labwright.tools.specifications.step_checks import split_arguments

LEAVE = "Change or leave out the step, or give it `writes: none` if it is about what it writes."


def problems_with(plan: CalibrationPlan, lab: Laboratory, known: list[Problem]) -> Iterator[Problem]:
    """What would be refused while the plan runs, as far as it can be told now, besides what is `known`."""
    if not lab.laws and plan.bounds == Bounds():
        return
    said = {each.message for each in known}
    for step in _steps(plan, lab):
        for sentence in _refusals(step, lab):
            if sentence not in said:
                said.add(sentence)
                yield Problem(("steps",), f"`{line_of_step(step)}`: {sentence}", LEAVE)
    steps = [step for step in plan.steps if isinstance(step, Step)]
    for bounds, where in lab.bounds:
        if bounds.actions is not None and len(steps) > bounds.actions:
            message = f"The plan has {len(steps)} steps, but may take {bounds.actions} measurements ({where}.actions)."
            yield Problem(("steps",), message, "Plan fewer steps, or several runs.")
    limits = [(size(each.device_time, "s"), where) for each, where in lab.bounds if each.device_time]
    needed = cost(plan, lab.catalogue, lab.estimated)[1] if limits else 0.0
    for most, where in limits:
        if needed > most:
            message = f"The plan needs at least {needed:.1f} s of device time, but may take {most:g} s ({where})."
            yield Problem(("steps",), message, "Plan less: fewer steps, shots or points.")


def _steps(plan: CalibrationPlan, lab: Laboratory) -> Iterator[Step]:
    """Every experiment step, for every qubit that gets it."""
    each = list(plan.for_) if isinstance(plan.for_, list) else list(lab.device.qubits) if plan.for_ == "all" else []
    for name in each or [""]:
        one = plan.model_copy(update={"for_": [name]}) if name else plan
        yield from calls_of(one, lab.catalogue)


def _refusals(step: Step, lab: Laboratory) -> Iterator[str]:
    card = lab.catalogue.cards[step.experiment]
    arguments, late = split_arguments(step, card)
    if step.writes != "none" and updates(card, arguments):
        for law in lab.laws:
            if frozen := law.frozen("-".join(step.qubits), card.writes):
                yield f"{', '.join(frozen)} may not be written ({law.where('writes')})."
    if late or not set(step.qubits) <= set(lab.device.qubits):
        return
    try:
        rehearse(lab.experiments[card.name], ExperimentCall(card.name, arguments), lab.device)
    except LabLimitError as refused:
        yield str(refused)
    except (InputError, TypeError):  # said where the plan is checked
        return
