"""What every registered experiment promises to people and agents, whoever wrote it.

A new experiment is in here by being in the registry. The promises are in `tools/experiments/conformance.py`, so that
a laboratory can hold its own experiments to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import pytest
from matplotlib.figure import Figure
from tiers import sampled

from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench, Experiment, Quantity, Report, quantities, visual_inspection
from labwright.tools.experiments.call import ExperimentCall, ParameterCard
from labwright.tools.experiments.conformance import (
    _needs,
    broken_data_promises,
    broken_promises,
    broken_report_promises,
    unlabelled,
)
from labwright.tools.experiments.duration_estimate import estimated_seconds
from labwright.tools.experiments.needs import HOUR, Need
from labwright.tools.experiments.perform import perform, rehearse
from labwright.tools.experiments.registry import card, experiments
from labwright.tools.experiments.time_rabi import Rabi
from labwright.tools.qpu.device import Device
from labwright.tools.units import UNITS

CLASSES = experiments()
every = pytest.mark.parametrize("kind", [pytest.param(kind, id=name) for name, kind in sorted(CLASSES.items())])
Kind = type[Experiment]
# Whole runs of these take their time; what they promise shows in a small one.
SMALL: dict[str, dict[str, Any]] = {
    "sizzle_search": {"frequencies": 1, "acquisitions": 8},
    "interleaved_rb_cz": {"kinds": 4, "lengths": 3, "max_length": 6, "shots": 200},
    "two_qubit_rb": {"kinds": 4, "lengths": 3, "max_length": 6, "shots": 200},
    "conditional_stark_repeated_gate": {"gates": 8, "shots": 200},
    "simultaneous_rb": {"kinds": 4, "lengths": 4, "max_length": 64, "shots": 400},
    "stark_echo_tuneup": {"gates": 12, "shots": 400},
    "process_tomography": {"shots": 400},
    "state_tomography": {"shots": 400},
}
LONG = {"sizzle_search"}  # even then
ADAPTIVE = {"cpmg", "t1_tracking"}  # their later sweeps follow from what the first one sees
SEARCHES = {"sizzle_search", "sizzle_amplitude_attempt"}  # estimated is their whole budget; they may stop earlier
SPOILT = ["low_snr", "far_frequency", "overdriven"]
MEASUREMENT_UNITS = {"", "full scale", *UNITS}


@pytest.fixture
def device(open_with_gate: Callable[..., Device]) -> Device:
    return open_with_gate()


def parameters(kind: Kind) -> list[ParameterCard]:
    return list(card(kind).parameters)


def arguments(kind: Kind, device: Device) -> dict[str, Any]:
    """What has no default: qubits in the device's order, numbers from the middle of their bounds."""
    names = iter(device.qubits)
    found: dict[str, Any] = {}
    for parameter in parameters(kind):
        if parameter.required and parameter.type == "str":
            found[parameter.name] = next(names)
        elif parameter.required:
            assert parameter.minimum is not None, f"{parameter.name} has neither default nor bounds"
            assert parameter.maximum is not None
            middle = (parameter.minimum + parameter.maximum) / 2
            found[parameter.name] = int(middle) if parameter.type == "int" else middle
    return found


@every
def test_name_docstring_parameters_and_inspections_are_complete(kind: Kind) -> None:
    assert broken_promises(kind) == []


@every
def test_nothing_is_played_for_a_call_out_of_bounds_of_no_qubit_or_rehearsed(kind: Kind, device: Device) -> None:
    usual = arguments(kind, device)
    for name, quantity in quantities(kind).items():
        size = quantity.maximum - quantity.minimum
        for wrong in (quantity.maximum + 0.01 * size + 1, quantity.minimum - 0.01 * size - 1, float("nan")):
            with pytest.raises(InputError, match=rf"`{name}` must be between .* Choose"):
                kind(Bench(device, "never")).run(**usual | {name: wrong})
    for name in [name for name, value in usual.items() if isinstance(value, str)]:
        with pytest.raises(InputError, match="Q99"):
            kind(Bench(device, "never")).run(**usual | {name: "Q99"})
    assert rehearse(kind, ExperimentCall(kind.name, usual | SMALL.get(kind.name, {})), device) is not None
    assert device.clock == 0


