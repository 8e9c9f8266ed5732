"""One result to be inspected, and what an experienced person would say about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from labwright.evaluation.inspection.random_case_numbers import Draw
from labwright.evaluation.inspection.scripted_device import Signal, WrittenDevice
from labwright.tools.errors import DataError
from labwright.tools.experiments import registry
from labwright.tools.experiments.base import Bench, Experiment, Report, Verdict
from labwright.tools.qpu.device import Device

Way = Literal["up", "down"]
Action = Mapping[str, Way]  # parameter -> where the next run's value has to go


@dataclass(frozen=True, slots=True)
class Made:
    """What a generator writes: the call, the signal that answers it, and what is true.

    Attributes:
        arguments: of the experiment, without the qubit.
        signal: answers the program.
        truth: estimate -> its true value, where there is one.
        actions: any one of these is a right proposal; empty where nothing is demanded.
    """

    arguments: dict[str, Any]
    signal: Signal
    truth: dict[str, float] = field(default_factory=dict)
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which a measurement turns out.

    Attributes:
        name: unique in its set.
        experiment: registered name.
        status: the right verdict.
        write: draws the numbers.
        number: how many of it a half has.
    """

    name: str
    experiment: str
    status: Verdict
    write: Callable[[Draw], Made]
    number: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A case after its experiment ran.

    Attributes:
        kind: what it is.
        number: of the case within its kind.
        made: what was written.
        experiment: with data and fit.
        report: the numbers' own judgement.
    """

    kind: Kind
    number: int
    made: Made
    experiment: Experiment
    report: Report


def measured(kind: Kind, number: int, draw: Draw) -> Measured:
    """Run the experiment of one case on its written signal."""
    made = kind.write(draw)
    device = cast(Device, WrittenDevice(made.signal, draw.seed))  # what one-qubit experiments use of a device
    experiment = registry.experiments()[kind.experiment](Bench(device, "case"))
    try:
        experiment.run("Q1", **made.arguments)
        report = experiment.report()
    except DataError as poor:  # as `perform` reads data that determine nothing
        report = Report("bad_data", str(poor).split(". ")[0], str(poor))
    return Measured(kind, number, made, experiment, report)


def trusted(case: Measured) -> bool:
    """Whether the report gives its number on: as a success, an update of the settings, or a variable."""
    report = case.report
    return report.verdict == "success" or bool(report.updates) or bool(report.variables)


def right_number(case: Measured) -> bool:
    """Whether every estimate whose truth is known lies within four of its own errors, or within one per cent."""
    for name, truth in case.made.truth.items():
        estimate = case.report.estimates.get(name)
        if estimate is None or abs(estimate.value - truth) > max(4 * estimate.error, 0.01 * abs(truth)):
            return False
    return True


def met(actions: tuple[Action, ...], proposal: Mapping[str, float], arguments: Mapping[str, Any]) -> bool:
    """Whether a proposal goes where one of the right ones goes; anything does where nothing is demanded.

    `arguments` holds the value of every parameter that the run had, defaults included.
    """
    return not actions or any(
        all(name in proposal and _moves(proposal[name] - arguments[name], way) for name, way in action.items())
        for action in actions
    )


def _moves(change: float, way: Way) -> bool:
    return change > 0 if way == "up" else change < 0
