"""What an experiment is: acquire, fit, report, update, in that order, and a figure.

The docstring of `run` is the knowledge that agents translate instructions with; the decorators mark the methods
that inspection agents read. Nothing here knows of agents.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError, LabLimitError
from labwright.tools.experiments.array_labels import Array
from labwright.tools.experiments.needs import Need
from labwright.tools.experiments.sizzle_policy import Advisor
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.joint_program import AnyProgram
from labwright.tools.qpu.program import Acquired
from labwright.tools.qpu.settings import PairSettings, QubitSettings
from labwright.tools.units import converted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Verdict = Literal["success", "adjust", "bad_data", "wrong_setup"]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Quantity:
    """Annotation of a parameter: ``stop: Annotated[float, Quantity("us", 0.05, 300)] = 1.0``."""

    unit: str  # "" for a pure number
    minimum: float
    maximum: float

    def check(self, name: str, value: float) -> None:
        """Raise unless `value` lies within the bounds, which belong to it.

        Raises:
            InputError: it does not, or it is not a number.
        """
        if not self.minimum <= value <= self.maximum:
            unit = f" {self.unit}" if self.unit else ""
            raise InputError(
                f"Argument `{name}` must be between {self.minimum:g} and {self.maximum:g}{unit}, but is {value:g}."
                " Choose a value inside these bounds."
            )

    def clip(self, value: float) -> float:
        """The allowed value nearest to `value`."""
        return min(max(value, self.minimum), self.maximum)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured number with its one-sigma error."""

    value: float
    error: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One criterion, computed: what was demanded and whether the data meet it."""

    name: str  # such as "oscillations between 3 and 10"
    passed: bool
    detail: str  # the number that decided, with unit


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the criteria of a run amount to; the fields are those of a `Report`."""

    verdict: Verdict
    diagnosis: str
    cause: str = ""
    proposal: dict[str, float] = field(default_factory=dict)

    def report(
        self,
        analysis: str,
        estimates: dict[str, Estimate],
        checks: tuple[Check, ...],
        updates: dict[str, float] | None = None,
        variables: dict[str, float] | None = None,
    ) -> Report:
        """The report with this judgement and the numbers that it was made from."""
        return Report(
            self.verdict, self.diagnosis, analysis, estimates, checks, self.proposal, updates or {},
            variables=variables or {}, cause=self.cause,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Report:
    """What the numbers say about one run of an experiment.

    Attributes:
        verdict: ``success``; ``adjust`` (good data, wrong range: run again with `proposal`); ``bad_data`` (run again
            as it is, or with more shots); ``wrong_setup`` (another experiment has to come first).
        diagnosis: a few words of the field, such as "too few oscillations", for people; code never reads them.
        analysis: one to four sentences with the numbers in them.
        estimates: name -> Estimate.
        checks: every criterion that was evaluated.
        proposal: parameter of `run` -> value, for the next run of the same experiment. Empty on success.
        updates: setting -> new value that passed the gates; what `update` writes.
        notes: numbers stored beside the update in the settings history.
        variables: name -> value injected into the variable table for later experiments.
        cause: why it is no success, as one word of the experiment's `causes`, such as ``too_few_oscillations``. Empty
            on a success, unless that comes with something worth knowing.
    """

    verdict: Verdict
    diagnosis: str
    analysis: str
    estimates: dict[str, Estimate] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    proposal: dict[str, float] = field(default_factory=dict)
    updates: dict[str, float] = field(default_factory=dict)
    notes: dict[str, float] = field(default_factory=dict)
    variables: dict[str, float] = field(default_factory=dict)
    cause: str = ""


class Bench:
    """A device, borrowed for one action: hands out one key for each acquisition, in order."""

    def __init__(self, device: Device, key: str, advisor: Advisor | None = None) -> None:
        self.device, self.key = device, key
        self.advisor = advisor  # who says what a search tries next (`sizzle_policy.Advisor`); its own rules if None
        self.seconds = 0.0
        self.acquisitions = 0

    def settings(self, qubit: str) -> QubitSettings:
        """The calibrated settings of `qubit` as they stood when this action began.

        An action that is analysed a second time, after its own update was written, must see what it measured with.
        """
        current = self.device.settings.current(qubit)
        own = [v for v in self.device.settings.history(qubit) if v.key == f"{self.key}.update"]
        return current.changed(own[-1].before) if own else current

    def pair_settings(self, name: str) -> PairSettings:
        """The settings of a coupled pair as they stood when this action began."""
        current = self.device.settings.pair(name)
        own = [v for v in self.device.settings.history(name) if v.key == f"{self.key}.update"]
        return current.changed(own[-1].before) if own else current

    def acquire(self, program: AnyProgram) -> Acquired:
        """Check and play `program` under this action's next key."""
        self.device.check(program)
        got = self.device.acquire(program, f"{self.key}.{self.acquisitions}")
        self.acquisitions += 1
        self.seconds += got.seconds
        return got

    def counts(self, program: AnyProgram) -> tuple[NDArray[np.int64], int]:
        """Play `program` and give the shots read as 1 of each sequence, of so many; of several qubits joint counts."""
        got = self.acquire(program)
        assert got.counts is not None
        return got.counts, got.shots

    def fractions(self, program: AnyProgram) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play `program` and give the fraction of shots read as 1 of each sequence, with its standard error."""
        counts, shots = self.counts(program)
        return counts / shots, binomial_error(counts, shots)

    def averages(self, program: AnyProgram) -> tuple[NDArray[np.complex128], NDArray[np.float64]]:
        """Play `program` and give the mean IQ point of each sequence, with its error a quadrature."""
        got = self.acquire(program)
        assert got.average is not None
        assert got.average_error is not None
        return got.average, got.average_error


class Experiment(ABC):
    """One kind of measurement. Sub-classes define `run`, `fit`, `report` and `plot`.

    Class variables:
        name: the field's name in snake case; what candidate code calls.
        summary_instructions: how to weigh this experiment's inspections; read by the summarising agent.
        causes: every cause that a report may have -> what it means, in one sentence. Those of `diagnosis.ALWAYS` need
            not be declared.
        results: the estimates and variables that a report may have -> unit; what later steps of a plan may refer to.
        needs: the settings that have to be right before the data mean anything, how fresh and how good; see `needs`.
        writes: the settings that `update` may change, fields of `QubitSettings` or `PairSettings`.
        errors: setting in `writes` -> the estimate whose error is the setting's, where that has another name.
        arrays: what every array of `data` is: dimensions and unit, see `labels`.
        bare: parameters without which an instruction is incomplete have no default in `run`.
    """

    name: ClassVar[str]
    summary_instructions: ClassVar[str]
    causes: ClassVar[dict[str, str]] = {}
    needs: ClassVar[tuple[Need, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()
    errors: ClassVar[dict[str, str]] = {}
    arrays: ClassVar[dict[str, Array]] = {}
    results: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls) -> None:
        """Have `run` check and keep its arguments before it measures, see `remember`."""
        super().__init_subclass__()
        if "run" in vars(cls):
            cls.run = _keeping_arguments(cls.run)  # type: ignore[method-assign]

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.qubit = ""
        self.arguments: dict[str, Any] = {}
        self.data: dict[str, NDArray[Any]] = {}  # arrays that reproduce figure and fit; saved as npz

    @abstractmethod
    def run(self, *args: Any, **kwargs: Any) -> None:
        """Measure and fit. Sub-classes name their parameters, qubits first, and document every one."""

    @abstractmethod
    def report(self) -> Report:
        """The numbers: estimates, checks, verdict, proposal, gated updates. Call after `run`."""

    @abstractmethod
    def plot(self) -> Figure:
        """The figure of the last run."""

    def within_bounds(self, digits: int = 0, /, **wanted: float) -> dict[str, float]:
        """A proposal: the nearest values to those wanted that the parameters of `run` may have.

        They are rounded to so many significant `digits`; 0 leaves them as they are.
        """
        found = {name: quantities(type(self))[name].clip(value) for name, value in wanted.items()}
        return {name: float(f"{value:.{digits}g}") for name, value in found.items()} if digits else found

    def expected_acquisitions(self) -> float:
        """How many times as long as its first acquisition a run takes; asked when `run` has come to that one."""
        return 1.0

    def update(self) -> None:
        """Write the report's gated updates to the device's settings, once."""
        report = self.report()
        if report.updates and self.arguments.get("update", True):
            self.bench.device.settings.update(
                self.qubit,
                report.updates,
                key=f"{self.bench.key}.update",
                reason=f"{self.name}: {report.diagnosis}",
                notes=report.notes,
            )

    def remember(self, **arguments: Any) -> None:
        """Keep the arguments that `run` was called with; every run begins with this.

        Raises:
            InputError: an argument is outside the bounds that the signature of `run` states.
            LabLimitError: it is outside those that the lab or the plan sets besides.
        """
        for name, quantity in quantities(type(self)).items():
            quantity.check(name, arguments[name])
            self._check_bounds(name, arguments[name], quantity.unit)
        self.qubit = arguments.pop("qubit", "")
        self.arguments = arguments

    def _check_bounds(self, name: str, value: float, unit: str) -> None:
        limits = self.bench.device.limits.parameters
        for bound in (*limits.get(name, ()), *limits.get(f"{self.name}.{name}", ())):
            own = value if bound.unit is None else converted(value, unit, bound.unit)
            if own is None or not bound.minimum <= own <= bound.maximum:
                inside = (
                    f"at most {bound.maximum:g}"
                    if np.isneginf(bound.minimum)
                    else (f"between {bound.minimum:g} and {bound.maximum:g}")
                )
                raise LabLimitError(
                    f"Argument `{name}` of {self.name} is {value:g} {unit}".rstrip()
                    + f", but must be {inside} {unit if bound.unit is None else bound.unit}".rstrip()
                    + f" ({bound.where}). That holds for the whole run: choose a value inside."
                )


def _keeping_arguments(run: Callable[..., None]) -> Callable[..., None]:
    signature = inspect.signature(run)

    @wraps(run)
    def keeping(self: Experiment, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        self.remember(**dict(list(bound.arguments.items())[1:]))
        run(self, *args, **kwargs)

    return keeping


@cache
def quantities(cls: type[Experiment]) -> dict[str, Quantity]:
    """The annotated parameters of an experiment's `run`: name -> unit and bounds."""
    hints = get_type_hints(cls.run, include_extras=True)
    marks = {
        name: [m for m in getattr(hint, "__metadata__", ()) if isinstance(m, Quantity)] for name, hint in hints.items()
    }
    return {name: found[0] for name, found in marks.items() if found}


def visual_inspection(prompt: str) -> Callable[[F], F]:
    """Mark a figure-making method; `prompt` tells a vision model how to judge it.

    ``Image("name.png")`` in the prompt is a reference picture, looked up in the package's ``examples`` folder, then
    in the user's lab folder.
    """

    def mark(method: F) -> F:
        method.visual_prompt = inspect.cleandoc(prompt)  # type: ignore[attr-defined]
        return method

    return mark


def binomial_error(counts: NDArray[np.int64], shots: int) -> NDArray[np.float64]:
    """Standard error of a fraction of `shots`, never zero (Agresti-Coull centre)."""
    p = (counts + 1.0) / (shots + 2.0)
    return np.sqrt(p * (1 - p) / shots)