@pytest.mark.parametrize(
    "kind",
    sampled([kind for name, kind in sorted(CLASSES.items()) if name not in LONG], 4, lambda kind: kind.name)
    + [pytest.param(CLASSES[name], id=name, marks=pytest.mark.slow) for name in LONG],
)
def test_a_run_takes_the_time_that_was_said_reports_in_units_and_draws_labelled_axes(
    kind: Kind, device: Device
) -> None:
    call = ExperimentCall(kind.name, arguments(kind, device) | SMALL.get(kind.name, {}))
    told = estimated_seconds(kind, call, device)
    assert told is not None
    assert device.clock == 0
    done = perform(kind, call, device, "one")
    near = 0.2 if kind.name in ADAPTIVE else 0.05
    assert done.seconds < (1 + near) * told
    assert kind.name in SEARCHES or done.seconds > (1 - near) * told
    report = done.report
    if [parameter.name for parameter in parameters(kind) if parameter.required] == ["qubit"]:
        assert report.verdict == "success", report
    assert broken_report_promises(kind, report) == []
    assert broken_data_promises(done.experiment) == []
    assert report.diagnosis
    assert report.analysis.endswith(".")
    assert set(report.proposal) <= {parameter.name for parameter in parameters(kind)}
    for name, estimate in report.estimates.items():
        assert estimate.unit in MEASUREMENT_UNITS, f"{name} is in {estimate.unit!r}"
        assert estimate.error >= 0, name
    assert done.figures
    for name, draw in done.figures.items():
        assert unlabelled(draw()) == [], name


SEVERAL = [
    name
    for name, kind in sorted(CLASSES.items())
    if [parameter.name for parameter in parameters(kind) if parameter.required] != ["qubit"]
]
SPOILT_RUNS = [  # each experiment on one spoilt device by default, on all where slow tests run
    pytest.param(
        CLASSES[name], spoilt, id=f"{name}-{spoilt}",
        marks=[pytest.mark.slow] * (name in LONG or place != number % len(SPOILT) or number % 6 > 0),
    )
    for number, name in enumerate(SEVERAL)
    for place, spoilt in enumerate(SPOILT)
]  # fmt: skip


@pytest.mark.parametrize(("kind", "spoilt"), SPOILT_RUNS)
def test_several_qubits_of_which_all_are_spoilt_have_a_declared_cause(
    kind: Kind, spoilt: str, open_with_gate: Callable[..., Device]
) -> None:
    """What a single qubit is enough for runs on spoilt devices in test_calibration.py and test_causes.py."""
    device = open_with_gate(device=f"spoilt:{spoilt}")
    chosen = arguments(kind, device) | SMALL.get(kind.name, {})
    done = perform(kind, ExperimentCall(kind.name, chosen), device, "one")
    assert done.report.verdict != "success"
    assert broken_report_promises(kind, done.report) == []
    for draw in done.figures.values():  # a failed run can be drawn, too
        draw()


class Sloppy(Rabi):
    name = "sloppyRabi"
    causes: ClassVar[dict[str, str]] = {
        "poorFit": "Bad",
        "no_result": "The data determine nothing at all.",
        "no_response": "It rings no bell.",
    }
    writes = ("colour",)
    summary_instructions = "It decides."

    def run(  # type: ignore[override]
        self, qubit: str, amplitude: float = 0.2, stop: Annotated[float, Quantity("parsec", 1, 0)] = 3.0, shots: int = 5
    ) -> None:
        """Sloppy

        Args:
            amplitude: how strong the drive is. Default 0.3.
        """

    def report(self) -> Report:
        raise NotImplementedError

    @visual_inspection('Look at it. Image("nowhere.png")')
    def plot(self) -> Figure:
        made = Figure()
        made.subplots().set_xlabel("time")
        return made


