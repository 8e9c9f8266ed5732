"""One experiment call, rehearsed or really run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from labwright.tools.errors import DataError, HardwareLimitError
from labwright.tools.experiments.base import Bench, Experiment, Report, Verdict
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.sizzle_policy import Advisor
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.joint_program import AnyProgram, JointProgram
from labwright.tools.qpu.program import Acquired

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class _Rehearsed(Exception):
    """Raised by the rehearsal's bench where the first acquisition would have been played."""

    def __init__(self, program: AnyProgram) -> None:
        self.program = program


class _RehearsalBench(Bench):
    def acquire(self, program: AnyProgram) -> Acquired:
        self.device.check(program)
        raise _Rehearsed(program)


@dataclass(frozen=True, slots=True)
class Performed:
    """What one run of an experiment gave. `experiment` still holds arrays and figures."""

    experiment: Experiment
    report: Report
    seconds: float  # device time
    acquisitions: int
    figures: dict[str, Callable[[], Figure]] = field(default_factory=dict)  # method name -> draws it


def rehearse(kind: type[Experiment], call: ExperimentCall, device: Device) -> AnyProgram | None:
    """The first program that `call` would play, checked against the device's limits; plays nothing.

    Raises:
        InputError: the device would refuse it.
    """
    return rehearsed(kind, call, device)[1]


def rehearsed(kind: type[Experiment], call: ExperimentCall, device: Device) -> tuple[Experiment, AnyProgram | None]:
    """The experiment where `call` has come to its first acquisition, and the program of that; see `rehearse`.

    Raises:
        InputError: the device would refuse it.
    """
    experiment = kind(_RehearsalBench(device, "rehearsal"))
    try:
        experiment.run(**call.arguments)
    except _Rehearsed as stopped:
        return experiment, stopped.program
    return experiment, None


def peak_amplitude(program: AnyProgram) -> float:
    """The largest drive amplitude that `program` plays, full scale units."""
    alphabets = program.operations if isinstance(program, JointProgram) else (program.operations,)
    return max((getattr(o, "amplitude", 0.0) for alphabet in alphabets for o in alphabet), default=0.0)


def perform(
    kind: type[Experiment], call: ExperimentCall, device: Device, key: str, advisor: Advisor | None = None
) -> Performed:
    """Run `call`: acquire, fit, report, update. The same `key` plays nothing twice; `advisor` is for searches.

    A limit that only a later acquisition meets, or data that determine nothing, end in a report that says so.
    """
    bench = Bench(device, key, advisor)
    experiment = kind(bench)
    try:
        experiment.run(**call.arguments)
        report = _no_more_of_the_same(experiment.report(), experiment.arguments)
        experiment.update()
    except HardwareLimitError as refused:
        report = _without_result("wrong_setup", "hardware_limit", refused)
        return Performed(experiment, report, bench.seconds, bench.acquisitions)
    except DataError as poor:
        report = _without_result("bad_data", "no_result", poor)
        return Performed(experiment, report, bench.seconds, bench.acquisitions)
    return Performed(experiment, report, bench.seconds, bench.acquisitions, dict(_figures(experiment)))


def _no_more_of_the_same(report: Report, arguments: dict[str, Any]) -> Report:
    """A report whose proposal is what was played, because a bound is reached: another run would give the same."""
    same = report.proposal and all(arguments.get(name) == value for name, value in report.proposal.items())
    return replace(report, verdict="wrong_setup", proposal={}) if same and not report.updates else report


def _without_result(verdict: Verdict, cause: str, error: Exception) -> Report:
    return Report(verdict=verdict, diagnosis=str(error).split(". ")[0], analysis=str(error), cause=cause)


def _figures(experiment: Experiment) -> Iterator[tuple[str, Callable[[], Figure]]]:
    for name in visual_prompts(type(experiment)):
        yield name, getattr(experiment, name)


def visual_prompts(kind: type[Experiment]) -> dict[str, str]:
    """Figure-making method -> what a vision model is told about it."""
    marked = {name: getattr(getattr(kind, name), "visual_prompt", None) for name in dir(kind)}
    return {name: prompt for name, prompt in marked.items() if prompt is not None}


def plain_report(report: Report) -> dict[str, Any]:
    """`report` as JSON-plain values."""
    return asdict(report)
