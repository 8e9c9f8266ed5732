"""What the four systems return to Python: the outcome of the run, with its result in types."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from labwright.graphs import notebook_display
from labwright.graphs.lab_calibration.stage_results import by_stage
from labwright.graphs.notebook_display import Figure
from labwright.graphs.running import Outcome
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset, DataTree


@dataclass(frozen=True, slots=True)
class Measured:
    """One estimate; `error` is one standard deviation, None where none is known."""

    value: float
    error: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class QubitResult:
    """What a calibration found of one qubit.

    Attributes:
        before: setting -> value when the run began; units as in docs/units.md.
        after: the same at its end.
        error_per_gate: from randomized benchmarking, averaged over the Cliffords' gates; None if it was not run.
        error_std: its standard error.
        limit: error per gate that T1 and echo allow.
        measured: ``experiment.quantity`` -> estimate.
    """

    before: dict[str, float]
    after: dict[str, float]
    error_per_gate: float | None
    error_std: float | None
    limit: float | None
    measured: dict[str, Measured]


@dataclass(frozen=True, slots=True)
class StageResult:
    """What one stage of a calibration found.

    Attributes:
        experiment: its name; of a procedure ``procedure:NAME``.
        accepted: whether its last run succeeded.
        verdict: of that run; ``skipped`` if a person skipped it.
        diagnosis: a few words.
        found: what the analysis says, with its numbers.
        results: quantity -> estimate, also where they were not accepted.
    """

    experiment: str
    accepted: bool
    verdict: str
    diagnosis: str
    found: str
    results: dict[str, Measured]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Shares of right answers, 0 to 1; `test` is None where the test part stayed closed."""

    validation: float
    test: float | None


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that was looked at in a solution."""

    passed: bool
    message: str


@dataclass(frozen=True, slots=True)
class Amount:
    """What one vial gets of one substance; `unit` is ``mg`` or ``uL``."""

    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Vial:
    """One vial of a protocol."""

    plate: str
    well: str
    contents: dict[str, Amount]


@dataclass(frozen=True, repr=False)
class Ended(Outcome):
    """An outcome with its files, and as a notebook shows it."""

    def __repr__(self) -> str:
        return notebook_display.short(self)

    def _repr_html_(self) -> str:
        return notebook_display.html(self)

    @property
    def table(self) -> DataFrame:
        """The numbers that matter, with their units; empty if the run has not come so far."""
        return notebook_display.frame([], [])

    @property
    def data(self) -> Dataset | DataTree:
        """The arrays behind the numbers, labelled, with units in ``attrs["units"]``.

        Raises:
            InputError: xarray is missing (the extra ``export``), or the run has no arrays.
        """
        raise InputError("A run of this kind has no arrays of its own; those of its parts have.")

    @property
    def spec(self) -> str:
        """The specification that was run, in YAML; ``labwright.run`` runs it again. Empty if none was understood."""
        path = self.run_dir / "spec.yaml"
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    @property
    def report(self) -> Path | None:
        """The report, if the run has come so far."""
        path = self.run_dir / "report.md"
        return path if path.is_file() else None

    @property
    def figures(self) -> list[Figure]:
        """Every figure of the run; a notebook shows one as a picture."""
        named = [one["path"] for one in self.document.get("artifacts", []) if one["path"].endswith(".png")]
        return [Figure(self.run_dir / name) for name in named]

    @property
    def assumptions(self) -> list[str]:
        """What was taken for granted where nobody answered."""
        return list(self.result.get("assumptions", []))


@dataclass(frozen=True, repr=False)
class Calibrated(Ended):
    """How a calibration ended."""

    @property
    def table(self) -> DataFrame:
        """Every estimate with its error, and every setting that changed."""
        return notebook_display.frame(notebook_display.calibration_rows(self), ["qubit", "quantity"])

    @property
    def data(self) -> DataTree:
        """Every measurement, a group each: ``data["01_t1"]``; with settings and estimates in its ``attrs``."""
        return notebook_display.measured(self.run_dir)

    @cached_property
    def qubits(self) -> dict[str, QubitResult]:
        """Qubit -> what was found; empty if the run has not come so far."""
        return {name: _qubit(entry) for name, entry in self.result.get("qubits", {}).items()}

    @cached_property
    def by_stage(self) -> dict[str, StageResult]:
        """Stage, by its label or its line such as ``t1 Q1``, -> what it found."""
        found = by_stage(self.stages)
        return {
            name: StageResult(
                **{key: each[key] for key in ("experiment", "accepted", "verdict", "diagnosis", "found")},
                results={
                    key: Measured(one["value"], one["error"], one["unit"]) for key, one in each["results"].items()
                },
            )
            for name, each in found.items()
        }

    @property
    def stages(self) -> list[dict[str, Any]]:
        """Every stage run in order: instruction, experiment, verdict, diagnosis."""
        return list(self.result.get("stages", []))


@dataclass(frozen=True, repr=False)
class Searched(Ended):
    """How a search ended."""

    @property
    def table(self) -> DataFrame:
        """The map that was found beside the kernels that it is compared with."""
        return notebook_display.frame(notebook_display.search_rows(self), ["kernel"])

    @property
    def data(self) -> Dataset:
        """Every feature map that was evaluated."""
        return notebook_display.candidates(self)

    @property
    def name(self) -> str:
        """Of the best feature map; empty if there is none."""
        return str(self.result.get("feature_map", {}).get("name", ""))

    @property
    def code(self) -> Path | None:
        """The best feature map as a PennyLane class."""
        path = self.run_dir / "feature_map.py"
        return path if path.is_file() else None

    @property
    def accuracy(self) -> Accuracy | None:
        """Of the best feature map; None if there is none."""
        if "validation_accuracy" not in self.result:
            return None
        return Accuracy(self.result["validation_accuracy"], self.result.get("test_accuracy"))

    @property
    def baselines(self) -> dict[str, Accuracy]:
        """Kernel -> accuracy of what the map is compared with."""
        found = self.result.get("baselines", {})
        return {name: Accuracy(one["validation_accuracy"], one.get("test_accuracy")) for name, one in found.items()}


@dataclass(frozen=True, repr=False)
class Forged(Ended):
    """How a forging run ended."""

    @property
    def table(self) -> DataFrame:
        """Every number that was computed."""
        return notebook_display.frame(
            notebook_display.forged_rows(notebook_display.records_of(self.run_dir)), ["quantity"]
        )

    @property
    def data(self) -> DataTree:
        """What was computed, a group for each quantity, with its labels and axes as dimensions."""
        return notebook_display.computed(notebook_display.records_of(self.run_dir))

    @property
    def tools_forged(self) -> list[str]:
        """New tools, which are in the toolset now."""
        return list(self.result.get("tools_forged", []))

    @property
    def tools_reused(self) -> list[str]:
        """Tools that the toolset had."""
        return list(self.result.get("tools_reused", []))

    @property
    def criteria(self) -> list[Criterion]:
        """What was looked at in the solution."""
        return [Criterion(bool(one["passed"]), str(one["message"])) for one in self.result.get("criteria", [])]

    @property
    def solved(self) -> bool:
        """Whether the run is complete and every criterion holds."""
        return self.status == "complete" and all(one.passed for one in self.criteria)


@dataclass(frozen=True, repr=False)
class Designed(Ended):
    """How a design ended."""

    @property
    def table(self) -> DataFrame:
        """What every vial gets."""
        return notebook_display.frame(notebook_display.vial_rows(self), ["plate", "well"])

    @property
    def data(self) -> Dataset:
        """Substance -> its amount in every vial."""
        return notebook_display.amounts(self)

    @property
    def vials(self) -> list[Vial]:
        """What every vial gets."""
        return [Vial(one["plate"], one["well"], _contents(one["contents"])) for one in self.result.get("vials", [])]

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The robot's steps in order."""
        return list(self.result.get("steps", []))

    @property
    def robot_file(self) -> Path | None:
        """The file for the liquid handler; None if none was written."""
        named = self.result.get("xml")
        return self.run_dir / named if named else None


E = TypeVar("E", bound=Ended)


def typed(kind: type[E], outcome: Outcome) -> E:
    """`outcome` as the type of its system."""
    return kind(**{one.name: getattr(outcome, one.name) for one in fields(Outcome)})


def _qubit(entry: dict[str, Any]) -> QubitResult:
    measured = {
        name: Measured(float(one["value"]), one.get("error"), str(one.get("unit", "")))
        for name, one in entry.get("measured", {}).items()
        if one.get("value") is not None
    }
    return QubitResult(
        entry.get("before", {}),
        entry.get("after", {}),
        entry.get("rb_error_per_gate"),
        entry.get("rb_error_std"),
        entry.get("limit_error_per_gate"),
        measured,
    )


def _contents(plain: dict[str, Any]) -> dict[str, Amount]:
    return {name: Amount(float(one["amount"]), str(one["unit"])) for name, one in plain.items()}