@pytest.mark.parametrize(
    "complaint",
    [
        "not in snake case",
        "class has no docstring",
        "must begin with one full sentence",
        "does not say when to use it",
        "fewer than two phrases",
        "`amplitude` is a number without",
        "'parsec', which nobody can convert into",
        "bounds that leave nothing",
        "`shots` is not described",
        "says default 0.3, but it is 0.2",
        "what a good figure looks like",
        "what a failure looks like",
        "no reference picture 'nowhere.png'",
        "`summary_instructions` must say",
        "cause 'poorFit' is not in snake case",
        "cause 'poorFit' is not explained in one sentence",
        "cause 'no_result' is every experiment's",
        "cause 'no_response' means something else",
        "no setting 'colour' to write",
    ],
)
def test_what_an_author_leaves_out_is_found(complaint: str) -> None:
    assert complaint in "\n".join(broken_promises(Sloppy))


def test_an_experiment_without_causes_is_told_so() -> None:
    class Silent(Rabi):
        causes: ClassVar[dict[str, str]] = {}
        writes = ()

    found = "\n".join(broken_promises(Silent))
    assert "declares no `causes`" in found
    assert "takes `update`, but `writes` names no setting" in found


def test_needs_are_declared_and_can_be_met() -> None:
    assert not any("declares no" in said for said in _needs(Sloppy))  # they are Rabi's
    kind = type("Own", (Experiment,), {"run": Rabi.run, "name": "own"})
    assert "declares no `needs`" in "\n".join(_needs(kind))
    for wrong, complaint in (
        (Need(("colour",)), "no setting 'colour' to need of a qubit"),
        (Need(()), "no setting '' to need"),
        (Need(("duration",), pair=True), "`run` takes one qubit"),
        (Need(("drag",), age=0.0), "which no result can be"),
        (Need(("drag",), error=-1.0), "which no result can be"),
        (Need(("amplitude_pi",), HOUR), "which it measures itself"),
    ):
        assert complaint in "\n".join(_needs(type("Needy", (Rabi,), {"needs": (wrong,)})))
    for errors in ({"drag": "amplitude_pi"}, {"amplitude_pi": "colour"}):
        assert "`errors` takes" in "\n".join(_needs(type("Wrong", (Rabi,), {"errors": errors})))


def test_what_a_report_says_and_its_experiment_did_not_declare_is_found() -> None:
    good = Report("success", "fine", "Fine.")
    assert broken_report_promises(Rabi, good) == []
    assert broken_report_promises(Rabi, replace(good, verdict="bad_data", cause="no_result")) == []
    for wrong, complaint in (
        (replace(good, verdict="adjust"), "has no cause"),
        (replace(good, cause="moonlight"), "'moonlight', which `causes` does not declare"),
        (replace(good, updates={"drag": 0.5}), "'drag', which `writes` does not declare"),
    ):
        assert complaint in "\n".join(broken_report_promises(Rabi, wrong))


def test_what_an_experiment_is_not_for_may_not_stand_among_what_it_is_asked_for_as() -> None:
    class Mixed(Rabi):
        name = "mixed"

        def run(self, qubit: str) -> None:  # type: ignore[override]
            """Mixed experiment: measures nothing at all.

            Asked for as: mixed, muddled.
            Not for: Ramsey.
            """

    assert any("paragraph of its own" in said for said in broken_promises(Mixed))


def test_axes_without_label_or_unit_are_found() -> None:
    found = "\n".join(unlabelled(Sloppy.plot(object())))  # type: ignore[arg-type]
    for complaint in ("no title", "no y label", "'time' states no unit"):
        assert complaint in found
